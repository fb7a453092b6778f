#!/usr/bin/env python3
"""A convolutional network on MNIST: plain Keras, on Antler by `KERAS_BACKEND=antler`.

    KERAS_BACKEND=antler python mnist.py [--data FOLDER] [--epochs 3]

FOLDER has the four IDX files of MNIST; without it Keras downloads the data set.
"""

import argparse
import gzip
import pathlib

import keras
import numpy as np


def read_idx(folder, name):
    [path] = list(pathlib.Path(folder).glob(f"{name}*"))
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    rank = content[3]
    shape = np.frombuffer(content, ">i4", rank, 4)
    return np.frombuffer(content, "uint8", offset=4 + 4 * rank).reshape(shape)


def load(folder):
    if folder is None:
        (x, y), test = keras.datasets.mnist.load_data()
        return (x, y), test
    return tuple(
        (read_idx(folder, f"{part}-images"), read_idx(folder, f"{part}-labels"))
        for part in ("train", "t10k")
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data")
    parser.add_argument("--epochs", type=int, default=3)
    options = parser.parse_args()
    (x, y), (x_test, y_test) = load(options.data)

    keras.utils.set_random_seed(0)
    model = keras.Sequential(
        [
            keras.Input((28, 28, 1)),
            keras.layers.Rescaling(1 / 255),
            keras.layers.Conv2D(32, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Conv2D(64, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Flatten(),
            keras.layers.Dropout(0.5),
            keras.layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(x[..., None], y, batch_size=128, epochs=options.epochs, validation_split=0.1)
    loss, accuracy = model.evaluate(x_test[..., None], y_test, verbose=0)
    print(f"test accuracy {accuracy:.4f}, loss {loss:.4f}")


if __name__ == "__main__":
    main()
