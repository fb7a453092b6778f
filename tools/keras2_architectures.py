#!/usr/bin/env python3
"""Writes tests/data/keras2_architectures.json: configurations and predictions of models of tf_keras (Keras 2).

    python3 tools/keras2_architectures.py

The models use features that only Keras 2's configurations have. Inputs are golden.make_weight(0), (1), ..., weight k is
golden.make_weight(20 + k).
"""
import json
import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np
import tf_keras
from tf_keras import layers as L

from golden import make_weight, write_cases


def convolutions():
    x = L.Input((6, 6, 2))
    y = L.RandomFlip()(L.DepthwiseConv2D(2, depth_multiplier=2)(x))
    y = L.SpatialDropout2D(0.2)(L.SeparableConv2D(3, 2)(y))
    return tf_keras.Model(x, L.GlobalAveragePooling2D()(L.Conv2DTranspose(2, 2)(y)))


def states():
    x = L.Input((3, 2))
    y, h, c = L.LSTM(2, return_sequences=True, return_state=True)(x)
    y = L.Bidirectional(L.LSTM(2, return_sequences=True))(y, initial_state=[h, c, c, h])
    return tf_keras.Model(x, L.GRU(2)(y, initial_state=h))


def attention():
    q, v = L.Input((2, 3)), L.Input((4, 3))
    return tf_keras.Model([q, v], L.MultiHeadAttention(2, 2)(q, v))


def hard_sigmoids():
    x = L.Input((2, 3, 2))
    y = L.RNN(L.GRUCell(2, recurrent_activation="hard_sigmoid"))(L.Reshape((2, 4))(L.ConvLSTM1D(2, 2, return_sequences=True)(x)))
    return tf_keras.Model(x, L.Activation("hard_sigmoid")(L.Dense(3, "hard_sigmoid")(y)))


def case(model):
    for k, w in enumerate(model.weights):
        w.assign(make_weight(20 + k, w.shape))
    inputs = [make_weight(k, (2, *t.shape[1:])) for k, t in enumerate(model.inputs)]
    outputs = model(inputs if len(inputs) > 1 else inputs[0], training=False)
    return {"config": json.loads(model.to_json()), "inputs": [list(x.shape) for x in inputs],
            "output": np.asarray(outputs).ravel().tolist()}


if __name__ == "__main__":
    models = [make() for make in (convolutions, states, attention, hard_sigmoids)]
    write_cases("keras2_architectures.json", f"tf_keras {tf_keras.__version__}", map(case, models))
