"""What the jobs of scenarios.py are made of: a model, its step, a counted loop, a block of bytes."""
import time

GIB = 1 << 30


def transformer(torch, width=1024, layers=6, vocab=8000):
    nn = torch.nn

    class LM(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(vocab, width)
            layer = nn.TransformerEncoderLayer(width, 16, 4 * width, batch_first=True)
            self.body = nn.TransformerEncoder(layer, layers)
            self.head = nn.Linear(width, vocab)

        def forward(self, x):
            return self.head(self.body(self.embed(x)))

    m = LM().cuda()
    return m, torch.optim.AdamW(m.parameters(), lr=1e-4), vocab


def train_step(torch, m, opt, vocab, batch, length, amp=True, accumulate=1):
    for _ in range(accumulate):
        x = torch.randint(0, vocab, (batch, length), device="cuda")
        with torch.autocast("cuda", torch.bfloat16, enabled=amp):
            out = m(x)
            loss = torch.nn.functional.cross_entropy(out.flatten(0, 1).float(), x.flatten()) / accumulate
        loss.backward()
    opt.step()
    opt.zero_grad(set_to_none=True)
    return loss


def steps(seconds, torch, every=10):
    """Counts steps until the time is over; prints what a user's loop prints."""
    end, i = time.time() + seconds, 0
    while time.time() < end:
        yield i
        i += 1
        if i % every == 0:
            print(f"step {i}")
            print(f"Allocated: {torch.cuda.memory_allocated() / 1024**3:.2f} GB")
            print(f"Reserved: {torch.cuda.memory_reserved() / 1024**3:.2f} GB", flush=True)


def block(torch, size):
    return torch.empty(int(size), dtype=torch.uint8, device="cuda")
