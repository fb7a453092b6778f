#!/usr/bin/env python3
"""Writes tests/data/calibrated_layer_calls.json: layers quantized with GPTQ and AWQ by real Keras (3.15, TensorFlow).

    KERAS_BACKEND=tensorflow python3 tools/calibrated_layer_calls.py

Token ids 0, 1, ... go through an Embedding (and a Reshape) into the layer. The test uses the same formulas for weights:
    embedding, element j:           ((5 j + 3) mod 13 - 6) / 5 + j mod 7 / 10
    weight k of the layer, element: s ((7 j + 3 k) mod 11 + 2) / 20 + ((j j + k) mod 17 - 8) / 100, s = -1 for j mod 7 < 3, else 1
Keras 3.15's Model.quantize() never sees the inputs: it patches `call`, but a quantized layer runs another method. So this
script calls Keras's GPTQ and AWQ classes directly: first on the inputs, then on the layer. Keras's
GPTQ loop uses the inverse of the whole Hessian; the paper uses the inverse for the remaining inputs, and so does this
script. All groups contain both signs, because otherwise Keras's zero point overflows uint8.
"""
import types

import keras
import numpy as np
from keras import layers as L
from keras import quantizers as Q
from keras.src.quantizers import gptq
from keras.src.quantizers.awq import AWQ
from keras.src.quantizers.gptq import GPTQ

from golden import numbers, write_cases

TOKENS = 16


def embedding(shape):
    j = np.arange(int(np.prod(shape)))
    return (((5 * j + 3) % 13 - 6) / 5 + j % 7 / 10).reshape(shape).astype("float32")


def weight(k, shape):
    j = np.arange(int(np.prod(shape)))
    sign = np.where(j % 7 < 3, -1, 1)
    return (sign * ((7 * j + 3 * k) % 11 + 2) / 20 + ((j * j + k) % 17 - 8) / 100).reshape(shape).astype("float32")


def inverse_of_the_rest(order):
    """Replaces linalg.inv: entries (i, j), where i precedes j in the order, are those of the GPTQ paper."""

    def inverse(moments):
        h = np.asarray(moments, "float64")
        at = np.argsort(-np.diag(h).astype("float32"), kind="stable") if order else np.arange(len(h))
        result = np.zeros_like(h)
        for i in range(len(h)):
            result[at[i], at[i:]] = np.linalg.inv(h[np.ix_(at[i:], at[i:])])[0]
        return keras.ops.convert_to_tensor(result, "float32")

    return inverse


def case(case_id, layer, features, config, **options):
    config = config(dataset=None, tokenizer=None, num_samples=1, sequence_length=TOKENS, **options)
    entry = {"id": case_id, "class_name": type(layer).__name__, "features": features,
             "config": keras.saving.serialize_keras_object(layer)["config"]}
    x = keras.ops.reshape(embedding((TOKENS, int(np.prod(features)))), (1, TOKENS, *features))
    layer.build(x.shape)
    for k, w in enumerate(layer.weights):
        w.assign(weight(k, w.shape))
    layer.quantize(config=config)
    calibration = AWQ(layer, config) if config.mode == "awq" else GPTQ(layer, config)
    rows = keras.ops.reshape(x, (-1, calibration.rows))
    if config.mode == "awq":
        calibration.update_activation_magnitudes(rows)
        calibration.quantize_layer()
    else:
        calibration.update_hessian_with_batch(rows)
        gptq.linalg = types.SimpleNamespace(inv=inverse_of_the_rest(config.activation_order))
        calibration.quantize_and_correct_layer()
    entry["quantization_config"] = keras.saving.serialize_keras_object(config)
    entry["quantized_config"] = keras.saving.serialize_keras_object(layer)["config"]
    entry["weights"] = [w.name for w in layer.weights]
    y = layer(x)
    entry["output"] = numbers(keras.ops.cast(y, "float32"))[:40]
    entry["output_dtype"] = str(y.dtype.name)
    names = layer.variable_serialization_spec[config.mode]
    stored = [getattr(layer, name) for name in names if name != "bias" or layer.bias is not None]
    entry["store"] = [{"shape": list(w.shape), "dtype": str(w.dtype), "values": numbers(w)} for w in stored]
    return entry


def cases():
    by_gptq, by_awq = Q.GPTQConfig, Q.AWQConfig
    yield case("dense_gptq", L.Dense(5, activation="tanh"), [8], by_gptq)
    yield case("dense_gptq_groups", L.Dense(5), [11], by_gptq, group_size=4)
    yield case("dense_gptq_symmetric", L.Dense(5, use_bias=False), [11], by_gptq, weight_bits=8, group_size=4, symmetric=True)
    yield case("dense_gptq_order", L.Dense(5), [11], by_gptq, weight_bits=3, group_size=4, activation_order=True)
    yield case("dense_gptq_one_scale", L.Dense(5), [11], by_gptq, weight_bits=2, group_size=-1, per_channel=False,
               hessian_damping=0.1)
    yield case("dense_gptq_bfloat16", L.Dense(5, dtype="mixed_bfloat16"), [8], by_gptq, group_size=4)
    yield case("einsum_gptq", L.EinsumDense("abc,cde->abde", (None, 3, 3), bias_axes="de"), [8], by_gptq, group_size=4)
    yield case("einsum_gptq_two_sums", L.EinsumDense("abcd,cde->abe", (None, 9)), [2, 4], by_gptq, weight_bits=8,
               group_size=4)
    yield case("dense_awq", L.Dense(5, activation="tanh"), [8], by_awq)
    yield case("dense_awq_groups", L.Dense(5), [11], by_awq, group_size=4)
    yield case("einsum_awq", L.EinsumDense("abc,cde->abde", (None, 3, 3), bias_axes="de"), [8], by_awq, group_size=4,
               num_grid_points=7)
    yield case("einsum_awq_two_sums", L.EinsumDense("abcd,cde->abe", (None, 9)), [2, 4], by_awq, group_size=-1)


if __name__ == "__main__":
    write_cases("calibrated_layer_calls.json", f"Keras {keras.__version__}, TensorFlow", cases())
