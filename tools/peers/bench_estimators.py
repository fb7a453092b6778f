#!/usr/bin/env python3
"""Times training with antler::estimator and with TensorFlow's estimator, alternating, and prints a table of the medians.

    bench_estimators.py ANTLER_BENCH [--cases mlp_tiny mlp cnn] [--pairs 5] [--threads 2] [--wrapper "chrt -r 5"]

Both train the same model on the same batches with TPUEstimator (use_tpu=False, 100 iterations per loop, otherwise default
settings), in separate processes. Measures the steps per second of train() without its start and first steps, and the seconds of
train(steps=1) on a folder that has a checkpoint. Either side fails if its loss does not go down. The table also has the overhead of
Antler's Estimator.train over its Model.fit. Needs TensorFlow 2.15, the last version with tf.estimator.
"""
import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

STEPS_PER_EXECUTION = 100
BATCHES = 100
RESTARTS = 7
# The batch sizes of benchmarks/cases.cpp, and the number of steps for TensorFlow.
CASES = {"mlp_tiny": dict(batch=64, steps=1500), "mlp": dict(batch=64, steps=800), "cnn": dict(batch=128, steps=200)}


def make_data(name):
    """The data of benchmarks/estimators.cpp: upper halves of a linear congruential generator, brighter for higher labels."""
    import numpy as np
    rows = CASES[name]["batch"] * BATCHES
    count = rows * 784 + rows
    factor = np.cumprod(np.full(count, 6364136223846793005, np.uint64))
    total = np.concatenate([np.ones(1, np.uint64), 1 + np.cumsum(factor[:-1], dtype=np.uint64)])
    numbers = (factor * np.uint64(1234) + total * np.uint64(1442695040888963407)) >> np.uint64(32)
    labels = (numbers[rows * 784:] % np.uint64(10)).astype(np.int32)
    x = ((numbers[:rows * 784] >> np.uint64(8)).astype(np.float32) * np.float32(2**-24)).reshape(rows, 784)
    x = x * np.float32(0.5) + labels[:, None].astype(np.float32) * np.float32(0.05)
    return x.reshape(rows, 28, 28, 1) if name == "cnn" else x, labels


def logits_of(name, x):
    import tensorflow as tf
    layers, relu = tf.compat.v1.layers, tf.nn.relu
    if name == "cnn":
        for filters in (32, 64):
            x = layers.max_pooling2d(layers.conv2d(x, filters, 3, activation=relu), 2, 2)
        x = layers.dropout(layers.flatten(x), 0.5, training=True)
    else:
        for width in ((64, 64) if name == "mlp_tiny" else (512, 512)):
            x = layers.dense(x, width, activation=relu)
    return layers.dense(x, 10)


def run_tensorflow(name, threads):
    """Prints the lines of `antler_bench estimator_NAME`, as far as TensorFlow has them."""
    import tensorflow as tf
    v1 = tf.compat.v1
    v1.disable_eager_execution()
    data, steps, batch = make_data(name), CASES[name]["steps"], CASES[name]["batch"]

    def model_fn(features, labels, mode, params):
        loss = v1.losses.sparse_softmax_cross_entropy(labels, logits_of(name, features))
        optimizer = v1.train.GradientDescentOptimizer(1e-2) if name == "mlp_tiny" else v1.train.AdamOptimizer(1e-3)
        return v1.estimator.tpu.TPUEstimatorSpec(mode, loss=loss, train_op=optimizer.minimize(loss, v1.train.get_global_step()))

    class Input(v1.train.SessionRunHook):
        """Feeds the data when the session is created: constants would be part of every graph that is written."""

        def input_fn(self, params):
            self.arrays = [v1.placeholder(array.dtype, array.shape) for array in data]
            dataset = tf.data.Dataset.from_tensor_slices(tuple(self.arrays)).repeat()
            dataset = dataset.batch(params["batch_size"], drop_remainder=True).prefetch(tf.data.AUTOTUNE)
            self.batches = v1.data.make_initializable_iterator(dataset)
            return self.batches.get_next()

        def after_create_session(self, session, coord):
            session.run(self.batches.initializer, dict(zip(self.arrays, data)))

    class Clock(v1.train.SessionRunHook):
        """Times the steps after the first ones, and keeps the losses of the first step and of every hundredth step."""
        step, started, ended, losses = 0, 0, 0, []

        def begin(self):
            self.loss = v1.losses.get_losses()[0]

        def before_run(self, run_context):
            return v1.train.SessionRunArgs(self.loss) if self.step % STEPS_PER_EXECUTION in (0, STEPS_PER_EXECUTION - 1) else None

        def after_run(self, run_context, run_values):
            self.step += 1
            self.ended = time.perf_counter()
            if run_values.results is not None:
                self.losses.append(run_values.results)
            if self.step == STEPS_PER_EXECUTION:
                self.started = self.ended

    def emit(metric, value, unit):
        print(json.dumps({"case": f"estimator_{name}", "peer": "tensorflow", "variant": f"spe={STEPS_PER_EXECUTION}", "metric": metric,
                          "value": value, "unit": unit, "threads": threads}), flush=True)

    with tempfile.TemporaryDirectory() as folder:
        session = v1.ConfigProto(inter_op_parallelism_threads=threads, intra_op_parallelism_threads=threads)
        config = v1.estimator.tpu.RunConfig(model_dir=folder, session_config=session,
                                            tpu_config=v1.estimator.tpu.TPUConfig(iterations_per_loop=STEPS_PER_EXECUTION))
        estimator = v1.estimator.tpu.TPUEstimator(model_fn, config=config, use_tpu=False, train_batch_size=batch)
        clock, source = Clock(), Input()
        estimator.train(source.input_fn, hooks=[source, clock], steps=steps)
        if not clock.losses[-1] < clock.losses[0]:
            raise SystemExit(f"The loss did not go down: {clock.losses}")
        emit("steps_per_s", (steps - STEPS_PER_EXECUTION) / (clock.ended - clock.started), "1/s")
        seconds = []
        for _ in range(RESTARTS):
            start = time.perf_counter()
            estimator.train(source.input_fn, hooks=[source], steps=1)
            seconds.append(time.perf_counter() - start)
        emit("restart", statistics.median(seconds), "s")


def figures(command, options):
    """The metrics that a process prints."""
    threads = options.threads
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
    done = subprocess.run(shlex.split(options.wrapper) + command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True, env=environment)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {line["metric"]: line["value"] for line in lines}


def measure(name, options):
    ours, theirs = [], []
    for _ in range(options.pairs):
        ours.append(figures([options.antler_bench, f"estimator_{name}", "--threads", str(options.threads)], options))
        theirs.append(figures([sys.executable, __file__, options.antler_bench, "--tensorflow", name, "--threads", str(options.threads)], options))

    def row(metric, better, scale, unit):
        a, b = [run[metric] * scale for run in ours], [run[metric] * scale for run in theirs]
        ratios = [better(x, y) for x, y in zip(a, b)]
        print(f"| {name}: {unit} | {statistics.median(a):,.4g} | {statistics.median(b):,.4g} | "
              f"{', '.join(f'{r:.3g}' for r in ratios)} | **{statistics.median(ratios):.3g}** |", flush=True)

    row("steps_per_s", lambda x, y: x / y, 1, "steps/s")
    row("restart", lambda x, y: y / x, 1e3, "`train(steps=1)`, ms")
    overhead = [run["overhead"] for run in ours]
    print(f"{name}: overhead of Estimator.train over Model.fit: {', '.join(f'{o:.1f}' for o in overhead)} %, "
          f"median {statistics.median(overhead):.1f} %", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("antler_bench", help="path of the antler_bench program")
    parser.add_argument("--cases", nargs="+", choices=list(CASES), default=list(CASES))
    parser.add_argument("--pairs", type=int, default=5, help="runs of either side")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--wrapper", default="", help="command to run each measurement under, such as 'chrt -r 5'")
    parser.add_argument("--tensorflow", metavar="CASE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.tensorflow:
        return run_tensorflow(options.tensorflow, options.threads)
    print("| case | Antler | TensorFlow | ratio of each pair | median |")
    print("|---|---|---|---|---|")
    for name in options.cases:
        measure(name, options)


if __name__ == "__main__":
    main()
