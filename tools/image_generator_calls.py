#!/usr/bin/env python3
"""Writes tests/data/image_generator_calls.json: single images transformed by Keras 2 (tf_keras, SciPy and Pillow).

    TF_CPP_MIN_LOG_LEVEL=3 python3 tools/image_generator_calls.py

Element j of an image is 37 j mod 251.
"""
import json
import random
import types

import numpy as np
from scipy import ndimage

ndimage.interpolation = types.SimpleNamespace(affine_transform=ndimage.affine_transform)  # removed from newer SciPy

from tf_keras.preprocessing import image as I

import golden


def picture(shape):
    return (37 * np.arange(int(np.prod(shape))) % 251).reshape(shape).astype("float32")


def numbers(x):
    return golden.numbers(x, 7)


def affine():
    rng = random.Random(1)
    for k in range(24):
        first = k % 5 == 0
        height, width, channels = rng.randint(3, 7), rng.randint(3, 7), rng.choice([1, 3])
        shape = (channels, height, width) if first else (height, width, channels)
        o = {"theta": rng.choice([0, rng.uniform(-90, 90)]), "tx": rng.choice([0, rng.uniform(-3, 3)]),
             "ty": rng.choice([0, rng.uniform(-9, 9)]), "shear": rng.choice([0, rng.uniform(-40, 40)]),
             "zx": rng.choice([1, rng.uniform(0.5, 1.8)]), "zy": rng.choice([1, rng.uniform(0.5, 1.8)]),
             "row_axis": 1 if first else 0, "col_axis": 2 if first else 1, "channel_axis": 0 if first else 2,
             "fill_mode": ["nearest", "constant", "reflect", "wrap"][k % 4], "cval": rng.choice([0, 7.5]),
             "order": rng.choice([1, 1, 0])}
        yield {"shape": shape, "options": o, "out": numbers(I.apply_affine_transform(picture(shape), **o))}


def brightness():
    for shape, brightness, scale, low in [((3, 4, 3), 0.4, False, 0), ((3, 4, 1), 1.7, False, 0), ((3, 4, 4), 1.5, True, 0),
                                          ((3, 4, 3), 0.8, False, -40), ((2, 5, 1), 1.2, True, -40)]:
        x = picture(shape) + low
        yield {"shape": shape, "brightness": brightness, "scale": scale, "low": low,
               "out": numbers(I.apply_brightness_shift(x, brightness, scale))}


def standardized():
    x = (37 * np.arange(200 * 12) % 251 * (np.arange(200 * 12) % 7 + 1)).reshape(200, 2, 2, 3).astype("float32")
    for o in [{"rescale": 0.1, "samplewise_center": True}, {"samplewise_std_normalization": True},
              {"featurewise_center": True}, {"featurewise_std_normalization": True}, {"zca_whitening": True, "rescale": 0.01}]:
        g = I.ImageDataGenerator(**o)
        g.fit(x.copy())
        yield {"options": o, "out": numbers(g.standardize(x[3].copy()))}


def transforms():
    t = {"theta": 20, "tx": 1.5, "ty": -1, "shear": 5, "zx": 0.9, "zy": 1.2, "flip_horizontal": True, "flip_vertical": True,
         "channel_shift_intensity": 30.0, "brightness": 0.7}
    for data_format, shape in [("channels_last", (5, 4, 3)), ("channels_last", (5, 4, 1))]:
        g = I.ImageDataGenerator(fill_mode="reflect", data_format=data_format)
        yield {"shape": shape, "transform": t, "out": numbers(g.apply_transform(picture(shape), t))}


with open(golden.DATA / "image_generator_calls.json", "w") as f:
    json.dump({"affine": list(affine()), "brightness": list(brightness()), "standardized": list(standardized()),
               "transforms": list(transforms()),
               "channel_shift": numbers(I.apply_channel_shift(picture((2, 3, 3)), -60.5, 2))}, f)
    f.write("\n")
