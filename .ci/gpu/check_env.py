"""Compares what vramscope said from one place with what was set up:
check_env.py OUT NAME both OUTER INNER | one PID | nested PID | denied WORDS | state ID STATE | yama PLAIN PASTED"""
import json
import sys

out, name, what, *args = sys.argv[1:]
wrong = []


def load(kind):
    try:
        return json.load(open(f"{out}/{name}.{kind}.json"))
    except (OSError, ValueError) as e:
        print(f"FAIL {name}: {kind}: {e}")
        sys.exit(1)


once, doctor = load("once"), load("doctor")
checks = {c["id"]: c for c in doctor["checks"]}


def want(ok, text):
    print(("ok   " if ok else "FAIL ") + f"{name}: {text}")
    if not ok:
        wrong.append(text)


def rows(pid):
    return [p for p in once["procs"] if p["pid"] == pid and p["gpu"] is not None and not p.get("other_namespace")]


def figures(pid):
    return [t for t in once["torch"] if t["pid"] == pid and t["state"] == "ok"]


def gib(n):
    return "unknown" if n is None else f"{n / 2**30:.2f} GiB"


def plausible(pid):
    """The process is listed, its allocator is read, and the two fit."""
    held, read = rows(pid), figures(pid)
    want(bool(held), f"process {pid} is listed: {[(p['gpu'], gib(p['used']), p.get('assumed', False)) for p in held]}")
    want(bool(read), f"its allocator is read: {[(gib(t['allocated']), gib(t['reserved'])) for t in read]}")
    for t in read:
        for p in held:
            if p["used"] is not None and p["gpu"] == t["gpu"]:
                want(t["reserved"] <= p["used"], f"reserved {gib(t['reserved'])} is within used {gib(p['used'])}")


for id in ("nvml", "gpu", "pid-namespace", "user-namespace", "proc", "ptrace", "yama", "seccomp", "log", "cgroup", "cpu", "shm", "terminal"):
    if id not in checks:
        want(False, f"doctor answers {id}")
for c in doctor["checks"]:
    if c["state"] != "ok" and not c["cure"]:
        want(False, f"{c['id']} has a cure")
want(checks["nvml"]["state"] == "ok", "nvml: " + checks["nvml"]["reason"])

if what == "both":
    for pid in map(int, args):
        plausible(pid)
    want(checks["ptrace"]["state"] == "ok", "ptrace: " + checks["ptrace"]["reason"])
    jobs = {j["pid"]: j for j in doctor["jobs"]}
    for pid in map(int, args):
        j = jobs.get(pid, {})
        want(bool(j.get("torch_version")), f"PyTorch of {pid} is {j.get('torch_version')}, container {j.get('container')}, /dev/shm {gib(j.get('shm_total'))}")
elif what == "one":
    plausible(int(args[0]))
elif what == "nested":
    pid = int(args[0])
    driver = int(once["driver"].split(".")[0])
    plausible(pid)
    gpu = once["gpus"][0]
    listed = sum(p["used"] or 0 for p in once["procs"] if p["gpu"] == gpu["index"])
    print(f"     driver {once['driver']}: used {gib(gpu['used'])}, listed {gib(listed)}, unseen {gib(gpu['unseen'])} {(gpu.get('why') or {}).get('unseen', '')}")
    want(checks["pid-namespace"]["state"] == "partial", "pid-namespace: " + checks["pid-namespace"]["reason"])
    if driver >= 565:
        want(gpu["unseen"] is not None and abs(gpu["used"] - listed - gpu["unseen"]) < 2**20, "what nobody listed holds is what is left")
        want((gpu["unseen"] or 0) > 2**28, "the other job is in it")
        want(not any(p.get("assumed") for p in once["procs"]), "nothing is assumed")
    strangers = [p for p in once["procs"] if p.get("other_namespace") and p["name"]]
    want(not strangers, f"no number of another namespace has a name: {strangers}")
elif what == "denied":
    want(not any(t["state"] == "ok" and t["source"] == "attach" for t in once["torch"]), "no allocator of root's is read")
    want(checks["ptrace"]["state"] == "unavailable", "ptrace: " + checks["ptrace"]["reason"])
    want(args[0] in checks["ptrace"]["reason"], f"the reason is said: {args[0]}")
    want(checks["ptrace"]["cure"].startswith("follow its log"), "the cheapest cure comes first: " + checks["ptrace"]["cure"])
elif what == "state":
    want(checks[args[0]]["state"] == args[1], f"{args[0]} is {args[1]}: {checks[args[0]]['reason']}")
elif what == "yama":
    plain, pasted = map(int, args)
    states = {t["pid"]: t["state"] for t in once["torch"]}
    want(states.get(plain) == "no-permission", f"a job without the line: {states.get(plain)}")
    want(states.get(pasted) == "ok", f"a job with the line: {states.get(pasted)}")
    want("ctypes" in checks["ptrace"]["cure"], "doctor names the line")

sys.exit(1 if wrong else 0)
