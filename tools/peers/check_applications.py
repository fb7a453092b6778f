#!/usr/bin/env python3
"""Compares Antler's models of keras.applications with Keras's.

usage: check_applications.py path/to/antler [MODEL ...]

Keras creates each model for small images, with random weights and with normalization statistics that keep activations in
range, and saves the weights. Antler creates the same model, loads them and predicts. Configurations must be equal and
predictions must agree within 2e-5. The largest models need 8 GB of memory.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import numpy as np
import keras

NAMES = [n for n in dir(keras.applications) if n[0].isupper()]
CLASSES = 10
TOLERANCE = 2e-5
SMALLEST = {"InceptionV3": 75, "InceptionResNetV2": 75, "Xception": 71}


def size_of(name):
    return SMALLEST.get(name, 64)


def randomized(name):
    keras.backend.clear_session()
    size = size_of(name)
    model = getattr(keras.applications, name)(weights=None, input_shape=(size, size, 3), classes=CLASSES)
    rng = np.random.default_rng(1)
    for w in model.weights:
        if "gamma" in w.path or "variance" in w.path:
            w.assign(rng.uniform(0.8, 1.2, w.shape))
        elif len(w.shape) == 1:
            w.assign(rng.normal(0, 0.05, w.shape))
    for layer in model.layers:
        # It computes with constants derived from its weights.
        if isinstance(layer, keras.layers.Normalization):
            layer.finalize_state()
    return model


def calibrate(model, x):
    """Sets all moving statistics to those of x, with variances increased by half. With the exact variances, rounding errors
    would grow from layer to layer until they decide the class; with doubled variances, images would make no difference."""
    layers = [layer for layer in model.layers if isinstance(layer, keras.layers.BatchNormalization)]
    momenta = [layer.momentum for layer in layers]
    for layer in layers:
        layer.momentum = 0
    model(x, training=True)
    for layer, momentum in zip(layers, momenta):
        layer.momentum = momentum
        layer.moving_variance.assign(layer.moving_variance * 1.5)


def spread(model, x):
    """Scales the classifier's kernel so that the softmax is neither uniform nor saturated."""
    kernel = next(w for w in reversed(model.weights) if len(w.shape) > 1)
    for _ in range(40):
        largest = np.asarray(model(x, training=False)).max()
        if 0.3 < largest < 0.9:
            return
        kernel.assign(kernel * (2 if largest < 0.3 else 0.7))
    raise RuntimeError(f"the largest prediction is {largest}")


def config(path):
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("config.json"))


def first_difference(a, b, path=""):
    if isinstance(a, dict) and isinstance(b, dict):
        # Keras writes null masks and empty compile configurations.
        a, b = ({k: v for k, v in d.items() if v is not None and (k, v) != ("compile_config", {})} for d in (a, b))
        # Keras omits the input shape of layers without weights (activations, pools, dropout). Antler writes it for all.
        if "build_config" not in a:
            b.pop("build_config", None)
        # Keras writes the default of `training` for each call; Antler only writes it if it was passed.
        if path.endswith(".kwargs") and "training" not in b:
            a.pop("training", None)
        for key in sorted(a.keys() | b.keys()):
            if key not in a or key not in b:
                return f"{path}.{key} is missing on one side"
            found = first_difference(a[key], b[key], f"{path}.{key}")
            if found:
                return found
        return None
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return next(filter(None, (first_difference(x, y, f"{path}[{i}]") for i, (x, y) in enumerate(zip(a, b)))), None)
    if isinstance(a, float) and isinstance(b, (int, float)):
        return None if abs(a - b) <= 1e-6 * max(1, abs(a)) else f"{path}: {a} vs. {b}"
    return None if a == b else f"{path}: {str(a)[:200]} vs. {str(b)[:200]}"


def check(antler, name, folder):
    model = randomized(name)
    x = np.random.default_rng(2).uniform(0, 255, (2, size_of(name), size_of(name), 3)).astype("float32")
    preprocess = __import__("keras").applications
    module = getattr(preprocess, getattr(keras.applications, name).__module__.rsplit(".", 1)[-1])
    x = np.asarray(module.preprocess_input(x.copy()))
    calibrate(model, x)
    spread(model, x)
    weights, data, made, out = (str(folder / n) for n in ("w.weights.h5", "x.npz", "made.keras", "y.npz"))
    model.save_weights(weights)
    np.savez(data, x=x)
    size = size_of(name)
    expected = np.asarray(model(x, training=False))
    params = model.count_params()
    theirs = json.loads(model.to_json())
    del model
    keras.backend.clear_session()
    run = lambda *a: subprocess.run([antler, *a], check=True, capture_output=True, text=True).stdout
    result = json.loads(run("new", made, "--application", name, "--weights", weights, "--input-shape",
                            f"{size},{size},3", "--classes", str(CLASSES), "--json"))
    run("predict", made, data, "--out", out)
    got = np.load(out)
    got = got[got.files[0]]
    difference = float(np.abs(got - expected).max())
    problems = []
    if result["params"] != params:
        problems.append(f"expected {params} parameters, got {result['params']}")
    if not difference <= TOLERANCE:
        problems.append("predictions")
    ours = config(made)
    found = first_difference(theirs["config"], ours["config"])
    if found:
        problems.append("configuration: " + found)
    reloaded = keras.models.load_model(made)
    back = float(np.abs(np.asarray(reloaded(x, training=False)) - expected).max())
    if not back <= TOLERANCE:
        problems.append(f"in Keras, Antler's file differs by {back:.1e}")
    print(f"{'FAIL' if problems else 'ok  '} {name}: {params} parameters, largest difference {difference:.1e} of "
          f"{np.abs(expected).max():.2f}" + "".join("; " + p for p in problems), flush=True)
    return not problems


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    names = sys.argv[2:] or NAMES
    good = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            try:
                good += check(sys.argv[1], name, pathlib.Path(folder))
            except subprocess.CalledProcessError as error:
                print(f"FAIL {name}: {error.stderr.strip()[-400:]}", flush=True)
            for path in pathlib.Path(folder).iterdir():
                os.remove(path)
    print(f"{good} of {len(names)} applications")
    sys.exit(good != len(names))


if __name__ == "__main__":
    main()
