#!/usr/bin/env python3
"""Trains one model_dir with Antler's and TensorFlow's Estimators alternately, and another with Antler alone: losses and variables
must be the same.

usage: alternate_estimators.py build/bin/tests/antler_estimator_training      needs TensorFlow 2.15, the last one with tf.estimator
"""
import glob
import os
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1

ROWS, COLUMNS = 16, 256
STEPS = 25  # in each run; each side runs four times
TOLERANCE = 1e-5


def model_fn(features, labels, mode):
    """That of tests/crash/estimator_training.cpp."""
    h = v1.layers.dense(features, COLUMNS, activation=tf.nn.tanh)
    loss = v1.losses.mean_squared_error(labels, v1.layers.dense(h, 1))
    train_op = v1.train.AdamOptimizer(1e-3).minimize(loss, v1.train.get_global_step())
    return v1.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    x = (np.arange(ROWS * COLUMNS) * 37 % 101).astype(np.float32).reshape(ROWS, COLUMNS) / np.float32(101)
    return tf.constant(x), tf.constant(x.mean(axis=1, keepdims=True))


def train_by_antler(program, folder, steps):
    subprocess.run([program, "train", folder, str(steps), "0"], check=True, stdout=subprocess.DEVNULL)


def train_by_tensorflow(folder, steps):
    config = v1.estimator.RunConfig(save_summary_steps=5, save_checkpoints_steps=10)
    v1.estimator.Estimator(model_fn, folder, config).train(input_fn, max_steps=steps)


def losses(folder):
    """By global step."""
    values = {}
    for path in sorted(glob.glob(os.path.join(folder, "events.out.tfevents.*"))):
        for event in v1.train.summary_iterator(path):
            for value in event.summary.value:
                if value.tag == "loss":
                    values[event.step] = value.simple_value
    return values


def variables(folder):
    reader = tf.train.load_checkpoint(folder)
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    v1.disable_eager_execution()
    with tempfile.TemporaryDirectory() as root:
        alone, shared = os.path.join(root, "alone"), os.path.join(root, "shared")
        for turn in range(1, 5):
            train_by_antler(sys.argv[1], alone, turn * STEPS)
            if turn % 2 == 1:
                train_by_antler(sys.argv[1], shared, turn * STEPS)
            else:
                train_by_tensorflow(shared, turn * STEPS)
        want, got = losses(alone), losses(shared)
        assert len(want) >= 4 and want.keys() == got.keys(), (sorted(want), sorted(got))
        worst = max(abs(want[step] - got[step]) for step in want)
        print(f"{len(want)} losses from {want[min(want)]:.6f} to {want[max(want)]:.6f}: largest difference {worst:.2g}")
        ours, theirs = variables(alone), variables(shared)
        assert ours.keys() == theirs.keys(), ours.keys() ^ theirs.keys()
        difference = max(np.abs(ours[name] - theirs[name]).max() for name in ours)
        print(f"{len(ours)} variables: largest difference {difference:.2g}")
        if max(worst, difference) > TOLERANCE:
            sys.exit(f"The difference exceeds {TOLERANCE}.")


main()
