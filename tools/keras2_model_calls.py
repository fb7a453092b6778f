#!/usr/bin/env python3
"""Writes tests/data/keras2_model_calls.json: weights and losses of tf_keras's LinearModel, WideDeepModel and
SharpnessAwareMinimization after some steps.

    python3 tools/keras2_model_calls.py

Inputs and start values are formulas that the test has too: element i of array k is ((7 i + 3 k) mod 11 - 5) / 10.
"""
import json
import os
import pathlib

os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np
import tf_keras
from tf_keras import layers as L
from tf_keras.experimental import LinearModel, WideDeepModel
from tf_keras.models.experimental import SharpnessAwareMinimization


def array(k, *shape):
    i = np.arange(np.prod(shape))
    return (((7 * i + 3 * k) % 11 - 5) / 10).astype("float32").reshape(shape)


def start(model):
    """Start values, in the order of the weights."""
    for k, w in enumerate(model.weights):
        w.assign(array(20 + k, *w.shape))


def case(case_id, model, x, y, compile_arguments, batch_size, epochs=2, **fit_arguments):
    model.compile(**compile_arguments)
    model(x)
    start(model)
    history = model.fit(x, y, batch_size=batch_size, epochs=epochs, shuffle=False, verbose=0, **fit_arguments)
    found = {"id": case_id, "history": history.history,
             "weights": [{"shape": list(w.shape), "values": w.numpy().ravel().tolist()} for w in model.weights],
             "prediction": model.predict(x, verbose=0).ravel().tolist()}
    return found


def deep():
    return tf_keras.Sequential([L.Dense(3, activation="tanh", kernel_regularizer="l2"), L.Dense(2)])


def inner():
    return tf_keras.Sequential([L.Dense(3, activation="tanh", input_shape=(4,)), L.Dense(2)])


def cases():
    x, y = array(0, 8, 4), array(1, 8, 2)
    yield case("linear", LinearModel(2, "tanh", kernel_regularizer="l2"), x, y, dict(optimizer="sgd", loss="mse"), 4)
    yield case("linear_dict", LinearModel(2), {"b": x, "a": array(2, 8, 3)}, y,
               dict(optimizer=tf_keras.optimizers.SGD(0.1), loss="mse"), 4)
    yield case("linear_list", LinearModel(2, use_bias=False), [x, array(2, 8, 3)], y,
               dict(optimizer="adam", loss="mae", metrics=["mse"]), 4)
    yield case("wide_deep", WideDeepModel(LinearModel(2), deep(), "sigmoid"), [x, array(2, 8, 3)], y,
               dict(optimizer=[tf_keras.optimizers.SGD(0.1), tf_keras.optimizers.Adam(0.01)], loss="mse",
                    metrics=["mae"]), 4)
    yield case("wide_deep_one_optimizer", WideDeepModel(LinearModel(2), deep()), x, y,
               dict(optimizer=tf_keras.optimizers.SGD(0.1), loss="mse"), 4)
    yield case("sam", SharpnessAwareMinimization(inner(), 0.1), x, y,
               dict(optimizer=tf_keras.optimizers.SGD(0.1), loss="mse", metrics=["mae"]), 4)
    yield case("sam_splits", SharpnessAwareMinimization(inner(), num_batch_splits=2), x, y,
               dict(optimizer=tf_keras.optimizers.Adam(0.01), loss="mse"), 4,
               sample_weight=np.arange(1, 9, dtype="float32"))


def main():
    path = pathlib.Path(__file__).resolve().parent.parent / "tests/data/keras2_model_calls.json"
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases())
    path.write_text('{"source":"tf_keras %s, TensorFlow","cases":[\n%s\n]}\n' % (tf_keras.__version__, lines))


if __name__ == "__main__":
    main()
