#!/usr/bin/env python3
"""Exchanges models with the layers of Keras 2 (tf_keras), also nested ones, between tf_keras and Antler.

usage: check_keras2.py path/to/antler [MODEL ...]      needs tensorflow and tf_keras from PyPI

For each model, with perturbed weights:
  read      `antler predict` reads tf_keras's .keras, .h5 and SavedModel: equal predictions
  weights   `antler convert --weights` loads tf_keras's .weights.h5, older .h5 and TensorFlow checkpoint into a model with
            other weights: equal predictions
  written   tf_keras reads the .h5 that `antler convert` writes, and loads its .weights.h5 and checkpoint
"""
import os
import subprocess
import sys
import tempfile

os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
import warnings

import numpy as np
import tf_keras as k
from tf_keras import layers as L

warnings.filterwarnings("ignore", message=".*HDF5 file.*")
TOLERANCE = 2e-5


def seq(shape, *layers, dtype=None):
    return k.Sequential([L.InputLayer(shape, dtype=dtype), *layers])


def block(name, units=4):
    x = L.Input((4,))
    return k.Model(x, L.Add()([L.Dense(units, "relu")(x), x]), name=name)


def functional_in_sequential():
    return seq((4,), L.Dense(4), block("one"), L.BatchNormalization(), block("two"), L.Dense(2))


def sequential_in_functional():
    tower = k.Sequential([L.Dense(6, "relu"), L.BatchNormalization(), L.Dense(4)], name="tower")
    a, b = L.Input((4,), name="a"), L.Input((4,), name="b")
    return k.Model([a, b], L.Dense(2)(L.Concatenate()([tower(a), tower(b), block("shared")(b)])))


def three_deep():
    inside = k.Sequential([L.InputLayer((4,)), L.Dense(4), block("deepest"), L.LayerNormalization()], name="inside")
    x = L.Input((4,))
    middle = k.Model(x, L.Multiply()([inside(x), L.Dense(4)(x)]), name="middle")
    return seq((4,), middle, L.Dense(3, "softmax"))


def frozen_base():
    base = k.Sequential([L.InputLayer((4,)), L.Dense(5, "relu"), L.BatchNormalization(), L.Dense(4)], name="base")
    base.trainable = False
    x = L.Input((4,))
    return k.Model(x, L.Dense(2)(L.BatchNormalization()(base(x))))


def partly_frozen():
    inner = k.Sequential([L.InputLayer((4,)), L.Dense(4, trainable=False), L.Dense(4), L.BatchNormalization()], name="inner")
    return seq((4,), L.Dense(4, trainable=False), inner, L.Dense(2))


def cells():
    x = L.Input((5, 3))
    y = L.RNN([L.LSTMCell(4), L.GRUCell(3, reset_after=False), L.SimpleRNNCell(3)], return_sequences=True)(x)
    lstm, h, c = L.LSTM(3, return_state=True)(y)
    return k.Model(x, L.Dense(1)(L.Concatenate()([lstm, c, L.GRU(3)(y, initial_state=h)])))


def attentions():
    q, v = L.Input((4, 6), name="q"), L.Input((5, 6), name="v")
    y = L.Concatenate()([L.Attention(use_scale=True)([q, v]), L.AdditiveAttention()([q, v]), L.MultiHeadAttention(2, 3)(q, v)])
    return k.Model([q, v], L.Dense(2)(L.Flatten()(y)))


def merges():
    x = L.Input((4, 5))
    a, b = L.Dense(5, "tanh")(x), L.Dense(5, "softsign")(x)
    y = [L.Subtract()([a, b]), L.Maximum()([a, b]), L.Minimum()([a, b]), L.Average()([a, b]), L.Dot(axes=2)([a, b])]
    return k.Model(x, L.Dense(2)(L.Flatten()(L.Concatenate()(y))))


def operators():
    x = L.Input((4,))
    y = L.Dense(4)(x) * 2.0 + x
    return k.Model(x, L.Dense(2)(y - 1.0))


def lookup():
    x = L.Input((5,), dtype="int64")
    y = L.Embedding(9, 4)(L.IntegerLookup(vocabulary=[1, 2, 4, 6, 7, 8], num_oov_indices=2)(x))
    return k.Model(x, L.Dense(3)(L.Concatenate()([L.Flatten()(y), L.CategoryEncoding(11, output_mode="multi_hot")(x)])))


def table():
    x = L.Input((3,))
    normal = L.Normalization()
    normal.adapt(np.random.default_rng(1).standard_normal((50, 3)) * 4 + 2)
    bins = L.CategoryEncoding(4, output_mode="one_hot")(L.Discretization(bin_boundaries=[-1.0, 0.0, 1.0])(L.Dense(1)(x)))
    return k.Model(x, L.Dense(1)(L.Concatenate()([normal(x), bins])))


def many_outputs():
    x = L.Input((4,), name="x")
    inner = k.Model(x, [L.Dense(3, name="p")(x), L.Dense(2, name="q")(x)], name="fork")
    p, q = inner(x)
    return k.Model(x, [L.Dense(2, name="one")(p), L.Concatenate(name="two")([p, q])])


MODELS = {
    "dense": lambda: seq((6,), L.Dense(8, "gelu"), L.BatchNormalization(), L.Dense(4, "selu"), L.Dense(3, "softmax", use_bias=False)),
    "conv2d": lambda: seq((9, 9, 4), L.Conv2D(4, 3, strides=2, padding="same", groups=2), L.BatchNormalization(), L.MaxPooling2D(2, 1, padding="same"),
                          L.Conv2D(3, 2, dilation_rate=2), L.AveragePooling2D(2, 1), L.Flatten(), L.Dense(2)),
    "depthwise": lambda: seq((8, 8, 4), L.DepthwiseConv2D(3, depth_multiplier=2), L.SeparableConv2D(6, 3, padding="same"), L.GlobalAveragePooling2D(), L.Dense(2)),
    "depthwise1d": lambda: seq((8, 4), L.DepthwiseConv1D(3), L.SeparableConv1D(6, 3), L.GlobalAveragePooling1D(), L.Dense(2)),
    "transposed": lambda: seq((4, 4, 2), L.Conv2DTranspose(3, 3, strides=2, padding="same"), L.UpSampling2D(2, interpolation="bilinear"), L.ZeroPadding2D(1),
                              L.Cropping2D(1), L.GlobalMaxPooling2D()),
    "conv1d": lambda: seq((10, 3), L.Conv1D(4, 3, padding="causal", activation="swish"), L.MaxPooling1D(2), L.Conv1DTranspose(3, 2, strides=2),
                          L.UpSampling1D(2), L.ZeroPadding1D(1), L.Cropping1D(1), L.GlobalMaxPooling1D(), L.Dense(2, "softplus")),
    "conv3d": lambda: seq((4, 5, 6, 2), L.Conv3D(3, 2, padding="same", activation="elu"), L.AveragePooling3D(2), L.Conv3DTranspose(2, 2), L.ZeroPadding3D(1),
                          L.UpSampling3D(2), L.Cropping3D(1), L.MaxPooling3D(2), L.GlobalMaxPooling3D(), L.Dense(2)),
    "local": lambda: seq((8, 4), L.LocallyConnected1D(3, 2), L.GlobalAveragePooling1D(), L.Dense(2)),
    "lstm": lambda: seq((5, 3), L.LSTM(4, return_sequences=True, dropout=0.1), L.LSTM(3, go_backwards=True), L.Dense(2)),
    "gru": lambda: seq((5, 3), L.GRU(4, return_sequences=True), L.GRU(3, reset_after=False, return_sequences=True), L.SimpleRNN(3), L.Dense(2)),
    "bidirectional": lambda: seq((5, 3), L.Bidirectional(L.LSTM(3, return_sequences=True), merge_mode="sum"), L.Bidirectional(L.GRU(3)), L.Dense(2)),
    "other_way": lambda: seq((5, 3), L.Bidirectional(L.LSTM(3), backward_layer=L.GRU(4, go_backwards=True)), L.Dense(2)),
    "stateful": lambda: k.Sequential([L.InputLayer((5, 3), batch_size=4), L.LSTM(3, stateful=True), L.Dense(2)]),
    "text": lambda: seq((7,), L.Embedding(9, 4, mask_zero=True), L.Bidirectional(L.LSTM(4)), L.Dense(3), dtype="int32"),
    "conv_lstm": lambda: seq((3, 5, 5, 2), L.ConvLSTM2D(3, 2, padding="same", return_sequences=True), L.Bidirectional(L.ConvLSTM2D(2, 2)), L.Flatten(), L.Dense(2)),
    "distributed": lambda: seq((4, 6, 6, 1), L.TimeDistributed(L.Conv2D(2, 3)), L.TimeDistributed(seq((4, 4, 2), L.Flatten(), L.Dense(5))), L.Masking(0.0),
                               L.GRU(3), L.Dense(1)),
    "norms": lambda: seq((6, 4), L.GroupNormalization(2), L.Dense(6), L.UnitNormalization(), L.LayerNormalization(axis=[1, 2]),
                         L.Flatten(), L.Dense(2)),
    "shapes": lambda: seq((4, 6), L.EinsumDense("abc,cd->abd", (None, 5), bias_axes="d"), L.Permute((2, 1)), L.Reshape((10, 2)), L.Flatten(), L.RepeatVector(3),
                          L.Dense(2)),
    "activations": lambda: seq((5,), L.Dense(6), L.PReLU(), L.LeakyReLU(0.2), L.ELU(0.7), L.ThresholdedReLU(0.1), L.Dense(6, "hard_sigmoid"), L.Activation("swish"),
                               L.ReLU(2.0, 0.1), L.Dense(3), L.Softmax()),
    "drops": lambda: seq((6, 4), L.SpatialDropout1D(0.2), L.GaussianNoise(0.1), L.GaussianDropout(0.2), L.AlphaDropout(0.1), L.Dropout(0.3), L.ActivityRegularization(0.1),
                         L.Flatten(), L.Dense(2, kernel_regularizer="l2", bias_constraint="non_neg")),
    "images": lambda: seq((10, 10, 3), L.Rescaling(0.5, -0.1), L.Resizing(8, 8), L.CenterCrop(6, 6), L.RandomFlip(), L.RandomRotation(0.1), L.RandomZoom(0.1),
                          L.RandomTranslation(0.1, 0.1), L.RandomContrast(0.2), L.RandomBrightness(0.1), L.Conv2D(2, 3), L.Flatten(), L.Dense(2)),
    "cells": cells,
    "attentions": attentions,
    "merges": merges,
    "operators": operators,
    "lookup": lookup,
    "table": table,
    "many_outputs": many_outputs,
    "functional_in_sequential": functional_in_sequential,
    "sequential_in_functional": sequential_in_functional,
    "three_deep": three_deep,
    "frozen_base": frozen_base,
    "partly_frozen": partly_frozen,
    "mobilenet": lambda: seq((32, 32, 3), k.applications.MobileNetV2((32, 32, 3), alpha=0.35, include_top=False, weights=None, pooling="avg"), L.Dense(2)),
}
# Known limitations.
KNOWN = {
    # Keras 3 cannot read calls with states in Keras 2's form.
    "cells": {"written our.h5"},
    # tf_keras needs input shapes in the configuration, which Keras 3 rejects; its weight files name the parts differently.
    "attentions": {"written our.h5", "written our.weights.h5"},
    # TFOpLambda calls a TensorFlow function, which Antler can only run as part of a graph.
    "operators": {"read whole.keras", "read whole.h5", "weights new.weights.h5", "weights old.h5", "weights tf.ckpt", "weights whole.savedmodel",
                  "written our.h5", "written our.weights.h5", "written our.ckpt"},
}


def listed(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


class Check:
    def __init__(self, antler, name, folder):
        self.antler, self.name, self.folder, self.failures, self.worst = antler, name, folder, [], 0.0
        # For each model, so that a failure comes again if the model is checked alone.
        self.rng = np.random.default_rng(0)
        k.utils.set_random_seed(3)
        self.model = MODELS[name]()
        self.shake(self.model)
        rows = self.model.inputs[0].shape[0] or 6
        self.x = [self.rng.integers(0, 9, (rows, *t.shape[1:])).astype(t.dtype.as_numpy_dtype) if t.dtype.is_integer
                  else self.rng.standard_normal((rows, *t.shape[1:])).astype("float32") for t in self.model.inputs]
        np.savez(self.path("x.npz"), **dict(zip([t.name for t in self.model.inputs], self.x))) if len(self.x) > 1 else np.save(self.path("x.npy"), self.x[0])
        self.expected = self.predictions(self.model)

    def path(self, file):
        return f"{self.folder}/{self.name}_{file}"

    def shake(self, model):
        for w in model.weights:
            # Normalization caches constants derived from its weights.
            if w.dtype.is_floating and w.name.split("/")[-1] not in ("mean:0", "variance:0"):
                w.assign(np.asarray(w) + 0.1 * np.abs(self.rng.standard_normal(w.shape)))

    def predictions(self, model):
        model.reset_states()
        return [np.asarray(p) for p in listed(model(self.x if len(self.x) > 1 else self.x[0], training=False))]

    def run(self, *arguments):
        done = subprocess.run([self.antler, *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"antler {arguments[0]}: {done.stderr.strip() or done.stdout.strip()}")

    def antlers_predictions(self, model):
        several = len(self.expected) > 1
        out = self.path("p.npz" if several else "p.npy")
        self.run("predict", model, self.path("x.npz" if len(self.x) > 1 else "x.npy"), "--out", out, "--batch-size", str(len(self.x[0])))
        found = np.load(out)
        return [found[n] for n in found.files] if several else [found]

    def part(self, what, predictions):
        try:
            got = predictions()
            if [p.shape for p in got] != [p.shape for p in self.expected]:
                raise ValueError(f"expected shapes {[p.shape for p in self.expected]}, got {[p.shape for p in got]}")
            error = max(float(np.max(np.abs(a - b)) / max(1.0, np.max(np.abs(b)))) for a, b in zip(got, self.expected))
            self.worst = max(self.worst, error)
            if not error <= TOLERANCE:
                raise ValueError(f"predictions differ by {error:.1e}")
        except Exception as error:
            if what in KNOWN.get(self.name, ()):
                return
            self.failures.append(f"{what}: {type(error).__name__}: {str(error)[:500]}")

    def other(self):
        k.utils.set_random_seed(4)
        model = MODELS[self.name]()
        self.shake(model)
        return model

    def by_antler(self, weights):
        self.run("convert", self.path("other.keras"), self.path("mixed.keras"), "--weights", self.path(weights))
        return self.antlers_predictions(self.path("mixed.keras"))

    def by_keras(self, weights):
        model = self.other()
        status = model.load_weights(self.path(weights))
        if status is not None:
            status.assert_existing_objects_matched()
        return self.predictions(model)

    def all(self):
        for file in ("whole.keras", "whole.h5"):
            self.model.save(self.path(file))
        self.model.save(self.path("whole.savedmodel"), save_format="tf")
        for file in ("whole.keras", "whole.h5", "whole.savedmodel"):
            self.part(f"read {file}", lambda file=file: self.antlers_predictions(self.path(file)))
        self.model.save_weights(self.path("new.weights.h5"))
        self.model.save_weights(self.path("old.h5"))
        self.model.save_weights(self.path("tf.ckpt"))
        self.other().save(self.path("other.keras"))
        for file in ("new.weights.h5", "old.h5", "tf.ckpt", "whole.savedmodel"):
            self.part(f"weights {file}", lambda file=file: self.by_antler(file))

        def written(file):
            self.run("convert", self.path("whole.keras"), self.path(file))
            return self.predictions(k.models.load_model(self.path(file), compile=False)) if file == "our.h5" else self.by_keras(file)
        for file in ("our.h5", "our.weights.h5", "our.ckpt"):
            self.part(f"written {file}", lambda file=file: written(file))
        return self.failures


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    failed = []
    for name in sys.argv[2:] or MODELS:
        k.backend.clear_session()
        with tempfile.TemporaryDirectory() as folder:
            check = Check(sys.argv[1], name, folder)
            failures = check.all()
        print(f"{'FAIL' if failures else 'ok  '} {name:26} {check.worst:.1e}", flush=True)
        for failure in failures:
            print(f"       {failure}", flush=True)
        failed += [name] if failures else []
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
