#!/usr/bin/env python3
"""Writes small files in the formats of Keras's data sets, and what keras.datasets reads from them, to tests/data/keras_datasets.

usage: keras_datasets.py FOLDER    (needs Keras 3.15)
"""

import gzip
import io
import json
import pathlib
import pickle
import struct
import sys
import tarfile

import keras
import numpy as np
from keras.src.datasets import cifar


def sequences(rng, count):
    lists = [rng.integers(1, 30, size=rng.integers(1, 12)).tolist() for _ in range(count)]
    array = np.empty(count, dtype=object)
    array[:] = lists
    return array


def save_cifar(path, folder, batches):
    with tarfile.open(path, "w:gz", format=tarfile.USTAR_FORMAT) as archive:
        for name, batch in batches.items():
            content = pickle.dumps(batch, protocol=4)
            info = tarfile.TarInfo(f"{folder}/{name}")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))


def save_idx(path, array):
    header = struct.pack(f">HBB{array.ndim}I", 0, 8, array.ndim, *array.shape)
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        file.write(header + array.tobytes())


def main():
    folder = pathlib.Path(sys.argv[1])
    (folder / "fashion-mnist").mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(5)
    images = lambda n, side: rng.integers(0, 256, size=(n, side, side), dtype=np.uint8)
    labels = lambda n, classes: rng.integers(0, classes, size=n, dtype=np.uint8)
    # Six images of 4 x 4 pixels each, four of them for training.
    np.savez(folder / "mnist.npz", x_train=images(4, 4), y_train=labels(4, 10), x_test=images(2, 4), y_test=labels(2, 10))
    for part, n in (("train", 4), ("t10k", 2)):
        save_idx(folder / f"fashion-mnist/{part}-images-idx3-ubyte.gz", images(n, 4))
        save_idx(folder / f"fashion-mnist/{part}-labels-idx1-ubyte.gz", labels(n, 10))
    np.savez(folder / "boston_housing.npz", x=rng.normal(size=(11, 13)), y=rng.normal(size=11))
    np.savez(folder / "california_housing.npz", x=rng.normal(size=(605, 2)).astype("float32"), y=rng.normal(size=605).astype("float32"))
    np.savez(folder / "imdb.npz", x_train=sequences(rng, 9), y_train=rng.integers(0, 2, 9), x_test=sequences(rng, 7), y_test=rng.integers(0, 2, 7))
    np.savez(folder / "reuters.npz", x=sequences(rng, 15), y=rng.integers(0, 46, 15))
    words = {f"word{i}": i for i in range(1, 30)}
    for name in ("imdb", "reuters"):
        (folder / f"{name}_word_index.json").write_text(json.dumps(words))

    def batch(n, keys):
        # Few distinct pixels, so that the archive is small.
        data = np.repeat(rng.integers(0, 256, size=(n, 12), dtype=np.uint8), 256, axis=1)
        return {b"batch_label": b"a batch", b"data": data, **{key: labels(n, 10).tolist() for key in keys}}

    batches = {f"data_batch_{i}": batch(1, [b"labels"]) for i in range(1, 6)} | {"test_batch": batch(2, [b"labels"])}
    save_cifar(folder / "cifar-10-python.tar.gz", "cifar-10-batches-py", batches)
    both = [b"fine_labels", b"coarse_labels"]
    save_cifar(folder / "cifar-100-python.tar.gz", "cifar-100-python", {"train": batch(3, both), "test": batch(2, both)})

    # What Keras reads from these files.
    for module in (keras.src.datasets.imdb, keras.src.datasets.reuters, keras.src.datasets.boston_housing,
                   keras.src.datasets.california_housing):
        module.get_file = lambda fname, **_: str(folder / fname)
    expected = {}

    def add(name, result):
        (x, y), (x_test, y_test) = result
        flat = lambda a: [list(row) for row in a] if a.dtype == object else a.ravel().tolist()
        expected[name] = {"x": flat(x), "y": y.ravel().tolist(), "x_test": flat(x_test), "y_test": y_test.ravel().tolist()}

    add("imdb", keras.datasets.imdb.load_data())
    add("imdb of few words", keras.datasets.imdb.load_data(num_words=15, skip_top=4, maxlen=9, seed=3, oov_char=None))
    add("imdb without start", keras.datasets.imdb.load_data(num_words=20, start_char=None, oov_char=1, index_from=1))
    add("reuters", keras.datasets.reuters.load_data(test_split=0.4))
    add("reuters of few words", keras.datasets.reuters.load_data(num_words=15, maxlen=8))
    add("boston", keras.datasets.boston_housing.load_data())
    add("california", keras.datasets.california_housing.load_data("small", test_split=0.1, seed=1))
    (folder / "expected.json").write_text(json.dumps(expected))
    with tarfile.open(folder / "cifar-10-python.tar.gz") as archive:
        archive.extractall("/tmp/keras_datasets", filter="data")
    data, names = cifar.load_batch("/tmp/keras_datasets/cifar-10-batches-py/test_batch")
    pixels = data.transpose(0, 2, 3, 1)
    print("cifar10, test:", names, pixels[0, 0, 0].tolist(), pixels[1, 31, 31].tolist(), int(pixels.sum()))


main()
