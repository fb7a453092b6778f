#!/usr/bin/env python3
"""Loads the model_dir of examples/estimator/mnist_tpu_estimator.cpp into TensorFlow's Estimator, evaluates the model and
continues its training. The example can then be run again with the same folder, and continues from TensorFlow's checkpoint.

usage: continue_estimator_folder.py MODEL_DIR MNIST_DIR [STEPS]      needs TensorFlow 2.15, the last one with tf.estimator
"""
import gzip
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


def read_idx(folder, name, header):
    with gzip.open(os.path.join(folder, name + ".gz")) as file:
        return np.frombuffer(file.read()[header:], np.uint8)


def mnist(folder, part):
    images = read_idx(folder, f"{part}-images-idx3-ubyte", 16).reshape(-1, 28, 28, 1).astype(np.float32) / 255
    return images, read_idx(folder, f"{part}-labels-idx1-ubyte", 8).astype(np.int64)


def model_fn(features, labels, mode):
    layers = v1.layers
    with v1.variable_scope("sequential"):
        x = layers.conv2d(features, 32, 5, padding="same", activation=tf.nn.relu)
        x = layers.max_pooling2d(x, 2, 2)
        x = layers.conv2d(x, 64, 5, padding="same", activation=tf.nn.relu)
        x = layers.max_pooling2d(x, 2, 2)
        x = layers.dense(layers.flatten(x), 512, activation=tf.nn.relu)
        logits = layers.dense(layers.dropout(x, 0.4, training=mode == "train"), 10)
    loss = v1.losses.sparse_softmax_cross_entropy(labels, logits)
    metrics = {"accuracy": v1.metrics.accuracy(labels, tf.argmax(logits, -1))}
    train_op = v1.train.AdamOptimizer(1e-3).minimize(loss, v1.train.get_global_step()) if mode == "train" else None
    return v1.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    v1.disable_eager_execution()
    train, test = mnist(sys.argv[2], "train"), mnist(sys.argv[2], "t10k")
    estimator = v1.estimator.Estimator(model_fn, sys.argv[1])
    evaluate = lambda: v1.data.Dataset.from_tensor_slices(test).batch(1000)
    print("before", estimator.evaluate(evaluate))
    examples = lambda: v1.data.Dataset.from_tensor_slices(train).shuffle(len(train[1])).repeat().batch(128)
    estimator.train(examples, steps=int(sys.argv[3]) if len(sys.argv) > 3 else 20)
    print("after", estimator.evaluate(evaluate))


main()
