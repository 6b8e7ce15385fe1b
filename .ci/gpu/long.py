"""Jobs of ten minutes for the advisor on a real GPU: models people train, healthy and not.

long.py NAME --seconds N runs one. EXPECT says which finding must come first for its process
(any of the set); an empty set means nothing at warning or above. A sick job trains well for
a minute and then writes the time at which its trouble begins to the file --began.
"""
import argparse
import contextlib
import random
import tempfile
import time

from pieces import steps

EXPECT = {
    "gpt2_amp": set(),
    "llama_lengths": set(),
    "resnet_workers": set(),
    "server": set(),
    "t5_lora": set(),
    "graphs": set(),
    "leak_fast": {"leak"},
    "leak_slow": {"leak"},
    "growth": {"reserved-growth"},
    "eval_grad": {"eval-without-no-grad"},
    "outside": {"non-torch-leak", "other-library"},
}
SICK = [name for name, want in EXPECT.items() if want]
MIB = 1 << 20


def began(a):
    with open(a.began, "w") as f:
        f.write(str(time.time()))


def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel
    return GPT2LMHeadModel(GPT2Config(vocab_size=16000)).cuda(), 16000


def llama():
    from transformers import LlamaConfig, LlamaForCausalLM
    c = LlamaConfig(vocab_size=16000, hidden_size=1024, intermediate_size=2816, num_hidden_layers=8, num_attention_heads=16)
    return LlamaForCausalLM(c).cuda(), 16000


def learn(torch, m, opt, vocab, batch, length, accumulate=1):
    for _ in range(accumulate):
        x = torch.randint(0, vocab, (batch, length), device="cuda")
        with torch.autocast("cuda", torch.bfloat16):
            out = m(input_ids=x, labels=x)
        (out.loss / accumulate).backward()
    opt.step()
    opt.zero_grad(set_to_none=True)
    return out


def gpt2_amp(torch, a):
    m, vocab = gpt2()
    opt = torch.optim.AdamW(m.parameters(), lr=1e-4)
    saved = time.time()
    end = time.time() + a.seconds
    while time.time() < end:
        print("train", flush=True)
        for _ in steps(min(50, end - time.time()), torch, every=50):
            learn(torch, m, opt, vocab, 8, 512, accumulate=4)
        print("validation", flush=True)
        with torch.no_grad(), torch.autocast("cuda", torch.bfloat16):
            for _ in steps(10, torch, every=50):
                x = torch.randint(0, vocab, (16, 512), device="cuda")
                m(input_ids=x, labels=x).loss.item()
        if time.time() - saved > 110:
            print("saving checkpoint", flush=True)
            with tempfile.TemporaryFile() as f:
                torch.save({"model": m.state_dict(), "optimizer": opt.state_dict()}, f)
            saved = time.time()


def llama_lengths(torch, a):
    m, vocab = llama()
    m.gradient_checkpointing_enable()
    opt = torch.optim.AdamW(m.parameters(), lr=1e-4)
    rng = random.Random(5)
    for _ in steps(a.seconds, torch, every=50):
        learn(torch, m, opt, vocab, 4, min(2048, int(128 * 2 ** rng.expovariate(0.7))))


class Pictures:
    """A data set of noise, made by the workers."""

    def __len__(self):
        return 1 << 20

    def __getitem__(self, i):
        import torch
        return torch.randn(3, 160, 160), i % 1000


def resnet_workers(torch, a):
    import torchvision
    m = torchvision.models.resnet50().cuda()
    opt, scaler = torch.optim.SGD(m.parameters(), 0.01, momentum=0.9), torch.amp.GradScaler()
    data = iter(torch.utils.data.DataLoader(Pictures(), batch_size=64, num_workers=4, pin_memory=True))
    for _ in steps(a.seconds, torch, every=50):
        x, y = next(data)
        with torch.autocast("cuda", torch.float16):
            loss = torch.nn.functional.cross_entropy(m(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
        scaler.scale(loss).backward()
        scaler.step(opt)
        scaler.update()
        opt.zero_grad(set_to_none=True)


def server(torch, a):
    m, vocab = gpt2()
    m = m.bfloat16().eval()
    rng = random.Random(7)
    with torch.inference_mode():
        for _ in steps(a.seconds, torch, every=5):
            x = torch.randint(0, vocab, (rng.randint(1, 32), rng.randint(16, 512)), device="cuda")
            m.generate(x, max_new_tokens=rng.randint(16, 256), do_sample=True, pad_token_id=0)
            time.sleep(rng.choice([0, 0, 0.2, 3]))


def t5_lora(torch, a):
    from peft import LoraConfig, get_peft_model
    from transformers import T5Config, T5ForConditionalGeneration
    base = T5ForConditionalGeneration(T5Config(d_model=1024, d_ff=4096, num_layers=12, num_heads=16, vocab_size=16000, decoder_start_token_id=0))
    m = get_peft_model(base, LoraConfig(r=16, target_modules=["q", "v"])).cuda()
    opt = torch.optim.AdamW([p for p in m.parameters() if p.requires_grad], lr=1e-4)
    for i in steps(a.seconds, torch, every=50):
        learn(torch, m, opt, 16000, 8, 256)
        if i % 400 == 399:
            print("evaluating", flush=True)
            with torch.inference_mode(), torch.autocast("cuda", torch.bfloat16):
                for _ in range(100):
                    x = torch.randint(0, 16000, (16, 256), device="cuda")
                    m(input_ids=x, labels=x)
            print("training", flush=True)


def graphs(torch, a):
    nn = torch.nn
    m = nn.Sequential(*[nn.TransformerEncoderLayer(768, 12, 3072, batch_first=True, dropout=0) for _ in range(6)]).cuda()
    m = torch.cuda.make_graphed_callables(m, (torch.randn(16, 256, 768, device="cuda"),))
    opt = torch.optim.AdamW(m.parameters(), lr=1e-4)
    for _ in steps(a.seconds, torch, every=50):
        loss = m(torch.randn(16, 256, 768, device="cuda")).square().mean()
        loss.backward()
        opt.step()
        opt.zero_grad(set_to_none=True)
        loss.item()


def sick(torch, a, each):
    """Trains a Llama of varying lengths; after a minute, each(elapsed) runs in every pass."""
    m, vocab = llama()
    opt = torch.optim.AdamW(m.parameters(), lr=1e-4)
    rng = random.Random(9)
    start = None
    t0 = time.time()
    for _ in steps(a.seconds, torch, every=50):
        out = learn(torch, m, opt, vocab, 4, rng.choice([128, 256, 512, 768, 1024]))
        time.sleep(0.05)
        if start is None and time.time() - t0 > 60:
            start = time.time()
            began(a)
        if start is not None:
            each(time.time() - start, out)


def leak_fast(torch, a):
    kept, card = [], torch.cuda.get_device_properties(0).total_memory
    have = 0

    def keep(elapsed, out):
        nonlocal have
        while have < elapsed / 60 * 0.02 * card:  # the mistake: outputs are kept; 2 % of the card a minute
            kept.append(out.logits.detach().clone())
            have += kept[-1].nbytes
    sick(torch, a, keep)


def leak_slow(torch, a):
    kept = []
    sick(torch, a, lambda elapsed, _: kept.append(torch.zeros(6 * MIB, dtype=torch.uint8, device="cuda")) if elapsed > len(kept) else None)


def growth(torch, a):
    made = 0

    def grow(elapsed, _):
        nonlocal made
        if elapsed > made * 6:  # a buffer that is a little larger each time fits no block in the cache
            made += 1
            torch.empty((300 + 12 * made) * MIB, dtype=torch.uint8, device="cuda")
    sick(torch, a, grow)


def outside(torch, a):
    import cupy
    held = []

    def take(elapsed, _):
        if elapsed > len(held) * 4:
            held.append(cupy.cuda.runtime.malloc(32 * MIB))  # not through torch's allocator
    sick(torch, a, take)


def eval_grad(torch, a):
    m, vocab = llama()
    opt = torch.optim.AdamW(m.parameters(), lr=1e-4)
    end = time.time() + a.seconds
    first = True
    while time.time() < end:
        print("train", flush=True)
        for _ in steps(min(60, end - time.time()), torch, every=50):
            learn(torch, m, opt, vocab, 4, 512)
            time.sleep(0.05)
        print("validation", flush=True)
        if first:
            began(a)
        first, total = False, 0
        for _ in steps(min(25, end - time.time()), torch):
            x = torch.randint(0, vocab, (2, 256), device="cuda")
            with torch.autocast("cuda", torch.bfloat16):
                total = total + m(input_ids=x, labels=x).loss  # the mistake: the graphs are kept through the whole evaluation
            time.sleep(0.6)
        del total


def main():
    p = argparse.ArgumentParser()
    p.add_argument("name", choices=sorted(EXPECT))
    p.add_argument("--seconds", type=float, default=540)
    p.add_argument("--began", default="/dev/null")
    a = p.parse_args()
    import torch
    torch.manual_seed(1)
    with contextlib.suppress(KeyboardInterrupt):
        globals()[a.name](torch, a)


if __name__ == "__main__":
    main()
