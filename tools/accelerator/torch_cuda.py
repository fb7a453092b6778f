"""Runs the PyTorch benchmark of a peers' folder on the GPU: torch_cuda.py PEERS CASE VARIANT.

The benchmark itself is written for CPUs: it makes tensors with torch.from_numpy, and models on the default device.
"""
import sys

import torch

peers, case, variant = sys.argv[1:4]
sys.path.insert(0, peers)

torch.set_default_device("cuda")
from_numpy = torch.from_numpy
torch.from_numpy = lambda array: from_numpy(array).cuda()
autocast = torch.autocast
torch.autocast = lambda device, dtype: autocast("cuda", dtype)
if "tf32" in variant:
    torch.set_float32_matmul_precision("high")

import worker  # noqa: E402: after the changes above

sys.argv = ["worker.py", case, "torch", variant]
worker.main()
