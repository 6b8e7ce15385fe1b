"""Jobs that print their memory as users and frameworks do, then stand still for a moment.

loggers.py NAME --seconds N. Each prints to standard output, which is its log file.
"""
import argparse
import sys
import time

import torch

STILL = 0.45  # seconds in which nothing changes after a print


class Growing:
    """Live tensors that grow and shrink in odd sizes."""

    def __init__(self):
        self.live, self.i = [], 0

    def change(self):
        self.i += 1
        self.live.append(torch.empty(123_456_789 + 7_777_777 * self.i, dtype=torch.uint8, device="cuda"))
        if self.i % 6 == 5:
            del self.live[::2]
        torch.cuda.synchronize()


def classic(a):
    g = Growing()
    for _ in until(a):
        g.change()
        print(f"Allocated: {torch.cuda.memory_allocated() / 1024**3:.2f} GB")
        print(f"Reserved: {torch.cuda.memory_reserved() / 1024**3:.2f} GB")
        print(f"Peak Reserved: {torch.cuda.max_memory_reserved() / 1024**3:.2f} GB", flush=True)
        time.sleep(STILL)


def summary(a):
    """PyTorch's own table."""
    g = Growing()
    for _ in until(a):
        g.change()
        print(torch.cuda.memory_summary(abbreviated=g.i % 2 == 0), flush=True)
        time.sleep(STILL)


def stats(a):
    """PyTorch's own statistics, printed whole."""
    g = Growing()
    for _ in until(a):
        g.change()
        print(torch.cuda.memory_stats(), flush=True)
        time.sleep(STILL)


def lightning(a):
    """Lightning's DeviceStatsMonitor through a logger that writes each step's metrics as a line of JSON."""
    import json
    import logging
    import lightning.pytorch as pl
    from lightning.pytorch.callbacks import DeviceStatsMonitor
    from lightning.pytorch.loggers.logger import Logger
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    g = Growing()

    class Lines(Logger):
        name, version = "lines", "0"

        def log_hyperparams(self, *args, **kwargs):
            pass

        def log_metrics(self, metrics, step=None):
            print(json.dumps({"step": step, **{k: float(v) for k, v in metrics.items()}}), flush=True)
            time.sleep(STILL)

    class Model(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(64, 64)

        def training_step(self, batch, _):
            g.change()
            return self.layer(batch).sum()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.01)

    data = torch.utils.data.DataLoader(torch.randn(4096, 64), batch_size=4)
    trainer = pl.Trainer(max_time={"seconds": int(a.seconds)}, max_epochs=1, log_every_n_steps=1, logger=Lines(), accelerator="gpu", devices=1,
                         callbacks=[DeviceStatsMonitor(cpu_stats=False)], enable_progress_bar=False, enable_checkpointing=False, enable_model_summary=False)
    trainer.fit(Model(), data)


def hf(a):
    """The Trainer of transformers with a callback that adds torch's figures to its log dictionary."""
    import transformers
    from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments
    g = Growing()

    class Memory(TrainerCallback):
        def on_step_end(self, args, state, control, **kwargs):
            g.change()

        def on_log(self, args, state, control, logs=None, **kwargs):
            logs["memory_allocated"] = torch.cuda.memory_allocated()
            logs["memory_reserved"] = torch.cuda.memory_reserved()

        def on_step_begin(self, args, state, control, **kwargs):
            time.sleep(STILL)

    class Data(torch.utils.data.Dataset):
        def __len__(self):
            return 10_000

        def __getitem__(self, i):
            x = torch.arange(64) % 100
            return {"input_ids": x, "labels": x}

    class Stop(TrainerCallback):
        end = time.time() + a.seconds

        def on_step_end(self, args, state, control, **kwargs):
            control.should_training_stop = time.time() > self.end

    model = GPT2LMHeadModel(GPT2Config(n_layer=2, n_head=2, n_embd=64, vocab_size=128))
    args = TrainingArguments("/tmp/hf-logger", logging_steps=1, max_steps=500, per_device_train_batch_size=4, report_to=[], disable_tqdm=True, save_strategy="no")
    trainer = Trainer(model, args, train_dataset=Data(), callbacks=[Memory(), Stop()])
    trainer.pop_callback(transformers.PrinterCallback)
    trainer.add_callback(transformers.PrinterCallback)  # prints last, so that it prints what the callback added
    trainer.train()


def until(a):
    end, i = time.time() + a.seconds, 0
    while time.time() < end:
        yield i
        i += 1


def main():
    jobs = {f.__name__: f for f in (classic, summary, stats, lightning, hf)}
    p = argparse.ArgumentParser()
    p.add_argument("name", choices=sorted(jobs))
    p.add_argument("--seconds", type=float, default=10)
    a = p.parse_args()
    jobs[a.name](a)


if __name__ == "__main__":
    sys.exit(main())
