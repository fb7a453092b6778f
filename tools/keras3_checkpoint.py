#!/usr/bin/env python3
"""Writes tests/data/checkpoints/keras3.*: a tf.train.Checkpoint(model=...) of a trained Keras 3 model.

    KERAS_BACKEND=tensorflow python tools/keras3_checkpoint.py tests/data/checkpoints

Prints the sums of the optimizer's variables and the predictions that tests/training/checkpoint_test.cpp expects.
"""
import os
import sys

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(1)
inputs = keras.Input((3,), name="x")
inner = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, name="b")], name="inner")
hidden = keras.layers.BatchNormalization(name="norm")(keras.layers.Dense(4, name="a", activation="tanh")(inputs))
model = keras.Model(inputs, inner(hidden), name="m")
model.compile(keras.optimizers.Adam(0.125, amsgrad=True), "mse")
x = np.arange(12, dtype="float32").reshape(4, 3) / 12
model.fit(x, np.ones((4, 3), "float32"), epochs=3, batch_size=4, verbose=0)
model.optimizer.learning_rate = 0.0625
tf.train.Checkpoint(model=model).write(os.path.join(sys.argv[1], "keras3"))
for v in model.optimizer.variables:
    print(v.path, v.shape, float(np.sum(v.numpy(), dtype="float64")))
print(np.asarray(model(x)).tolist())
