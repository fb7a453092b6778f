#!/usr/bin/env python3
"""Writes tests/data/quantized_layer_calls.json: what real Keras (3.15, backend TensorFlow) computes for quantized layers.

    KERAS_BACKEND=tensorflow python3 tools/quantized_layer_calls.py

The test uses the same formulas: inputs are golden.make_input(0), weight k is golden.make_weight(k), and LoRA weight k is
set to a tenth of that after quantization. A case has the layer's configuration before and after quantization, the arrays
that it saves, its output, and the gradient of sum(output * (1 + j mod 3)) with respect to the input. A float8 case is
three steps of SGD on mean(output^2).
"""
import keras
import numpy as np
import tensorflow as tf
from keras import layers as L
from keras import quantizers as Q

from golden import formula, make_input, make_weight, numbers, write_cases


def config_of(layer):
    return keras.saving.serialize_keras_object(layer)["config"]


def store_of(layer):
    store = {}
    layer.save_own_variables(store)
    arrays = [np.asarray(store[str(i)]) for i in range(len(store))]
    return [{"shape": list(a.shape), "dtype": str(a.dtype), "values": numbers(a)} for a in arrays]


def set_weights(layer):
    for k, w in enumerate(layer.weights):
        w.assign(make_weight(k, w.shape))


def names(layer):
    return [w.name for w in layer.weights]


def call(layer, x, **options):
    with tf.GradientTape() as tape:
        if x.dtype.is_floating:
            tape.watch(x)
        y = layer(x, **options)
        weighted = tf.cast(y, "float32") * tf.reshape(1.0 + tf.cast(tf.range(tf.size(y)) % 3, "float32"), y.shape)
        loss = tf.reduce_sum(weighted)
    result = {"output": numbers(tf.cast(y, "float32")), "output_dtype": y.dtype.name}
    if x.dtype.is_floating:
        gradient = tape.gradient(loss, x)
        if gradient is not None:
            result["input_gradient"] = numbers(gradient)
    return result


def run(case_id, layer, shape, config, dtype="float32", lora=None, **options):
    x = tf.constant(make_input(0, shape, dtype))
    case = {"id": case_id, "class_name": type(layer).__name__, "input_shape": list(shape), "input_dtype": dtype,
            "arguments": options}
    case["config"] = config_of(layer)
    layer.build(tuple(shape))
    set_weights(layer)
    layer.quantize(config=config)
    case["quantization_config"] = keras.saving.serialize_keras_object(config)
    case["quantized_config"] = config_of(layer)
    case["lora"] = lora
    if lora:
        layer.enable_lora(lora)
        for k, w in enumerate(w for w in layer.weights if w.name.startswith("lora")):
            w.assign(formula(w.shape, 7, 3 * k, 11, 5, 100))
    case["weights"] = names(layer)
    case.update(call(layer, x, **options))
    case["store"] = store_of(layer)
    return case


def train(case_id, layer, shape):
    x = tf.constant(make_input(0, shape))
    case = {"id": case_id, "class_name": type(layer).__name__, "input_shape": list(shape), "input_dtype": "float32",
            "arguments": {}, "config": config_of(layer), "train": True, "lora": None}
    layer.build(tuple(shape))
    set_weights(layer)
    config = Q.Float8QuantizationConfig()
    layer.quantize(config=config)
    case["quantization_config"] = keras.saving.serialize_keras_object(config)
    case["quantized_config"] = config_of(layer)
    case["weights"] = names(layer)
    optimizer = keras.optimizers.SGD(0.5)
    optimizer.build(layer.trainable_variables)

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.cast(layer(x, training=True), "float32")))
        optimizer.apply(tape.gradient(loss, layer.trainable_variables), layer.trainable_variables)

    for k in range(3):
        step(x * (k + 1))
    case["optimizer_variables"] = [v.name for v in optimizer.variables]
    y = layer(x)
    case.update({"output": numbers(tf.cast(y, "float32")), "output_dtype": y.dtype.name})
    store = store_of(layer)
    for entry in store:
        if len(entry["values"]) == 1024:
            assert not any(entry["values"][1:1021])
            entry["tail"] = entry["values"][1021:]
            entry["values"] = entry["values"][:1]
    case["store"] = store
    return case


def cases():
    per_channel = Q.Int4QuantizationConfig(block_size=None)
    blocks = Q.Int4QuantizationConfig(block_size=2)
    int8 = Q.Int8QuantizationConfig()
    weights_only = Q.Int8QuantizationConfig(activation_quantizer=None)
    odd8 = Q.Int8QuantizationConfig(
        weight_quantizer=Q.AbsMaxQuantizer(axis=0, value_range=(-100, 100)),
        activation_quantizer=Q.AbsMaxQuantizer(value_range=(-63, 63)))
    inputs4 = Q.Int4QuantizationConfig(block_size=None, activation_quantizer=Q.AbsMaxQuantizer())
    for policy in ("float32", "mixed_bfloat16"):
        end = "" if policy == "float32" else "_bfloat16"
        for name, config in (("int8", int8), ("int8_weights", weights_only), ("int8_ranges", odd8),
                             ("int4", per_channel), ("int4_blocks", blocks), ("int4_inputs", inputs4),
                             ("int4_default", Q.Int4QuantizationConfig())):
            if end and name not in ("int8", "int4", "int4_blocks"):
                continue
            yield run(f"dense_{name}{end}", L.Dense(3, activation="tanh", dtype=policy), (2, 5), config)
            if name == "int8_ranges":
                continue
            yield run(f"einsum_{name}{end}", L.EinsumDense("abc,cde->abde", (None, 3, 2), bias_axes="de", dtype=policy),
                      (2, 2, 5), config)
            yield run(f"embedding_{name}{end}", L.Embedding(4, 5, dtype=policy), (2, 3), config, dtype="int32")
            for tied in (True, False):
                tie = "" if tied else "_untied"
                yield run(f"reversible{tie}_{name}{end}", L.ReversibleEmbedding(4, 5, tie_weights=tied, dtype=policy),
                          (2, 3), config, dtype="int32")
                yield run(f"reversible{tie}_{name}{end}_back",
                          L.ReversibleEmbedding(4, 5, tie_weights=tied, logit_soft_cap=2.0, dtype=policy), (2, 5),
                          config, reverse=True)
    yield run("dense_int4_sequence", L.Dense(4, use_bias=False), (2, 3, 5), per_channel)
    yield run("einsum_int4_two_sums", L.EinsumDense("abcd,cde->abe", (None, 3)), (2, 2, 2, 3), blocks)
    yield run("einsum_int4_last_first", L.EinsumDense("ab,cb->ac", 3), (2, 4), blocks)
    for name, config in (("int8", int8), ("int4", per_channel), ("int4_blocks", blocks)):
        yield run(f"dense_{name}_lora", L.Dense(3), (2, 5), config, lora=2)
        yield run(f"einsum_{name}_lora", L.EinsumDense("abc,cde->abde", (None, 3, 2), bias_axes="de"), (2, 2, 5),
                  config, lora=2)
        yield run(f"embedding_{name}_lora", L.Embedding(4, 5), (2, 3), config, dtype="int32", lora=2)
        yield run(f"reversible_{name}_lora", L.ReversibleEmbedding(4, 5, tie_weights=False), (2, 3), config,
                  dtype="int32", lora=2)
    for policy in ("float32", "mixed_bfloat16"):
        end = "" if policy == "float32" else "_bfloat16"
        yield train(f"dense_float8{end}", L.Dense(3, dtype=policy), (4, 5))
        yield train(f"einsum_float8{end}", L.EinsumDense("abc,cd->abd", (None, 3), bias_axes="d", dtype=policy),
                    (2, 2, 5))


if __name__ == "__main__":
    write_cases("quantized_layer_calls.json", f"Keras {keras.__version__}, TensorFlow {tf.__version__}", cases())
