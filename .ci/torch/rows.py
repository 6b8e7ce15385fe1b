"""What comparing the figures alone does not show: rows.py RECORDING JOB.truth…; prints a line a job.

gpu      the GPU named for a row is the one that torch has under that ordinal
no gpu   none was named
layout   what the program calls the layout of the statistics
In a job that stands still at times, a sample between two equal truths must be equal to them ("still").
"""
import json
import sys
from bisect import bisect_left
from collections import Counter

sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/gpu")
import compare


def layouts(path):
    out = {}
    for line in open(path):
        d = json.loads(line)
        for r in d["torch"] if d["type"] == "sample" else []:
            if r.get("layout"):
                out.setdefault(r["pid"], set()).add(r["layout"])
    return out


def still(states, starts, at):
    """The values round a moment when every truth is equal from 5 ms before it to 5 ms after, else None.

    A truth can take long, since it waits for the allocator's lock: the first counts by its end.
    """
    first = bisect_left(starts, at - compare.WINDOW_NS) - 1
    while first >= 0 and states[first][1] > at - compare.WINDOW_NS:
        first -= 1
    last = bisect_left(starts, at + compare.WINDOW_NS)
    if first < 0 or last >= len(states):
        return None
    return states[first][2] if len({s[2] for s in states[first:last + 1]}) == 1 else None


def main():
    rows, names = compare.recording(sys.argv[1]), layouts(sys.argv[1])
    uuids = [g["uuid"] for g in json.loads(open(sys.argv[1]).readline())["gpus"]]
    bad = 0
    for path in sys.argv[2:]:
        head, by_dev = compare.truth(path)
        starts = {dev: [s[0] for s in states] for dev, states in by_dev.items()}
        count, reasons = Counter(), set()
        for at, r in rows:
            if r["pid"] != head["pid"]:
                continue
            if r.get("state", "ok") != "ok":
                reasons.add(r.get("reason", ""))
                continue
            gpu, dev = r.get("gpu"), r.get("ordinal", 0)
            right = gpu is not None and uuids[gpu] == head["uuids"][dev]
            count["gpu" if right else "no gpu" if gpu is None else "wrong gpu"] += 1
            want = still(by_dev.get(dev, []), starts.get(dev, []), at)
            if want:
                equal = tuple(r[k] for k in head["fields"]) == want
                count["still, equal" if equal else "still, not equal"] += 1
        bad += count["wrong gpu"] + count["still, not equal"]
        name = path.rsplit("/", 1)[-1].removesuffix(".truth")
        print(f"{name:14} {dict(count)}  layout {sorted(names.get(head['pid'], []))}")
        for reason in sorted(reasons):
            print(f"{'':14}  refused: {reason}")
    print("rows with a wrong GPU, or not equal while the job stood still:", bad)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
