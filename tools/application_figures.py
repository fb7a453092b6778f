#!/usr/bin/env python3
"""Writes tests/data/applications.json: sizes and names of the models of keras.applications, as Keras 3 makes them.

    KERAS_BACKEND=tensorflow python3 tools/application_figures.py

A line per model, with its defaults (weights=None): numbers of parameters, layers and weights, and the FNV-1a hash of the
names of its layers, joined by line ends; the same for a body without top (pooling "avg", any size, half the filters where
there is an alpha).
"""
import inspect
import json
import pathlib

import keras

NAMES = [n for n in dir(keras.applications) if n[0].isupper()]


def fnv1a(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def figures(name, **arguments):
    keras.backend.clear_session()
    model = getattr(keras.applications, name)(weights=None, **arguments)
    return {
        "model": model.name,
        "params": model.count_params(),
        "layers": len(model.layers),
        "weights": len(model.weights),
        "names": fnv1a("\n".join(layer.name for layer in model.layers)),
        "last": model.layers[-1].name,
    }


def main():
    lines = []
    for name in NAMES:
        takes_alpha = "alpha" in inspect.signature(getattr(keras.applications, name)).parameters
        body = figures(name, include_top=False, pooling="avg", **({"alpha": 0.5} if takes_alpha else {}))
        lines.append(json.dumps({"function": name, "whole": figures(name), "body": body}, separators=(",", ":")))
        print(lines[-1], flush=True)
    path = pathlib.Path(__file__).parent.parent / "tests" / "data" / "applications.json"
    path.write_text('{"source": "Keras %s", "models": [\n' % keras.__version__ + ",\n".join(lines) + "\n]}\n")


if __name__ == "__main__":
    main()
