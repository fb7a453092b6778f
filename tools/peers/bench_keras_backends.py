#!/usr/bin/env python3
"""Times Keras programs on several backends, alternating, each in a separate process.

    bench_keras_backends.py [--backends antler jax tensorflow torch] [--models mlp cnn ...] [--rounds 3]

For each model and backend: the milliseconds of an epoch of `fit` (the median of five), of `predict`
for one sample, and of the first step (with tracing and compiling), and the seconds to import Keras.
`--steps` is steps_per_execution, which the torch backend does not have.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time


def data(model):
    import numpy as np

    rng = np.random.default_rng(0)
    if model == "tiny":
        return rng.random((20000, 4), "float32"), rng.integers(0, 3, 20000).astype("int32")
    if model == "mlp":
        return rng.random((12800, 784), "float32"), rng.integers(0, 10, 12800).astype("int32")
    if model == "cnn":
        return rng.random((1280, 28, 28, 1), "float32"), rng.integers(0, 10, 1280).astype("int32")
    tokens = rng.integers(0, 1000, (1280, 80)).astype("int32")
    return tokens, rng.integers(0, 10, 1280).astype("int32")


def network(keras, model):
    layers = keras.layers
    if model == "tiny":
        return [keras.Input((4,)), layers.Dense(16, "relu"), layers.Dense(3)]
    if model == "mlp":
        return [
            keras.Input((784,)),
            layers.Dense(128, "relu"),
            layers.Dropout(0.2),
            layers.Dense(10),
        ]
    if model == "cnn":
        return [
            keras.Input((28, 28, 1)),
            layers.Conv2D(32, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(64, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dropout(0.5),
            layers.Dense(10),
        ]
    if model == "lstm":
        body = [layers.LSTM(64)]
    else:
        body = [layers.Conv1D(64, 5, activation="relu"), layers.GlobalAveragePooling1D()]
    return [
        keras.Input((80,), dtype="int32"),
        layers.Embedding(1000, 64),
        *body,
        layers.Dense(10),
    ]


def measure(model, steps):
    """Runs in a process with KERAS_BACKEND."""
    start = time.perf_counter()
    import keras

    imported = time.perf_counter() - start
    x, y = data(model)
    keras.utils.set_random_seed(1)
    net = keras.Sequential(network(keras, model))
    net.compile(
        "adam",
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
        **({} if steps == 1 else {"steps_per_execution": steps}),
    )
    start = time.perf_counter()
    net.fit(x[:128], y[:128], batch_size=128, verbose=0)
    first = time.perf_counter() - start
    epochs = []
    for i in range(6):
        start = time.perf_counter()
        net.fit(x, y, batch_size=128, verbose=0)
        epochs.append(time.perf_counter() - start)
    single = []
    for i in range(12):
        start = time.perf_counter()
        net.predict(x[:1], verbose=0)
        single.append(time.perf_counter() - start)
    return {
        "epoch": 1e3 * statistics.median(epochs[1:]),
        "predict": 1e3 * statistics.median(single[2:]),
        "first": 1e3 * first,
        "import": imported,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backends", nargs="+", default=["antler", "jax", "tensorflow", "torch"])
    parser.add_argument("--models", nargs="+", default=["tiny", "mlp", "cnn", "lstm", "conv1d"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=1)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure, options.steps)))
        return
    for model in options.models:
        results = {backend: [] for backend in options.backends}
        for _ in range(options.rounds):
            for backend in options.backends:
                steps = 1 if backend == "torch" else options.steps
                done = subprocess.run(
                    [sys.executable, __file__, "--measure", model, "--steps", str(steps)],
                    env=dict(os.environ, KERAS_BACKEND=backend, TF_CPP_MIN_LOG_LEVEL="3"),
                    capture_output=True,
                    text=True,
                )
                if done.returncode:
                    sys.exit(done.stderr)
                results[backend].append(json.loads(done.stdout.splitlines()[-1]))
        for backend, runs in results.items():
            figures = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
            print(
                f"{model:7} {backend:11} epoch {figures['epoch']:8.1f} ms   first step "
                f"{figures['first']:7.0f} ms   predict {figures['predict']:6.2f} ms   import "
                f"{figures['import']:.2f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
