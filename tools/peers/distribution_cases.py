#!/usr/bin/env python3
"""Prints the figures of tests/training/distribution_test.cpp: losses and weights of a fit under Keras 3's distributions, on four
virtual CPU devices of JAX. Needs keras and jax.

    distribution_cases.py
"""
import os

os.environ["KERAS_BACKEND"] = "jax"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
import keras
import numpy as np
from keras import distribution


def filled(shape, factor, modulus, shift, scale):
    numbers = np.arange(int(np.prod(shape))) * factor % modulus - shift
    return (numbers * scale).astype("float32").reshape(shape)


def columns_then_rows(batch, model):
    mesh = distribution.DeviceMesh((batch, model), ["batch", "model"], distribution.list_devices()[:batch * model])
    layouts = distribution.LayoutMap(mesh)
    layouts[".*up/kernel"] = (None, "model")
    layouts[".*up/bias"] = ("model",)
    layouts[".*down/kernel"] = ("model", None)
    return distribution.ModelParallel(layout_map=layouts, batch_dim_name="batch")


def fit(devices):
    distribution.set_distribution(devices)
    model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(4, activation="relu", name="up"),
                              keras.layers.Dense(2, name="down")])
    model.set_weights([filled((3, 4), 1, 5, 2, 0.1), filled((4,), 1, 100, 0, 0.05), filled((4, 2), 1, 3, 1, 0.2), np.zeros(2)])
    model.compile(keras.optimizers.Adam(0.05), "mse")
    history = model.fit(filled((8, 3), 7, 11, 5, 0.2), filled((8, 2), 5, 7, 3, 0.3), batch_size=4, epochs=3, shuffle=False, verbose=0)
    print(devices)
    print("losses", history.history["loss"])
    print("weights", [round(float(v), 7) for w in model.get_weights() for v in w.ravel()])


fit(None)
fit(distribution.DataParallel(devices=["cpu:0", "cpu:1"]))
for shape in [(1, 2), (1, 4), (2, 2)]:
    fit(columns_then_rows(*shape))
