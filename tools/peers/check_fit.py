#!/usr/bin/env python3
"""Trains Keras models on MNIST with Keras and with `antler fit`, with samples in the same order. History, validation
metrics, weights and optimizer state must agree.

usage: KERAS_BACKEND=tensorflow|jax|torch check_fit.py path/to/antler FOLDER_WITH_MNIST [MODEL ...]
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
import keras
import numpy as np
from keras import layers as L
from keras import optimizers

TOLERANCE = 1e-4


def read_idx(path):
    with gzip.open(path) as file:
        data = file.read()
    shape = np.frombuffer(data, ">i4", data[3], 4)
    return np.frombuffer(data, "uint8", offset=4 + 4 * data[3]).reshape(shape)


# The convnet has smooth activations and no max pooling: with millions of elements per step, some are so close to a kink or a
# tie that rounding decides, and training diverges from there on. Keras's own backends then differ by 1e-3.
def mlp():
    return [L.Flatten(), L.Dense(64, "relu"), L.Dense(10, "softmax")], optimizers.SGD(0.01, momentum=0.9), 2


def adam():
    return [L.Flatten(), L.Dense(32, "relu"), L.Dense(10, "softmax")], optimizers.Adam(1e-3), 2


def convnet():
    return [
        L.Reshape((28, 28, 1)), L.Conv2D(8, 3, activation="gelu"), L.AveragePooling2D(2), L.BatchNormalization(),
        L.Conv2D(16, 3, activation="tanh"), L.AveragePooling2D(2), L.Flatten(), L.Dense(10, "softmax")], optimizers.SGD(0.02), 1


MODELS = {"mlp": mlp, "adam": adam, "convnet": convnet}


def values(model):
    """Yields (path, array) of the weights, then of the optimizer's variables."""
    for weight in [*model.weights, *model.optimizer.variables]:
        yield weight.path, keras.ops.convert_to_numpy(weight)


def check(antler, data, name, folder):
    keras.utils.set_random_seed(7)
    layers, optimizer, epochs = MODELS[name]()
    model = keras.Sequential([keras.Input((28, 28)), *layers])
    model.compile(optimizer=optimizer, loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    model.save(f"{folder}/{name}.keras")
    subprocess.run(
        [antler, "fit", f"{folder}/{name}.keras", data, "--epochs", str(epochs), "--batch-size", "128", "--no-shuffle",
         "--verbose", "0", "--out", f"{folder}/trained.keras", "--history", f"{folder}/history.json"],
        check=True, stdout=subprocess.DEVNULL)
    # `antler fit` scales MNIST's pixels to [0, 1].
    train, test = ([read_idx(f"{data}/{part}-images-idx3-ubyte.gz") / np.float32(255), read_idx(f"{data}/{part}-labels-idx1-ubyte.gz")]
                   for part in ("train", "t10k"))
    history = model.fit(*train, batch_size=128, epochs=epochs, shuffle=False, validation_data=tuple(test), verbose=0).history
    with open(f"{folder}/history.json") as file:
        ours = json.load(file)["history"]
    assert history.keys() == ours.keys(), (history.keys(), ours.keys())
    curves = max(np.abs(np.subtract(history[key], ours[key])).max() for key in history)
    trained = keras.models.load_model(f"{folder}/trained.keras")
    worst = max((float(np.abs(a.astype("float64") - b).max()), path)
                for (path, a), (_, b) in zip(values(model), values(trained), strict=True))
    good = curves < TOLERANCE and worst[0] < TOLERANCE
    print(f"{'ok  ' if good else 'FAIL'} {name}, {epochs} epochs: history {curves:.1e}, weights and optimizer {worst[0]:.1e} ({worst[1]})"
          f"; loss {history['loss'][-1]:.4f}, held-out accuracy {history['val_accuracy'][-1]:.4f}", flush=True)
    return good


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        results = [check(sys.argv[1], sys.argv[2], name, folder) for name in sys.argv[3:] or MODELS]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
