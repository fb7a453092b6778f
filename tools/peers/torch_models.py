#!/usr/bin/env python3
"""Trains the models of bench_models.py in PyTorch, eagerly, as a PyTorch user would write them (channels last, fused Adam).

usage: torch_models.py MODEL

Prints the milliseconds per step of the best of four epochs of thirty batches, as JSON.
"""
import json
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn


class LastAxisNorm(nn.Module):
    """LayerNorm over the channels of channels-first images."""

    def __init__(self, channels):
        super().__init__()
        self.norm = nn.LayerNorm(channels)

    def forward(self, x):
        return self.norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class SqueezeExcite(nn.Module):
    def __init__(self, channels=32):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1), nn.GroupNorm(8, channels), nn.SiLU())
        self.scale = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 8), nn.ReLU(), nn.Linear(8, channels), nn.Sigmoid())

    def forward(self, x):
        y = self.body(x)
        return x + y * self.scale(y)[:, :, None, None]


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.deep = nn.Conv2d(3, 32, 3, padding=1), nn.Conv2d(32, 64, 3, padding=1)
        self.up, self.join, self.out = nn.ConvTranspose2d(64, 32, 2, stride=2), nn.Conv2d(64, 32, 3, padding=1), nn.Conv2d(32, 3, 1)

    def forward(self, x):
        a = F.relu(self.down(x))
        b = self.up(F.relu(self.deep(F.max_pool2d(a, 2))))
        return torch.sigmoid(self.out(F.relu(self.join(torch.cat([b, a], 1)))))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(128, 4, 512, 0.1, "gelu", batch_first=True) for _ in range(2))
        self.out = nn.Linear(128, 10)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.out(x.mean(1))


class CausalConv(nn.Module):
    def __init__(self, channels, dilation):
        super().__init__()
        self.conv, self.padding = nn.Conv1d(channels, 64, 3, dilation=dilation), 2 * dilation

    def forward(self, x):
        return F.relu(self.conv(F.pad(x, (self.padding, 0))))


class Temporal(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Sequential(CausalConv(16 if d == 1 else 64, d), nn.Dropout1d(0.1), CausalConv(64, d)) for d in (1, 2, 4, 8))
        self.widen, self.out = nn.Conv1d(16, 64, 1), nn.Linear(64, 10)

    def forward(self, x):
        x = x.transpose(1, 2)
        for i, block in enumerate(self.blocks):
            x = block(x) + (self.widen(x) if i == 0 else x)
        return self.out(x.mean(2))


class Words(nn.Module):
    """An embedding, then `body` over [batch, time, width]."""

    def __init__(self, count, width, body):
        super().__init__()
        self.embedding, self.body = nn.Embedding(count, width), body

    def forward(self, x):
        return self.body(self.embedding(x))


class Mean(nn.Module):
    def forward(self, x):
        return x.mean(1)


class TextConv(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv1d(64, 128, 5), nn.Conv1d(128, 128, 5)

    def forward(self, x):
        x = F.max_pool1d(F.relu(self.first(x.transpose(1, 2))), 2)
        return F.relu(self.second(x)).amax(2)


class LastStep(nn.Module):
    def __init__(self, recurrent):
        super().__init__()
        self.recurrent = recurrent

    def forward(self, x):
        return self.recurrent(x)[0][:, -1]


def vgg():
    stack, channels = [], 3
    for filters in (32, 64, 128):
        for _ in range(2):
            stack += [nn.Conv2d(channels, filters, 3, padding=1, bias=False), nn.BatchNorm2d(filters), nn.ReLU()]
            channels = filters
        stack.append(nn.MaxPool2d(2))
    return nn.Sequential(*stack, nn.Flatten(), nn.Linear(2048, 128), nn.ReLU(), nn.Dropout(0.3), nn.Linear(128, 10))


def mobilenet():
    stack, channels = [nn.Conv2d(3, 32, 3, 2, 1), nn.ReLU()], 32
    for filters, stride in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1)):
        stack += [nn.Conv2d(channels, channels, 3, stride, 1, groups=channels, bias=False), nn.BatchNorm2d(channels), nn.ReLU6(),
                  nn.Conv2d(channels, filters, 1, bias=False), nn.BatchNorm2d(filters), nn.ReLU6()]
        channels = filters
    return nn.Sequential(*stack, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 10))


def separable():
    stack, channels = [nn.Conv2d(3, 32, 3, padding=1)], 32
    for filters in (64, 128):
        stack += [nn.Conv2d(channels, channels, 3, padding=1, groups=channels, bias=False), nn.Conv2d(channels, filters, 1), nn.ReLU(),
                  LastAxisNorm(filters), nn.AvgPool2d(2)]
        channels = filters
    return nn.Sequential(*stack, nn.Flatten(), nn.Linear(8192, 10))


def autoencoder():
    return nn.Sequential(
        nn.Conv2d(3, 32, 3, 2, 1), nn.ReLU(), nn.Conv2d(32, 64, 3, 2, 1), nn.ReLU(), nn.Flatten(), nn.Linear(4096, 64), nn.Linear(64, 4096), nn.ReLU(),
        nn.Unflatten(1, (64, 8, 8)), nn.ConvTranspose2d(64, 64, 3, 2, 1, 1), nn.ReLU(), nn.ConvTranspose2d(64, 32, 3, 2, 1, 1), nn.ReLU(),
        nn.Conv2d(32, 3, 3, padding=1), nn.Sigmoid())


def alexnet():
    return nn.Sequential(nn.Conv2d(3, 32, 5, 2), nn.ReLU(), nn.MaxPool2d(3, 2), nn.Conv2d(32, 64, 5, padding=2), nn.ReLU(), nn.MaxPool2d(3, 2),
                         nn.Conv2d(64, 96, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Dropout(0.5), nn.Linear(3456, 256), nn.ReLU(), nn.Linear(256, 10))


def conv3d():
    return nn.Sequential(nn.Conv3d(1, 16, 3), nn.ReLU(), nn.MaxPool3d(2), nn.Conv3d(16, 32, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4000, 64), nn.ReLU(),
                         nn.Linear(64, 10))


def dense(inputs, width, count, activation, normalized=False):
    stack = []
    for _ in range(count):
        stack += [nn.Linear(inputs, width, bias=not normalized)]
        stack += [nn.BatchNorm1d(width), activation(), nn.Dropout(0.2)] if normalized else [activation()]
        inputs = width
    return nn.Sequential(*stack, nn.Linear(inputs, 10))


# Model, batch shape, kind of data.
MODELS = {
    "vgg": (vgg, (64, 3, 32, 32), "classes"),
    "mobilenet": (mobilenet, (64, 3, 32, 32), "classes"),
    "unet": (Unet, (32, 3, 32, 32), "same"),
    "autoencoder": (autoencoder, (64, 3, 32, 32), "same"),
    "alexnet": (alexnet, (32, 3, 64, 64), "classes"),
    "separable": (separable, (32, 3, 32, 32), "classes"),
    "squeeze": (lambda: nn.Sequential(*[SqueezeExcite() for _ in range(3)], nn.AvgPool2d(2), nn.Flatten(), nn.Linear(2048, 10)), (64, 32, 16, 16), "classes"),
    "conv3d": (conv3d, (32, 1, 16, 16, 16), "classes"),
    "temporal": (Temporal, (32, 128, 16), "classes"),
    "text conv": (lambda: Words(5000, 64, nn.Sequential(TextConv(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10))), (32, 200), "words"),
    "bag of words": (lambda: Words(20000, 128, nn.Sequential(Mean(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10))), (128, 64), "words"),
    "gru": (lambda: Words(5000, 64, nn.Sequential(LastStep(nn.GRU(64, 64, 2, batch_first=True)), nn.Linear(64, 10))), (32, 100), "words"),
    "gru wide": (lambda: nn.Sequential(LastStep(nn.GRU(32, 256, batch_first=True)), nn.Linear(256, 10)), (32, 60, 32), "classes"),
    "lstm": (lambda: nn.Sequential(LastStep(nn.LSTM(16, 128, batch_first=True)), nn.Linear(128, 10)), (64, 50, 16), "classes"),
    "encoder": (Encoder, (32, 64, 128), "classes"),
    "table": (lambda: dense(20, 64, 2, nn.ReLU), (32, 20), "classes"),
    "table batchnorm": (lambda: dense(128, 256, 3, nn.ReLU, normalized=True), (128, 128), "classes"),
    "wide": (lambda: dense(512, 1024, 3, nn.GELU), (128, 512), "classes"),
    "large batch": (lambda: dense(64, 256, 3, nn.ReLU), (2048, 64), "classes"),
}


def main():
    make, shape, kind = MODELS[sys.argv[1]]
    torch.manual_seed(0)
    model, batches = make(), 30
    x = [torch.randint(0, 5000, shape) if kind == "words" else torch.rand(shape) for _ in range(batches)]
    y = [torch.randint(0, 10, shape[:1]) for _ in x]
    if len(shape) == 4:
        model = model.to(memory_format=torch.channels_last)
        x = [each.to(memory_format=torch.channels_last) for each in x]
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        for xb, yb in zip(x, y):
            optimizer.zero_grad(set_to_none=True)
            outputs = model(xb)
            loss = F.mse_loss(outputs, xb) if kind == "same" else F.cross_entropy(outputs, yb)
            loss.backward()
            optimizer.step()
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"ms": 1e3 * min(seconds[1:]) / batches}))


if __name__ == "__main__":
    main()
