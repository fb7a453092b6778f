#!/usr/bin/env python3
"""Writes tests/data/feature_space.json and feature_space.keras: results of Keras's FeatureSpace (3.x) for four rows.

    KERAS_BACKEND=tensorflow python3 tools/feature_space_calls.py
"""
import json

import tensorflow as tf
from keras.utils import FeatureSpace as F

from golden import DATA as FOLDER, numbers

DATA = {"a": [0.1, 0.2, 0.3, 0.5], "n": [1.0, 2.0, 3.0, 7.0], "r": [1.0, 2.0, 3.0, 4.0], "d": [0.0, 1.0, 2.0, 3.0],
        "ic": [3, 3, 5, 7], "sc": ["x", "y", "x", "z"], "sh": ["u", "v", "w", "u"], "ih": [1, 2, 3, 4]}
NEW = {**DATA, "n": [0.0, -1.0, 2.5, 9.0], "d": [-5.0, 0.5, 1.5, 99.0], "ic": [5, 8, 3, 7], "sc": ["z", "q", "y", "x"]}


def space(mode):
    return F(features={"a": "float", "n": "float_normalized", "r": F.float_rescaled(0.5, 1.0), "d": F.float_discretized(4),
                       "ic": "integer_categorical", "sc": F.string_categorical(num_oov_indices=2), "sh": F.string_hashed(5),
                       "ih": F.integer_hashed(6)},
             crosses=[("sc", "ic"), F.cross(("ic", "ih"), 8)], crossing_dim=7, output_mode=mode)


out = {}
for mode in ("concat", "dict"):
    s = space(mode)
    s.adapt(tf.data.Dataset.from_tensor_slices(DATA))
    for name, data in (("seen", DATA), ("new", NEW)):
        y = s({k: tf.constant(v) for k, v in data.items()})
        out[f"{mode}_{name}"] = numbers(y, 7) if mode == "concat" else {k: numbers(v, 7) for k, v in y.items()}
    if mode == "concat":
        s.save(FOLDER / "feature_space.keras")
with open(FOLDER / "feature_space.json", "w") as f:
    json.dump(out, f)
    f.write("\n")
