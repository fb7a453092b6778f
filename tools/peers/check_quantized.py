#!/usr/bin/env python3
"""Exchanges quantized models between Keras and Antler.

usage: KERAS_BACKEND=tensorflow|jax|torch check_quantized.py path/to/antler

Keras quantizes each model in each mode, trains it for float8, and saves it; `antler convert` reads the .keras file and
writes a .keras and a .weights.h5 file. Keras reads both: equal predictions and configurations.
Keras 3.15 does not save the zero points of GPTQ and AWQ and then cannot read its files; this script patches that.
"""
import json
import os
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
import keras
import numpy as np
from keras import layers as L
from keras import quantizers as Q

DATA = [np.arange(40) % 11]


def with_zero_points(method):
    def patched(layer):
        kernel, scale, zero = method(layer)
        return kernel, scale, layer.kernel_zero if layer.quantization_mode in ("gptq", "awq") else zero

    return patched


for kind in (L.Dense, L.EinsumDense):
    kind._get_kernel_with_merged_lora = with_zero_points(kind._get_kernel_with_merged_lora)
MODES = {
    "int8": Q.Int8QuantizationConfig(),
    "int8 weights": Q.Int8QuantizationConfig(activation_quantizer=None),
    "int4": Q.Int4QuantizationConfig(),
    "int4 blocks of 4": Q.Int4QuantizationConfig(block_size=4),
    "int4 channels": Q.Int4QuantizationConfig(block_size=None),
    "float8": Q.Float8QuantizationConfig(),
    "gptq": Q.GPTQConfig(DATA, str, num_samples=2, sequence_length=6),
    "gptq of 8 bits in groups": Q.GPTQConfig(DATA, str, weight_bits=8, num_samples=2, sequence_length=6, group_size=4),
    "awq": Q.AWQConfig(DATA, str, num_samples=2, sequence_length=6, group_size=4),
}


def dense(dtype):
    return keras.Sequential([keras.Input((20,)), L.Dense(13, "relu", dtype=dtype), L.Dense(4, dtype=dtype)])


def text(dtype):
    words = keras.Input((6,), dtype="int32")
    x = L.Embedding(11, 9, dtype=dtype)(words)
    x = L.EinsumDense("abc,cde->abde", (6, 2, 5), bias_axes="de", dtype=dtype)(x)
    return keras.Model(words, L.Dense(3, dtype=dtype)(L.Flatten()(x)))


def both_ways(dtype):
    words = keras.Input((6,), dtype="int32")
    embedding = L.ReversibleEmbedding(11, 9, tie_weights=False, dtype=dtype)
    return keras.Model(words, embedding(L.Dense(9, dtype=dtype)(embedding(words)), reverse=True))


def configs(model):
    return [json.dumps(keras.saving.serialize_keras_object(layer)["config"], sort_keys=True) for layer in model.layers]


def check(antler, folder, make, mode, dtype, lora):
    # For each check, so that all start alike.
    rng = np.random.default_rng(0)
    keras.utils.set_random_seed(1)
    model = make(dtype)
    x = rng.normal(size=(8, 20)).astype("float32") if make is dense else rng.integers(0, 11, (8, 6)).astype("int32")
    config = MODES[mode]
    if config.mode in ("gptq", "awq"):
        length = 20 if make is dense else 6
        # Calibration data is [1, tokens]: a model would reject that rank, its layers do not.
        blocks = model.layers if make is dense else [keras.Model(model.layers[1].output, model.output)]
        config.sequence_length = length
        config.quantization_layer_structure = {
            "pre_block_layers": [] if make is dense else [model.layers[1]], "sequential_blocks": blocks}
        model.quantize(config.mode, config=config, filters=lambda layer: isinstance(layer, (L.Dense, L.EinsumDense)))
        config.quantization_layer_structure = None
    else:
        model.quantize(config=config)
    if mode == "float8" and make is dense:
        model.compile("sgd", "mse", jit_compile=False)
        model.fit(x, np.ones((8, 4)), epochs=2, verbose=0)
    if lora:
        for layer in model.layers:
            layer.enable_lora(2)
    source = os.path.join(folder, "source.keras")
    model.save(source)
    model = keras.models.load_model(source)
    if lora:
        # Files contain LoRA weights merged into the kernel, so the second file of both sides is compared.
        model.save(source + ".again.keras")
        model = keras.models.load_model(source + ".again.keras")
    want = np.asarray(model.predict(x, verbose=0), "float32")
    for name in ("result.keras", "result.weights.h5"):
        path = os.path.join(folder, name)
        subprocess.run([antler, "convert", source, path], check=True, capture_output=True)
        if name.endswith(".keras"):
            got = keras.models.load_model(path)
            assert configs(got) == configs(model), f"{name}: configurations differ"
        else:
            got = keras.models.load_model(source)
            got.set_weights([np.zeros_like(w) for w in got.get_weights()])
            got.load_weights(path)
        off = np.abs(np.asarray(got.predict(x, verbose=0), "float32") - want).max() / (1 + np.abs(want).max())
        assert off < (3e-2 if dtype else 2e-5), f"{name}: predictions differ by {off}"
        os.remove(path)


def main():
    antler, failed = sys.argv[1], 0
    for make in (dense, text, both_ways):
        for mode in MODES:
            for dtype, lora in ((None, False), ("mixed_bfloat16", False), (None, True)):
                calibrated = mode.startswith(("gptq", "awq"))
                if (make is both_ways or lora) and (mode == "float8" or calibrated) or lora and make is not dense:
                    continue
                title = f"{make.__name__}, {mode}" + (f", {dtype}" if dtype else "") + (", LoRA" if lora else "")
                with tempfile.TemporaryDirectory() as folder:
                    try:
                        check(antler, folder, make, mode, dtype, lora)
                        print(f"ok      {title}", flush=True)
                    except Exception as error:
                        failed += 1
                        print(f"FAILED  {title}: {error}", flush=True)
    sys.exit(f"{failed} failed" if failed else 0)


if __name__ == "__main__":
    main()
