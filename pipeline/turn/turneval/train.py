#!/usr/bin/env python3
"""Learns the weights of package audiomodel from what `turneval sounds` wrote.

Needs Debian's python3-torch and python3-numpy. `train.py FILE` measures it on each corpus after learning from the others;
`train.py FILE weights.bin` learns from all and writes the weights.
"""
import json
import sys

import numpy as np
import torch
from torch import nn

FRAMES, CHANNELS = 128, 22
torch.set_num_threads(2)


def read(path):
    record = np.dtype([("corpus", "<u2"), ("over", "<u2"), ("left", "<u2"), ("group", "<u2"), ("features", "i1", FRAMES * CHANNELS)])
    return np.fromfile(path, dtype=record)


class Net(nn.Module):
    """The layers of network.go: time last for torch, so the weights are turned when written."""

    def __init__(self, dropout=0.3):
        super().__init__()
        self.c = nn.ModuleList([nn.Conv1d(CHANNELS, 32, 5, 2), nn.Conv1d(32, 48, 5, 2), nn.Conv1d(48, 64, 5, 2)])
        self.one, self.two = nn.Linear(64 * 13, 48), nn.Linear(48, 1)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):  # batch × frames × channels
        x = x.transpose(1, 2)
        for c in self.c:
            x = torch.relu(c(x))
        x = self.drop(x.transpose(1, 2).reshape(len(x), -1))
        return self.two(self.drop(torch.relu(self.one(x)))).squeeze(1)

    def floats(self):
        parts = []
        for c in self.c:
            parts += [c.weight.transpose(1, 2).reshape(c.out_channels, -1), c.bias]
        for l in (self.one, self.two):
            parts += [l.weight, l.bias]
        return torch.cat([p.detach().reshape(-1) for p in parts]).numpy().astype("<f4")


def varied(x, rng):
    """Frames shifted a little, bands and times masked, levels tilted: so that it does not learn by heart."""
    x = torch.roll(x, int(rng.integers(-3, 4)), 1)
    x = x + torch.randn(len(x), 1, CHANNELS) * torch.tensor([0.06] * 20 + [0.0, 0.0])
    if rng.random() < 0.5:
        at = int(rng.integers(0, 18))
        x[:, :, at:at + int(rng.integers(1, 4))] = 0
    keep = int(rng.integers(40, FRAMES + 60))  # what is missing in front is silence, as at the beginning of a turn
    if keep < FRAMES:
        x[:, :FRAMES - keep, :20], x[:, :FRAMES - keep, 20:] = -2, 0
    return x


def learn(data, epochs, seed=1):
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    net = Net()
    x = torch.from_numpy(data["features"].reshape(-1, FRAMES, CHANNELS))
    y = torch.from_numpy((data["over"] == 1).astype("f4"))
    # Both outcomes weigh the same, and so do the corpora by the root of their size.
    weight = np.zeros(len(data), "f4")
    for c in np.unique(data["corpus"]):
        for o, share in ((0, 0.7), (1, 1.0), (2, 0.3)):
            these = (data["corpus"] == c) & (data["over"] == o)
            weight[these] = share * np.sqrt((data["corpus"] == c).sum()) / max(1, these.sum())
    weight = torch.from_numpy(weight / weight.mean())
    steps = epochs * (len(x) // 128)
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.02)
    plan = torch.optim.lr_scheduler.OneCycleLR(opt, 2e-3, total_steps=steps + 1)
    for epoch in range(epochs):
        net.train()
        total = 0.0
        order = torch.from_numpy(rng.permutation(len(x)))
        for i in range(len(x) // 128):
            batch = order[i * 128:(i + 1) * 128]
            out = net(varied(x[batch].float() / 32, rng))
            loss = (nn.functional.binary_cross_entropy_with_logits(out, y[batch] * 0.96 + 0.02, reduction="none") * weight[batch]).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            plan.step()
            total += loss.item()
        print(f"  epoch {epoch + 1}: loss {total / (len(x) // 128):.4f}", flush=True)
    net.eval()
    return net


def odds(net, data):
    with torch.no_grad():
        x = torch.from_numpy(data["features"].reshape(-1, FRAMES, CHANNELS))
        return np.concatenate([net(x[i:i + 512].float() / 32).numpy() for i in range(0, len(x), 512)])


def auc(scores, over):
    order = np.argsort(scores)
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(len(scores)) + 1
    n = over.sum()
    return (ranks[over].sum() - n * (n + 1) / 2) / (n * (len(over) - n))


def report(name, net, data):
    data = data[data["over"] < 2]  # what was put in is not how people pause
    over, scores = data["over"] == 1, odds(net, data)
    long = ~over & (data["left"] >= 400)
    some = over | long
    print(f"{name}: {over.sum()} ends, {(~over).sum()} pauses; AUC {auc(scores, over):.3f}, of pauses of 0.4 s or more ({long.sum()}) {auc(scores[some], over[some]):.3f}")
    # What it is worth: how many pauses are cut if every silence waits for a delay between two bounds by the odds, against one delay for all that
    # waits as long at the ends.
    left = data["left"] / 1000
    for low, high in ((0.4, 1.2), (0.6, 1.6), (0.6, 2.4)):
        delay = low + (high - low) / (1 + np.exp(1.5 * scores))
        wait = delay[over].mean()
        print(f"    {low:.1f}–{high:.1f} s: mean wait {wait:.2f} s, cut {100 * (left[~over] > delay[~over]).mean():.1f} % of pauses; "
              f"the same wait for all cuts {100 * (left[~over] > wait).mean():.1f} %")


def waves(net):
    """What the network says of sine waves, for the test of the Go code."""
    frame, channel = np.meshgrid(np.arange(FRAMES), np.arange(CHANNELS), indexing="ij")
    x = np.stack([np.sin(0.1 * frame * (k + 1) + channel) for k in range(5)]).astype("f4")
    with torch.no_grad():
        return net(torch.from_numpy(x)).tolist()


def main():
    data = read(sys.argv[1])
    if len(sys.argv) > 2:
        net = learn(data, 30)
        report("learned from", net, data)
        net.floats().tofile(sys.argv[2])
        with open(sys.argv[3], "w") as out:
            json.dump([round(v, 5) for v in waves(net)], out)
        return
    for corpus in np.unique(data["corpus"]):
        unseen = data["corpus"] == corpus
        print(f"without corpus {corpus}")
        net = learn(data[~unseen], 20)
        report(f"corpus {corpus}, unseen", net, data[unseen])


if __name__ == "__main__":
    main()
