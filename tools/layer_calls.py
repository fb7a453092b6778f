#!/usr/bin/env python3
"""Writes tests/data/layer_calls.json: what real Keras (3.x, backend JAX) computes for small layers.

    KERAS_BACKEND=jax python3 tools/layer_calls.py

Inputs and weights follow formulas that the tests repeat, so that only configurations and results are stored:
    input k, element j:   ((5 j + 3 + k) mod 13 - 6) / 5          (integer inputs: (5 j + 3 + k) mod 4)
    weight k, element j:  ((7 j + 3 k) mod 11 - 5) / 10           (moving_variance: + 1)
Gradients are those of mean(square(output)), summed over outputs, by trainable weights and by inputs.
"""
import json
import pathlib

import numpy as np
import keras
from keras import layers as L


def formula(shape, a, b, modulus, offset, scale):
    j = np.arange(int(np.prod(shape)))
    return ((((a * j + b) % modulus) - offset) / scale).reshape(shape).astype("float32")


def make_input(k, shape, dtype):
    if dtype.startswith("int"):
        return (((5 * np.arange(int(np.prod(shape))) + 3 + k) % 4).reshape(shape)).astype(dtype)
    return formula(shape, 5, 3 + k, 13, 6, 5)


def numbers(x):
    return [float("%.8g" % v) for v in np.asarray(x, "float64").ravel()]


def run(case_id, layer, shapes, training=False, dtype="float32"):
    import jax

    xs = [make_input(k, s, dtype) for k, s in enumerate(shapes)]
    single = len(xs) == 1
    layer(xs[0] if single else xs)
    for k, w in enumerate(layer.weights):
        value = formula(w.shape, 7, 3 * k, 11, 5, 10)
        w.assign(value + 1 if w.name == "moving_variance" else value)
    trainable = [w.value for w in layer.trainable_variables]
    state = [w.value for w in layer.non_trainable_variables]

    def loss(trainable, xs):
        options = {"training": training} if "training" in layer.call_signature_parameters else {}
        out, new_state = layer.stateless_call(trainable, state, xs[0] if single else xs, **options)
        return (out.astype("float32") ** 2).mean(), (out, new_state)

    by = (0, 1) if dtype == "float32" else 0
    grads, (out, new_state) = jax.grad(loss, argnums=by, has_aux=True)(trainable, [jax.numpy.asarray(x) for x in xs])
    by_weights, by_inputs = grads if dtype == "float32" else (grads, [])
    return {
        "id": case_id,
        "class_name": layer.__class__.__name__,
        "config": layer.get_config(),
        "inputs": [list(s) for s in shapes],
        "input_dtype": dtype,
        "training": training,
        "weights": [[w.name, list(w.shape)] for w in layer.weights],
        "output_shape": list(out.shape),
        "output": numbers(out),
        "state": [numbers(s) for s in new_state],
        "gradients": [numbers(g) for g in by_weights] + [numbers(g) for g in by_inputs],
    }


def cases():
    yield run("dense", L.Dense(3), [(2, 4)])
    yield run("dense_rank3_relu_no_bias", L.Dense(2, activation="relu", use_bias=False), [(2, 3, 4)])
    yield run("dense_softmax", L.Dense(3, activation="softmax"), [(2, 4)])
    yield run("embedding", L.Embedding(4, 3), [(2, 3)], dtype="int32")
    yield run("conv1d_valid", L.Conv1D(2, 3), [(2, 6, 2)])
    yield run("conv1d_causal_dilated", L.Conv1D(2, 2, padding="causal", dilation_rate=2), [(1, 6, 2)])
    yield run("conv2d_same_strides", L.Conv2D(2, 3, strides=2, padding="same", activation="relu"), [(1, 5, 4, 2)])
    yield run("conv2d_groups_dilated", L.Conv2D(4, (2, 1), groups=2, dilation_rate=(2, 1)), [(1, 4, 2, 4)])
    yield run("conv2d_channels_first", L.Conv2D(2, 2, data_format="channels_first"), [(1, 2, 3, 3)])
    yield run("conv3d", L.Conv3D(1, 2, use_bias=False), [(1, 3, 2, 2, 2)])
    for name in ("MaxPooling", "AveragePooling"):
        snake = "max" if name == "MaxPooling" else "average"
        yield run(f"{snake}_pooling1d", getattr(L, name + "1D")(2), [(2, 5, 2)])
        yield run(f"{snake}_pooling2d_same", getattr(L, name + "2D")(3, strides=2, padding="same"), [(1, 4, 5, 2)])
        yield run(f"{snake}_pooling2d_channels_first", getattr(L, name + "2D")(2, data_format="channels_first"),
                  [(1, 2, 4, 4)])
        yield run(f"{snake}_pooling3d", getattr(L, name + "3D")((2, 1, 2)), [(1, 2, 2, 4, 2)])
    for name in ("GlobalMaxPooling", "GlobalAveragePooling"):
        snake = "global_max" if name == "GlobalMaxPooling" else "global_average"
        yield run(f"{snake}_pooling1d", getattr(L, name + "1D")(), [(2, 3, 2)])
        yield run(f"{snake}_pooling2d_keepdims", getattr(L, name + "2D")(keepdims=True), [(2, 2, 3, 2)])
        yield run(f"{snake}_pooling3d_channels_first", getattr(L, name + "3D")(data_format="channels_first"),
                  [(2, 2, 2, 1, 3)])
    yield run("flatten", L.Flatten(), [(2, 2, 3)])
    yield run("flatten_channels_first", L.Flatten(data_format="channels_first"), [(2, 2, 3, 2)])
    yield run("flatten_rank1", L.Flatten(), [(3,)])
    yield run("reshape_inferred", L.Reshape((3, -1)), [(2, 2, 6)])
    yield run("dropout_inference", L.Dropout(0.5), [(2, 3)])
    yield run("dropout_rate_one", L.Dropout(1.0), [(2, 3)], training=True)
    yield run("batch_normalization_inference", L.BatchNormalization(), [(3, 2)])
    yield run("batch_normalization_training", L.BatchNormalization(momentum=0.9), [(4, 3)], training=True)
    yield run("batch_normalization_images", L.BatchNormalization(epsilon=0.01), [(2, 2, 3, 2)], training=True)
    yield run("batch_normalization_axis1_no_scale", L.BatchNormalization(axis=1, scale=False), [(2, 2, 3)],
              training=True)
    yield run("batch_normalization_frozen", L.BatchNormalization(trainable=False), [(3, 2)], training=True)
    yield run("layer_normalization", L.LayerNormalization(), [(2, 3, 4)])
    yield run("layer_normalization_axes", L.LayerNormalization(axis=[1, 2], epsilon=0.01), [(2, 3, 2)])
    yield run("layer_normalization_axis1_no_center", L.LayerNormalization(axis=1, center=False), [(2, 3, 2)])
    yield run("activation_tanh", L.Activation("tanh"), [(2, 3)])
    yield run("re_lu_all", L.ReLU(max_value=0.9, negative_slope=0.1, threshold=0.3), [(2, 7)])
    yield run("re_lu", L.ReLU(), [(2, 7)])
    yield run("softmax", L.Softmax(), [(2, 4)])
    yield run("softmax_axis1", L.Softmax(axis=1), [(2, 3, 2)])
    yield run("rescaling", L.Rescaling(0.5, offset=-1.0), [(2, 3)])
    for name in ("Add", "Multiply", "Average", "Maximum", "Minimum"):
        yield run(name.lower(), getattr(L, name)(), [(2, 3), (2, 3), (2, 3)])
    yield run("add_broadcast", L.Add(), [(2, 3, 4), (2, 4), (2, 1, 4)])
    yield run("subtract", L.Subtract(), [(2, 3), (2, 3)])
    yield run("concatenate", L.Concatenate(), [(2, 3), (2, 2)])
    yield run("concatenate_axis1", L.Concatenate(axis=1), [(2, 3, 2), (2, 1, 2)])


def main():
    import jax

    path = pathlib.Path(__file__).parent.parent / "tests" / "data" / "layer_calls.json"
    lines = [json.dumps(c, separators=(",", ":")) for c in cases()]
    path.write_text('{"source": "Keras %s, JAX %s", "cases": [\n' % (keras.__version__, jax.__version__)
                    + ",\n".join(lines) + "\n]}\n")
    print(f"{len(lines)} cases, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
