#!/usr/bin/env python3
"""Exports Keras models with `antler convert` to ONNX, SavedModel and StableHLO, runs each and compares with Keras.

usage: check_exports.py path/to/antler [MODEL ...]      needs tensorflow, keras, onnxruntime and jax from PyPI
"""
import os
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import jax
import keras
import numpy as np
import onnxruntime
import tensorflow as tf
from jax._src.interpreters import mlir
from jaxlib import xla_client
from jaxlib.mlir import ir
from keras import layers as L

TOLERANCE = 1e-5


def sequential(shape, *layers, dtype=None):
    return keras.Sequential([keras.Input(shape, dtype=dtype), *layers])


def attention():
    x = keras.Input((6, 8))
    y = L.LayerNormalization()(L.Add()([L.MultiHeadAttention(2, 4)(x, x), x]))
    y = L.GroupNormalization(2)(L.Concatenate()([y, L.Dense(8, "gelu")(y)]))
    return keras.Model(x, L.Softmax(axis=1)(L.Reshape((4, 24))(L.Permute((2, 1))(y))))


def two_ends():
    left, right = keras.Input((4,), name="left"), keras.Input((3,), name="right")
    a, b = L.Dense(5, "relu")(left), L.Dense(5, "leaky_relu")(right)
    product = L.Multiply()([a, L.Subtract()([a, b])])
    return keras.Model([left, right], [L.Dense(2, name="one")(product), L.Maximum(name="two")([a, b])])


MODELS = {
    "mlp": lambda: sequential((6,), L.Dense(8, "gelu"), L.BatchNormalization(), L.Dense(4, "selu"), L.Dense(3, "softmax")),
    "cnn": lambda: sequential(
        (9, 9, 2), L.Conv2D(4, 3, padding="same", strides=2, activation="relu"), L.BatchNormalization(),
        L.DepthwiseConv2D(3), L.MaxPooling2D(2, padding="same"), L.AveragePooling2D(2, padding="same"), L.Flatten(), L.Dense(3)),
    "decoder": lambda: sequential(
        (8, 8, 4), L.SeparableConv2D(6, 3, padding="same"), L.Conv2D(4, 3, groups=2), L.Conv2D(3, 2, dilation_rate=2),
        L.Conv2DTranspose(3, 3, strides=2, padding="same"), L.UpSampling2D(2), L.ZeroPadding2D(1), L.Cropping2D(1),
        L.GlobalAveragePooling2D(), L.Dense(2, "tanh")),
    "line": lambda: sequential(
        (10, 3), L.Conv1D(4, 3, padding="causal", activation="swish"), L.MaxPooling1D(2), L.Conv1DTranspose(3, 2, strides=2),
        L.GlobalMaxPooling1D(), L.Dense(2, "softplus")),
    "volume": lambda: sequential((4, 5, 6, 2), L.Conv3D(3, 2, padding="same", activation="elu"), L.AveragePooling3D(2), L.GlobalMaxPooling3D()),
    "recurrent": lambda: sequential(
        (5, 3), L.LSTM(4, return_sequences=True), L.GRU(3, return_sequences=True, go_backwards=True),
        L.Bidirectional(L.SimpleRNN(3)), L.Dense(2, "sigmoid")),
    "text": lambda: sequential(
        (7,), L.Embedding(11, 4), L.LayerNormalization(), L.GlobalAveragePooling1D(), L.Dense(3, "log_softmax"), dtype="int32"),
    "attention": attention,
    "two_ends": two_ends,
}


def samples(rng, placeholder, count):
    shape = [count, *placeholder.shape[1:]]
    return rng.integers(0, 11, shape).astype("int32") if "int" in placeholder.dtype else rng.standard_normal(shape).astype("float32")


def run_onnx(path, names, arrays):
    session = onnxruntime.InferenceSession(path)
    return session.run(None, dict(zip(names, arrays)))


def run_saved_model(path, names, arrays, outputs):
    loaded = tf.saved_model.load(path)
    result = loaded.signatures["serving_default"](**{n: tf.constant(a) for n, a in zip(names, arrays)})
    return [result[name].numpy() for name in outputs]


def run_stablehlo(path, arrays):
    """Compiles the module with JAX; @main takes the inputs in order."""
    device = jax.devices("cpu")[0]
    with mlir.make_ir_context():
        with open(path, encoding="utf-8") as file:
            module = ir.Module.parse(file.read())
        program = device.client.compile_and_load(module, xla_client.DeviceList((device,)), xla_client.CompileOptions())
    results = program.execute_sharded([jax.device_put(a, device) for a in arrays])
    return [np.asarray(shards[0]) for shards in results.disassemble_into_single_device_arrays()]


def check(antler, name, folder):
    # For each model, so that a failure comes again if the model is checked alone.
    rng = np.random.default_rng(0)
    keras.utils.set_random_seed(1)
    model = MODELS[name]()
    for weight in model.weights:
        weight.assign(weight.numpy() + 0.1 * np.abs(rng.standard_normal(weight.shape)))
    model.save(f"{folder}/{name}.keras")
    arrays = [samples(rng, t, 5) for t in model.inputs]
    expected = model(arrays if len(arrays) > 1 else arrays[0], training=False)
    expected = [np.asarray(e) for e in (expected if isinstance(expected, (list, tuple)) else [expected])]
    inputs = [layer.name for layer in model.layers if isinstance(layer, L.InputLayer)]
    inputs = inputs or [model._functional.layers[0].name]
    outputs = getattr(model, "output_names", None) or model._functional.output_names
    good = True
    runs = {
        "onnx": lambda path: run_onnx(path, inputs, arrays),
        "savedmodel": lambda path: run_saved_model(path, inputs, arrays, outputs),
        "mlir": lambda path: run_stablehlo(path, arrays),
    }
    for kind, run in runs.items():
        path = f"{folder}/{name}.{kind}"
        subprocess.run([antler, "convert", f"{folder}/{name}.keras", path, "--batch-size", "5"], check=True)
        got = run(path)
        error = max(float(np.abs(g - e).max()) for g, e in zip(got, expected, strict=True))
        good = good and error < TOLERANCE
        print(f"{'ok  ' if error < TOLERANCE else 'FAIL'} {name} {kind}: largest difference {error:.1e}")
    return good


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        results = [check(sys.argv[1], name, folder) for name in sys.argv[2:] or MODELS]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
