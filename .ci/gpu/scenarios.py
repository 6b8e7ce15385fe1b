"""Jobs with a known cause of trouble, and healthy ones, for the advisor on a real GPU.

scenarios.py NAME --seconds N runs one. EXPECT says which finding must come first for it
(any of the set); an empty set means nothing at warning or above.
"""
import argparse
import random
import subprocess
import sys
import time

from pieces import GIB, block, steps, train_step, transformer

EXPECT = {
    "leak_losses": {"leak"},
    "leak_cache": {"leak"},
    "grow_reserved": {"reserved-growth", "fragmentation"},
    "split_oom": {"fragmentation"},
    "first_phase_cache": {"cache-retention"},
    "short_peak": {"transient-peak", "length-spike"},
    "bigger_batches": {"activations-too-large", "capacity"},
    "eval_grad": {"eval-without-no-grad", "leak"},
    "neighbour": {"other-process"},
    "adam": {"optimizer-state-first-step", "activations-too-large", "capacity"},
    "load": {"model-too-big-at-load", "capacity"},
    "cap": {"memory-fraction-limit", "capacity", "activations-too-large", "fragmentation"},
    "cupy": {"other-library", "non-torch-memory"},
    "full_fp32": {"fp32-instead-of-low-precision"},
    "near_cap": {"alloc-retries", "fragmentation", "memory-fraction-limit", "reserved-growth"},
    "oom_recovery": {"oom-recovery-holds-memory", "activations-too-large"},
    "big_logits": {"logits-large-vocab", "activations-too-large"},
    "second_stage": {"second-stage-not-released"},
    "workers_cuda": {"dataloader-workers-touch-cuda"},
    "graph_pools": {"private-pools"},
    "ckpt_double": {"checkpoint-load-doubling"},
    "ok_amp": set(),
    "ok_eval": set(),
    "ok_varlen": set(),
    "ok_warmup": set(),
    "ok_conv": set(),
}


def leak_losses(torch, seconds):
    m, opt, vocab = transformer(torch)
    kept = []
    for _ in steps(seconds, torch):
        x = torch.randint(0, vocab, (4, 256), device="cuda")
        with torch.autocast("cuda", torch.bfloat16):
            out = m(x)
            loss = torch.nn.functional.cross_entropy(out.flatten(0, 1).float(), x.flatten())
        loss.backward()
        kept.append(out)  # the mistake: outputs are kept on the GPU
        opt.step()
        opt.zero_grad(set_to_none=True)
        time.sleep(0.03)


def leak_cache(torch, seconds):
    m, opt, vocab = transformer(torch, layers=3)
    cache = {}
    for i in steps(seconds, torch):
        train_step(torch, m, opt, vocab, 8, 512)
        cache[i] = torch.randn(48 << 18, device="cuda")  # the mistake: a cache without a bound, 48 MiB a step
        time.sleep(0.05)


def grow_reserved(torch, seconds):
    size = 600 << 20
    for _ in steps(seconds, torch):
        x = block(torch, size)
        del x
        size += 26 << 20
        time.sleep(0.1)


def split_oom(torch, seconds):
    torch.cuda.set_per_process_memory_fraction(0.25)
    big, keep = [], []
    for _ in range(32):  # each segment: a small live piece, and a large one that goes
        whole = block(torch, 1 * GIB)
        del whole
        keep.append(block(torch, 40 << 20))
        big.append(block(torch, (1 * GIB) - (40 << 20)))
    big.clear()
    for _ in steps(seconds / 2, torch, every=2):
        time.sleep(0.5)
    keep.append(block(torch, 3 * GIB))


def first_phase_cache(torch, seconds):
    m, opt, vocab = transformer(torch, layers=3)
    for _ in steps(seconds / 4, torch):
        hold = [block(torch, 5 * GIB) for _ in range(8)]
        train_step(torch, m, opt, vocab, 8, 512)
        del hold
    for _ in steps(seconds * 3 / 4, torch):
        train_step(torch, m, opt, vocab, 2, 128)
        time.sleep(0.02)


def short_peak(torch, seconds):
    m, opt, vocab = transformer(torch, layers=3)
    for i in steps(seconds, torch):
        train_step(torch, m, opt, vocab, 4, 256)
        time.sleep(0.02)
        if i % 60 == 30:
            x = block(torch, 60 * GIB)
            time.sleep(0.25)
            del x
            torch.cuda.empty_cache()


def bigger_batches(torch, seconds):
    m, opt, vocab = transformer(torch)
    batch = 8
    for i in steps(seconds * 4, torch, every=2):
        train_step(torch, m, opt, vocab, batch, 1024)
        if i % 4 == 3:
            batch *= 2


def eval_grad(torch, seconds):
    m, opt, vocab = transformer(torch, layers=3)
    end = time.time() + seconds
    while time.time() < end:
        print("train", flush=True)
        for _ in steps(2.0, torch):
            train_step(torch, m, opt, vocab, 4, 256)
            time.sleep(0.02)
        print("validation", flush=True)
        total = 0
        for _ in steps(2.0, torch):
            x = torch.randint(0, vocab, (4, 256), device="cuda")
            total = total + m(x).float().mean()  # the mistake: graphs are kept through the whole evaluation
            time.sleep(0.05)
        del total


def neighbour(torch, seconds):
    m, opt, vocab = transformer(torch, layers=3)
    need = 30 * GIB
    child = None
    for i in steps(seconds * 2, torch):
        x = block(torch, need)
        train_step(torch, m, opt, vocab, 4, 256)
        del x
        torch.cuda.empty_cache()
        time.sleep(0.05)
        if child is None and i == 60:
            child = subprocess.Popen([sys.executable, "-c", "import torch,time; x=torch.empty(115<<30,dtype=torch.uint8,device='cuda'); time.sleep(20)"])


def adam(torch, seconds):
    nn = torch.nn
    m = nn.ModuleList([nn.Linear(32768, 32768, device="cuda") for _ in range(12)])  # 48 GiB of fp32 weights
    opt = torch.optim.Adam(m.parameters())
    print("step 0", flush=True)
    time.sleep(3)
    for p in m.parameters():
        p.grad = torch.zeros_like(p)
    time.sleep(2)
    opt.step()


def load(torch, seconds):
    layers = []
    for i in range(400):
        layers.append(torch.nn.Linear(16384, 16384, device="cuda"))
        print(f"loading layer {i}", flush=True)
        time.sleep(0.02)


def cap(torch, seconds):
    torch.cuda.set_per_process_memory_fraction(0.05)
    m, opt, vocab = transformer(torch)
    batch = 2
    for i in steps(seconds * 3, torch, every=2):
        train_step(torch, m, opt, vocab, batch, 512)
        if i % 10 == 9:
            batch += 2


def cupy(torch, seconds):
    import cupy as cp
    m, opt, vocab = transformer(torch, layers=3)
    held = [cp.zeros(6 * GIB, dtype=cp.uint8) for _ in range(4)]
    for _ in steps(seconds, torch):
        train_step(torch, m, opt, vocab, 4, 256)
        time.sleep(0.02)
    del held


def full_fp32(torch, seconds):
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.set_float32_matmul_precision("highest")
    m, opt, vocab = transformer(torch)
    for _ in steps(seconds, torch):
        train_step(torch, m, opt, vocab, 16, 512, amp=False)


def near_cap(torch, seconds):
    torch.cuda.set_per_process_memory_fraction(0.1)
    keep = block(torch, 8 * GIB)
    rng = random.Random(3)
    for _ in steps(seconds, torch):
        x = block(torch, rng.randint(3000, 5500) << 20)
        del x
        time.sleep(0.05)
    del keep


def oom_recovery(torch, seconds):
    m, opt, vocab = transformer(torch)
    for i in steps(seconds, torch):
        batch = 2048 if i == 40 else 8
        try:
            train_step(torch, m, opt, vocab, batch, 1024)
        except torch.OutOfMemoryError as e:
            print(e, flush=True)
            time.sleep(1)
            try:  # the mistake: the retry runs while the exception still holds the frames of the failed step
                train_step(torch, m, opt, vocab, batch // 2, 1024)
            except torch.OutOfMemoryError as again:
                print(again, flush=True)
                opt.zero_grad(set_to_none=True)
        time.sleep(0.02)


def big_logits(torch, seconds):
    m, opt, vocab = transformer(torch, width=512, layers=2, vocab=262144)
    batch = 4
    for i in steps(seconds, torch, every=2):
        train_step(torch, m, opt, vocab, batch, 2048)
        time.sleep(0.1)
        if i % 8 == 7:
            batch *= 2


def second_stage(torch, seconds):
    print("Stage 1", flush=True)
    first, opt, vocab = transformer(torch, width=2048, layers=24)
    for _ in steps(seconds / 2, torch):
        train_step(torch, first, opt, vocab, 4, 256)
    print("Stage 2", flush=True)
    second, opt2, vocab = transformer(torch, width=2048, layers=24)  # the mistake: the first stage is still held
    for _ in steps(seconds / 2, torch):
        train_step(torch, second, opt2, vocab, 4, 256)


class OnTheCard:
    """A data set whose samples are made on the GPU, in the worker."""

    def __len__(self):
        return 1 << 20

    def __getitem__(self, i):
        import torch
        return torch.randn(1 << 20, device="cuda").cpu()  # the mistake


def workers_cuda(torch, seconds):
    m, opt, vocab = transformer(torch, layers=3)
    data = iter(torch.utils.data.DataLoader(OnTheCard(), batch_size=4, num_workers=4, multiprocessing_context="spawn"))
    for _ in steps(seconds + 8, torch):
        next(data)
        train_step(torch, m, opt, vocab, 4, 256)


def graph_pools(torch, seconds):
    held = []
    for _ in steps(seconds, torch, every=2):
        if len(held) < 20:  # a graph for each batch size, each with a pool of its own
            x = block(torch, 256 << 20)
            g = torch.cuda.CUDAGraph()
            with torch.cuda.graph(g):
                for _ in range(3):
                    x = (x.float() * 2).to(torch.uint8)
            held.append((g, x))
        for g, _ in held:
            g.replay()
        torch.cuda.synchronize()
        time.sleep(0.2)


def ckpt_double(torch, seconds):
    nn = torch.nn
    m = nn.ModuleList([nn.Linear(16384, 16384, device="cuda") for _ in range(30)])  # 30 GiB of fp32 weights
    print("model built", flush=True)
    time.sleep(2)
    print("loading checkpoint", flush=True)
    state = {k: torch.empty_like(v) for k, v in m.state_dict().items()}  # as torch.load(map_location="cuda") does
    time.sleep(2)
    m.load_state_dict(state)
    print("checkpoint loaded", flush=True)
    for _ in steps(seconds, torch):
        x = torch.randn(64, 16384, device="cuda")
        with torch.no_grad():
            for layer in m:
                x = layer(x)
        torch.cuda.synchronize()
        time.sleep(0.05)
    del state


def ok_amp(torch, seconds):
    m, opt, vocab = transformer(torch)
    for _ in steps(seconds, torch):
        train_step(torch, m, opt, vocab, 8, 512, accumulate=4)


def ok_eval(torch, seconds):
    m, opt, vocab = transformer(torch, layers=3)
    end = time.time() + seconds
    while time.time() < end:
        print("train", flush=True)
        for _ in steps(2.5, torch):
            train_step(torch, m, opt, vocab, 8, 512)
        print("validation", flush=True)
        with torch.no_grad():
            for _ in steps(1.5, torch):
                m(torch.randint(0, vocab, (16, 512), device="cuda"))
                torch.cuda.synchronize()


def ok_varlen(torch, seconds):
    m, opt, vocab = transformer(torch, layers=4)
    rng = random.Random(5)
    for _ in steps(seconds, torch):
        train_step(torch, m, opt, vocab, 8, rng.choice([128, 256, 384, 512, 768, 1024]))


def ok_warmup(torch, seconds):
    m, opt, vocab = transformer(torch, layers=3)
    buffers = []
    for i in steps(seconds, torch):
        train_step(torch, m, opt, vocab, 8, 512)
        if len(buffers) < 6 and i % 8 == 7:
            buffers.append(block(torch, 1 * GIB))  # replay buffers that are made once


def ok_conv(torch, seconds):
    nn = torch.nn
    m = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3), nn.ReLU(), *[nn.Sequential(nn.Conv2d(64, 64, 3, 1, 1), nn.BatchNorm2d(64), nn.ReLU()) for _ in range(12)],
                      nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 1000)).cuda()
    opt, scaler = torch.optim.SGD(m.parameters(), 0.01, momentum=0.9), torch.amp.GradScaler()
    for _ in steps(seconds, torch):
        x, y = torch.randn(64, 3, 224, 224, device="cuda"), torch.randint(0, 1000, (64,), device="cuda")
        with torch.autocast("cuda", torch.float16):
            loss = nn.functional.cross_entropy(m(x), y)
        scaler.scale(loss).backward()
        scaler.step(opt)
        scaler.update()
        opt.zero_grad(set_to_none=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("name", choices=sorted(EXPECT))
    p.add_argument("--seconds", type=float, default=12)
    a = p.parse_args()
    import torch
    globals()[a.name](torch, a.seconds)


if __name__ == "__main__":
    main()
