"""Torch's own allocator figures, written down beside a job as the truth to compare with.

A line of the truth file: {"t0":…,"t1":…,"dev":0,"v":[…]} where t0 and t1 are the wall
clock before and after torch was asked, in nanoseconds, and v holds FIELDS in order.
"""
import json
import os
import threading
import time

import torch

FIELDS = ["allocated", "reserved", "peak_allocated", "peak_reserved", "active_bytes", "inactive_split_bytes",
          "requested", "segment", "allocation", "active", "inactive_split", "alloc_retries", "ooms"]


def ask(dev):
    """One tuple of FIELDS for a device, from the call that torch.cuda.memory_stats() makes."""
    s = torch._C._cuda_memoryStats(dev)
    a = lambda k, w="current": s[k]["all"][w]
    return (a("allocated_bytes"), a("reserved_bytes"), a("allocated_bytes", "peak"), a("reserved_bytes", "peak"),
            a("active_bytes"), a("inactive_split_bytes"), a("requested_bytes"), a("segment"), a("allocation"),
            a("active"), a("inactive_split"), s["num_alloc_retries"], s["num_ooms"])


class Truth:
    """Collects lines in memory and writes them at the end, so that the job is not slowed by a disk."""

    def __init__(self, path, complete=False):
        self.path, self.rows, self.stop, self.thread = path, [], threading.Event(), None
        self.complete = complete

    def note(self, dev):
        t0 = time.time_ns()
        v = ask(dev)
        self.rows.append((t0, time.time_ns(), dev, v))

    def start(self, devs, period=0.002):
        def loop():
            while not self.stop.is_set():
                for d in devs:
                    self.note(d)
                time.sleep(period)
        self.thread = threading.Thread(target=loop, daemon=True)
        self.thread.start()
        return self

    def close(self):
        self.stop.set()
        if self.thread:
            self.thread.join()
        with open(self.path, "w") as f:
            f.write(json.dumps({"pid": os.getpid(), "complete": self.complete, "fields": FIELDS,
                                "torch": torch.__version__, "uuids": uuids()}) + "\n")
            for t0, t1, dev, v in self.rows:
                f.write(json.dumps({"t0": t0, "t1": t1, "dev": dev, "v": v}) + "\n")


def uuids():
    return ["GPU-" + str(torch.cuda.get_device_properties(i).uuid) for i in range(torch.cuda.device_count())]
