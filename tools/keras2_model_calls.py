#!/usr/bin/env python3
"""Writes tests/data/keras2_model_calls.json: LinearModel, WideDeepModel and SharpnessAwareMinimization, trained by tf_keras.

    python3 tools/keras2_model_calls.py

Arrays are golden.make_weight(k), and weight k starts as golden.make_weight(20 + k); the test uses the same formulas.
"""
import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np
import tf_keras
from tf_keras import layers as L
from tf_keras.experimental import LinearModel, WideDeepModel
from tf_keras.models.experimental import SharpnessAwareMinimization

from golden import make_weight, write_cases


def array(k, *shape):
    return make_weight(k, shape)


def case(case_id, model, x, y, compile_arguments, batch_size, epochs=2, **fit_arguments):
    model.compile(**compile_arguments)
    model(x)
    for k, w in enumerate(model.weights):
        w.assign(array(20 + k, *w.shape))
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


if __name__ == "__main__":
    write_cases("keras2_model_calls.json", f"tf_keras {tf_keras.__version__}, TensorFlow", cases())
