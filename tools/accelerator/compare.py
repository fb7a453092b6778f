#!/usr/bin/env python3
"""Trains the benchmark models on an accelerator with Antler, JAX and PyTorch, alternating, and prints a table.

    tools/accelerator/compare.py --device pjrt:cuda --peers ../shared/peers mlp128 cnn resnet20 gpt1
    tools/accelerator/compare.py --device pjrt:cpu --peers ../shared/peers --only antler,jax mlp128

--peers is the folder with the peers' benchmarks (worker.py, peer_jax.py, peer_torch.py). They run in --python, an
interpreter with jax, optax and torch. Each round runs every program once; a figure is the median over the rounds.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def programs(args, case):
    """Name -> command line, for the requested programs."""
    spe = str(args.steps)
    antler = [args.bench, case, "--device", args.device, "--steps-per-execution", spe]
    jax, torch = f"scan={spe}", f"compile={args.compile}"
    if not args.float32:
        torch += ",tf32"
    if args.bf16:
        antler, jax, torch = antler + ["--bf16"], jax + ",bf16=1", torch + ",bf16=1"
    all_programs = {
        "antler": antler,
        "jax": [args.python, "worker.py", case, "jax", jax],
        "torch": [args.python, str(HERE / "torch_cuda.py"), str(args.peers), case, torch],
    }
    return {name: all_programs[name] for name in args.only.split(",")}


def steps_per_second(command, args):
    """The figure that a program prints; None if it fails."""
    environment = dict(os.environ, XLA_PYTHON_CLIENT_PREALLOCATE="false")
    if args.float32:
        environment.update(ANTLER_TF32="0", JAX_DEFAULT_MATMUL_PRECISION="highest")
    try:
        result = subprocess.run(command, cwd=args.peers, env=environment, capture_output=True, text=True,
                                timeout=args.timeout)
    except subprocess.TimeoutExpired:
        print(f"took more than {args.timeout} s: {' '.join(command)}", file=sys.stderr)
        return None
    for line in result.stdout.splitlines():
        if line.startswith("{") and json.loads(line)["metric"] == "steps_per_s":
            return json.loads(line)["value"]
    print(f"failed: {' '.join(command)}\n{result.stderr[-2000:]}", file=sys.stderr)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="+", help="mlp_tiny, mlp128, cnn, resnet20, gpt1, ...")
    parser.add_argument("--device", default="pjrt:cuda", help="of Antler; JAX and PyTorch take the GPU that they find")
    parser.add_argument("--peers", type=pathlib.Path, required=True, help="the folder with worker.py")
    parser.add_argument("--python", default=sys.executable, help="with jax, optax and torch")
    parser.add_argument("--bench", default=str(ROOT / "build/bin/antler_bench"))
    parser.add_argument("--only", default="antler,jax,torch", help="which programs, in this order")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=20, help="per execution, and per JAX call")
    parser.add_argument("--compile", default="default", help="mode of torch.compile")
    parser.add_argument("--bf16", action="store_true", help="mixed bfloat16")
    parser.add_argument("--float32", action="store_true", help="no TensorFloat-32 anywhere")
    parser.add_argument("--timeout", type=int, default=300, help="seconds for one program")
    args = parser.parse_args()
    args.peers = args.peers.resolve()
    args.bench = str(pathlib.Path(args.bench).resolve())
    names = args.only.split(",")
    print(f"{'case':10}" + "".join(f"{name:>12}" for name in names) + "   antler / best peer   (steps per second)")
    for case in args.cases:
        figures = {name: [] for name in names}
        for _ in range(args.rounds):
            for name, command in programs(args, case).items():
                figure = steps_per_second(command, args)
                if figure is not None:
                    figures[name].append(figure)
        medians = {name: statistics.median(values) if values else 0 for name, values in figures.items()}
        best = max((medians[name] for name in names if name != "antler"), default=0)
        ratio = f"{medians.get('antler', 0) / best:.2f}" if best else "-"
        print(f"{case:10}" + "".join(f"{medians[name]:12.1f}" for name in names) + f"   {ratio}", flush=True)


if __name__ == "__main__":
    main()
