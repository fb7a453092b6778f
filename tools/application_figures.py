#!/usr/bin/env python3
"""Writes tests/data/applications.json: sizes and names of Keras 3's models of keras.applications.

    KERAS_BACKEND=tensorflow python3 tools/application_figures.py

For each model with default arguments and weights=None: the numbers of parameters, layers and weights, and the FNV-1a
hash of the layer names joined by newlines. The same without top, with pooling="avg", any input size, and alpha=0.5 if the
model has an alpha.
"""
import inspect
import json

import keras

from golden import DATA

NAMES = [n for n in dir(keras.applications) if n[0].isupper()]


def fnv1a(string):
    value = 0xCBF29CE484222325
    for byte in string.encode():
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
    (DATA / "applications.json").write_text('{"source": "Keras %s", "models": [\n' % keras.__version__ + ",\n".join(lines) + "\n]}\n")


if __name__ == "__main__":
    main()
