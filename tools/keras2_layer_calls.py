#!/usr/bin/env python3
"""Writes tests/data/keras2_layer_calls.json: what tf_keras (Keras 2) computes for layers that Keras 3 does not have.

    KERAS_BACKEND=tensorflow python3 tools/keras2_layer_calls.py

Formulas and fields are those of layer_calls.py. Configurations are in Keras 3's form, which Antler writes.
"""
import keras
import tensorflow as tf
import tf_keras
from tf_keras import layers as L

from golden import make_input, make_weight, numbers, write_cases
from layer_calls import POSITIVE


def config_of(layer):
    """The configuration with objects and dtypes in Keras 3's form."""
    config = layer.get_config()
    config.pop("batch_input_shape", None)
    config["dtype"] = keras.layers.Layer(dtype=config["dtype"]).get_config()["dtype"]
    for key, value in config.items():
        if isinstance(value, tuple):
            config[key] = list(value)
        if key == "axis" and len(list(value)) == 1:
            config[key] = value[0]
        if isinstance(value, dict) and key.endswith("_initializer"):
            config[key] = keras.initializers.serialize(
                getattr(keras.initializers, value["class_name"])(**value["config"]))
    return config


def run(case_id, layer, shapes):
    xs = [make_input(k, s) for k, s in enumerate(shapes)]
    layer(xs[0])
    for k, w in enumerate(layer.weights):
        value = make_weight(k, w.shape)
        w.assign(value + 1 if w.name.split("/")[-1].removesuffix(":0") in POSITIVE else value)
    x = tf.constant(xs[0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        out = layer(x)
        loss = tf.reduce_mean(tf.square(out))
    gradients = tape.gradient(loss, [*layer.trainable_variables, x])
    return {
        "id": case_id,
        "class_name": layer.__class__.__name__,
        "config": config_of(layer),
        "inputs": [list(s) for s in shapes],
        "input_dtype": "float32",
        "training": False,
        "mask": None,
        "weights": [[w.name.split("/")[-1].removesuffix(":0"), list(w.shape)] for w in layer.weights],
        "output_shape": list(out.shape),
        "output": numbers(out),
        "state": [numbers(w) for w in layer.non_trainable_variables],
        "gradients": [numbers(g) for g in gradients],
    }


def cases():
    yield run("thresholded_re_lu", L.ThresholdedReLU(0.5), [(2, 7)])
    yield run("sync_batch_normalization", L.experimental.SyncBatchNormalization(momentum=0.9, epsilon=0.01), [(3, 4)])
    yield run("locally_connected1d", L.LocallyConnected1D(3, 2, strides=2, activation="tanh"), [(2, 7, 2)])
    yield run("locally_connected2d", L.LocallyConnected2D(2, (2, 3), strides=(1, 2)), [(2, 4, 7, 2)])
    yield run("locally_connected2d_no_bias", L.LocallyConnected2D(2, 2, use_bias=False), [(1, 3, 4, 1)])
    for implementation in (2, 3):
        yield run(f"locally_connected1d_{implementation}",
                  L.LocallyConnected1D(2, 3, strides=2, padding="same", implementation=implementation), [(2, 5, 2)])
        yield run(f"locally_connected2d_{implementation}",
                  L.LocallyConnected2D(2, (2, 3), implementation=implementation), [(2, 3, 4, 2)])
        yield run(f"locally_connected2d_{implementation}_channels_first",
                  L.LocallyConnected2D(3, 2, padding="same", data_format="channels_first",
                                       implementation=implementation), [(1, 2, 3, 2)])
    yield run("random_fourier_features", L.experimental.RandomFourierFeatures(4, "laplacian", 1.5), [(3, 5)])
    yield run("random_fourier_features_trainable",
              L.experimental.RandomFourierFeatures(4, scale=8.0, trainable=True), [(3, 5)])


if __name__ == "__main__":
    tf_keras.utils.set_random_seed(1)
    write_cases("keras2_layer_calls.json", f"tf_keras {tf_keras.__version__}, TensorFlow", cases())
