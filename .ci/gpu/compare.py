"""Compares a recording with the job's own truth: compare.py RECORDING TRUTH… ; prints one row a truth file.

exact    every figure of the sample is equal to one state torch gave within WINDOW of it
between  the job changed between two truths round the sample, and the sample fits between them
wrong    anything else: must be 0
outside  read before the first or after the last truth: nothing to compare with
refused  rows without figures, by state
A complete truth has a line for every state there was; against it "between" does not exist.
"""
import json
import sys
from bisect import bisect_left
from collections import Counter
from datetime import datetime

WINDOW_NS = 5_000_000
MONOTONE = ("peak_allocated", "peak_reserved", "alloc_retries", "ooms")


def nanoseconds(rfc3339):
    head, _, frac = rfc3339.rstrip("Z").partition(".")
    sec = int(datetime.fromisoformat(head + "+00:00").timestamp())
    return sec * 10**9 + int((frac + "000000000")[:9])


def recording(path):
    started, rows = 0, []
    for line in open(path):
        d = json.loads(line)
        if d["type"] == "header":
            started = nanoseconds(d["started"])
        if d["type"] == "sample":
            at = started + int(d["t"] * 1e9)
            for r in d["torch"]:
                rows.append((at - int(r.get("read_age_ms", 0) * 1e6), r))
    return rows


def truth(path):
    lines = open(path).read().splitlines()
    head, by_dev = json.loads(lines[0]), {}
    for line in lines[1:]:
        d = json.loads(line)
        by_dev.setdefault(d["dev"], []).append((d["t0"], d["t1"], tuple(d["v"])))
    return head, by_dev


def judge(fields, complete, states, at, values):
    starts = [s[0] for s in states]
    i = bisect_left(starts, at)
    lo, hi = bisect_left(starts, at - WINDOW_NS), bisect_left(starts, at + WINDOW_NS)
    for s in states[max(0, lo - 1):hi + 1]:
        if s[2] == values:
            return "exact"
    if at < states[0][0] or at > states[-1][1]:
        return "outside"
    if complete:
        return "wrong"
    before, after = dict(zip(fields, states[max(0, i - 2)][2])), dict(zip(fields, states[min(len(states) - 1, i + 1)][2]))
    got = dict(zip(fields, values))
    if any(not before[k] <= got[k] <= after[k] for k in MONOTONE):
        return "wrong"
    ok = got["allocated"] <= got["active_bytes"] <= got["reserved"] <= after["peak_reserved"] and got["allocated"] <= after["peak_allocated"]
    return "between" if ok else "wrong"


def main():
    rows = recording(sys.argv[1])
    for path in sys.argv[2:]:
        head, by_dev = truth(path)
        verdicts, refused, shown = Counter(), Counter(), []
        for at, r in rows:
            if r["pid"] != head["pid"] or r["source"] != "attach":
                continue
            if r.get("state", "ok") != "ok":
                refused[r["state"]] += 1
                continue
            dev = r.get("ordinal", 0)
            values = tuple(r[k] for k in head["fields"])
            v = judge(head["fields"], head["complete"], by_dev.get(dev, []), at, values) if by_dev.get(dev) else "wrong"
            verdicts[v] += 1
            if v == "wrong" and len(shown) < 3:
                shown.append((at, dict(zip(head["fields"], values))))
        name = path.rsplit("/", 1)[-1].removesuffix(".truth")
        print(f"{name:14} samples {sum(verdicts.values()):4}  exact {verdicts['exact']:4}  between {verdicts['between']:4}  "
              f"wrong {verdicts['wrong']}  outside {verdicts['outside']:3}  refused {dict(refused)}")
        for s in shown:
            print("   wrong:", s)
    jobs = {json.loads(open(p).readline())["pid"] for p in sys.argv[2:]}
    others = {}
    for _, r in rows:
        if r["pid"] not in jobs:
            others.setdefault(r.get("state", "ok"), set()).add(r["pid"])
    print("processes that are none of these jobs, by state:", {k: len(v) for k, v in others.items()})


if __name__ == "__main__":
    main()
