"""A model trained with `antler fit` is bit-identical to the same model trained from Python.

If Keras computes a layer with other operations than Antler (recurrent layers, losses of
probabilities), the last bit may differ.
"""

import os
import pathlib
import subprocess

os.environ.setdefault("KERAS_BACKEND", "antler")

import keras
import numpy as np
import pytest
from keras import layers

# `./dev test` and `./dev build` put it there.
ANTLER = pathlib.Path(__file__).parents[2] / "build" / "bin" / "antler"

pytestmark = [
    pytest.mark.skipif(keras.backend.backend() != "antler", reason="KERAS_BACKEND is another"),
    pytest.mark.skipif(not ANTLER.exists(), reason="the command line is not built"),
]


def classifier():
    return (16,), [
        layers.Dense(64, activation="relu"),
        layers.BatchNormalization(),
        layers.Dense(3),
    ]


def convolutional():
    return (12, 12, 3), [
        layers.Conv2D(8, 3, activation="relu"),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dense(3),
    ]


@pytest.mark.parametrize("make", [classifier, convolutional])
def test_weights(tmp_path, make):
    keras.utils.set_random_seed(1)
    shape, stack = make()
    model = keras.Sequential([keras.Input(shape), *stack])
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    rng = np.random.default_rng(0)
    x = rng.normal(size=(96, *shape)).astype("float32")
    y = rng.integers(0, 3, size=96)
    model.save(tmp_path / "model.keras")
    np.savez(tmp_path / "data.npz", x=x, y=y)
    command = [ANTLER, "fit", "model.keras", "data.npz", "--out", "trained.keras"]
    command += ["--epochs", "2", "--no-shuffle", "--verbose", "0"]
    subprocess.run(command, cwd=tmp_path, check=True)
    trained = keras.saving.load_model(tmp_path / "trained.keras")
    model.fit(x, y, epochs=2, shuffle=False, verbose=0)
    for here, there in zip(model.weights, trained.weights, strict=True):
        np.testing.assert_array_equal(here.numpy(), there.numpy(), err_msg=here.path)
