"""Real PyTorch jobs to read from outside: workload.py NAME --seconds N [--truth FILE]."""
import argparse
import os
import random
import sys
import time

import torch
import torch.nn as nn

from truth import Truth


def model(dev, width=1024, layers=4):
    layer = lambda: nn.TransformerEncoderLayer(width, 16, 4 * width, batch_first=True)
    m = nn.Sequential(*[layer() for _ in range(layers)]).to(dev)
    return m, torch.optim.AdamW(m.parameters(), lr=1e-4)


def step(m, opt, dev, batch=8, length=512, width=1024):
    x = torch.randn(batch, length, width, device=dev)
    with torch.autocast("cuda", torch.bfloat16):
        loss = m(x).square().mean()
    loss.backward()
    opt.step()
    opt.zero_grad(set_to_none=True)
    return loss


def until(seconds):
    end = time.time() + seconds
    while time.time() < end:
        yield


def steady(a):
    """A training loop; the truth is taken by a thread every 2 ms."""
    dev = torch.device("cuda", 0)
    m, opt = model(dev)
    t = Truth(a.truth).start([0])
    for _ in until(a.seconds):
        step(m, opt, dev)
    torch.cuda.synchronize()
    t.close()


def varlen(a):
    """Batches and lengths vary, so that reserved moves too."""
    dev = torch.device("cuda", 0)
    m, opt = model(dev)
    t = Truth(a.truth).start([0])
    for i, _ in enumerate(until(a.seconds)):
        step(m, opt, dev, batch=random.choice([1, 2, 4, 8, 16]), length=random.randint(64, 1024))
        if i % 40 == 39:
            torch.cuda.empty_cache()
    t.close()


def churn(a):
    """Every allocation and free is followed by a line of truth, so that no state is missed."""
    t, live, rng = Truth(a.truth, complete=True), [], random.Random(7)
    torch.zeros(1, device="cuda")
    t.note(0)
    for _ in until(a.seconds):
        if live and rng.random() < 0.5:
            live.pop(rng.randrange(len(live)))
        else:
            live.append(torch.empty(rng.choice([700, 5_000, 300_000, 3_000_000, 40_000_000]), dtype=torch.uint8, device="cuda"))
        t.note(0)
        if len(live) > 300:
            live.pop(0)
            t.note(0)
        if rng.random() < 0.001:
            torch.cuda.empty_cache()
            t.note(0)
    t.close()


def staircase(a):
    """Stands still most of the time, so that almost every sample must be equal to the byte."""
    t, live = Truth(a.truth, complete=True), []
    torch.zeros(1, device="cuda")
    t.note(0)
    for i, _ in enumerate(until(a.seconds)):
        live.append(torch.empty(12_345_678 * (i % 7 + 1), dtype=torch.uint8, device="cuda"))
        t.note(0)
        time.sleep(0.05)
        if i % 25 == 24:
            live.clear()
            t.note(0)
        t.note(0)
    live.clear()
    torch.cuda.empty_cache()
    t.note(0)
    time.sleep(1)
    t.note(0)
    t.close()


def two(a):
    """One process on two devices, filled differently."""
    t, live = Truth(a.truth, complete=True), [[], []]
    for d in (0, 1):
        torch.zeros(1, device=f"cuda:{d}")
        t.note(d)
    for i, _ in enumerate(until(a.seconds)):
        d = i % 2
        live[d].append(torch.empty(9_999_999 * (1 + d * 3), dtype=torch.uint8, device=f"cuda:{d}"))
        t.note(d)
        time.sleep(0.02)
        if len(live[d]) > 40 + 20 * d:
            live[d].clear()
            t.note(d)
    t.close()


def loader(a):
    """Forked workers after CUDA was started: their copies of the figures must not be shown."""
    from torch.utils.data import DataLoader, Dataset

    class Numbers(Dataset):
        def __len__(self):
            return 1_000_000

        def __getitem__(self, i):
            time.sleep(0.001)
            return torch.full((64,), float(i))

    dev = torch.device("cuda", 0)
    m = nn.Sequential(nn.Linear(64, 4096), nn.Linear(4096, 4096)).to(dev)
    keep = torch.empty(3 << 30, dtype=torch.uint8, device=dev)
    t = Truth(a.truth).start([0])
    end = time.time() + a.seconds
    for x in DataLoader(Numbers(), batch_size=32, num_workers=4):
        m(x.to(dev)).sum().backward()
        if time.time() > end:
            break
    del keep
    t.close()


def graphs(a):
    """CUDA graphs with private pools."""
    dev = torch.device("cuda", 0)
    m = nn.Sequential(nn.Linear(2048, 2048), nn.ReLU(), nn.Linear(2048, 2048)).to(dev)
    x = torch.randn(512, 2048, device=dev)
    t, kept = Truth(a.truth).start([0]), []
    with torch.no_grad():
        m(x)
        for i, _ in enumerate(until(a.seconds)):
            if len(kept) < 8 and i % 50 == 0:
                g = torch.cuda.CUDAGraph()
                with torch.cuda.graph(g):
                    y = m(torch.cat([x] * (len(kept) + 1)))
                kept.append((g, y))
            for g, _y in kept:
                g.replay()
            torch.cuda.synchronize()
    t.close()


def idle(a):
    """PyTorch imported, CUDA not started."""
    open(a.truth, "w").write('{"pid": %d, "complete": true, "fields": [], "torch": "", "uuids": []}\n' % os.getpid())
    time.sleep(a.seconds)


def speed(a):
    """Prints the end and the length of each step, for the comparison with and without a monitor."""
    dev = torch.device("cuda", 0)
    m, opt = model(dev, width=512, layers=2)
    last = time.time()
    while True:
        step(m, opt, dev, batch=16, length=512, width=512)
        torch.cuda.synchronize()
        now = time.time()
        print(f"{now:.6f} {now - last:.6f}")
        last = now


def classic(a):
    """The log_memory() loop that user code prints, beside torch's own figures."""
    dev = torch.device("cuda", 0)
    m, opt = model(dev)
    t = Truth(a.truth).start([0])
    for i, _ in enumerate(until(a.seconds)):
        step(m, opt, dev)
        print(f"step {i}")
        print(f"Allocated: {torch.cuda.memory_allocated() / 1024**3:.2f} GB")
        print(f"Reserved: {torch.cuda.memory_reserved() / 1024**3:.2f} GB")
        print(f"Peak Reserved: {torch.cuda.max_memory_reserved() / 1024**3:.2f} GB", flush=True)
        time.sleep(0.2)
    t.close()


def main():
    jobs = {f.__name__: f for f in (steady, varlen, churn, staircase, two, loader, graphs, idle, speed, classic)}
    p = argparse.ArgumentParser()
    p.add_argument("name", choices=sorted(jobs))
    p.add_argument("--seconds", type=float, default=10)
    p.add_argument("--truth", default=os.devnull)
    a = p.parse_args()
    jobs[a.name](a)


if __name__ == "__main__":
    sys.exit(main())
