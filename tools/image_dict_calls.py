#!/usr/bin/env python3
"""Writes tests/data/image_dict_calls.json: what real Keras (3.x) computes for images with boxes and masks.

    KERAS_BACKEND=tensorflow python3 tools/image_dict_calls.py

The layers' factors are chosen so that nothing is random. The tests use the same formulas for images and masks:
    image, element j:  37 j mod 251        mask, element j:  (3 j + j // 5) mod 4
Cases with bugs in Keras are left out: RandomCrop swaps height and width of boxes, RandomRotation and RandomPerspective
only support "xyxy", and RandomShear shears boxes in relative coordinates.
"""
import json

import keras
import numpy as np
from keras import layers as L
from keras.utils import bounding_boxes as B

from golden import DATA, numbers

FORMATS = ["xyxy", "yxyx", "xywh", "center_xywh", "center_yxhw", "rel_xyxy", "rel_yxyx", "rel_xywh", "rel_center_xywh"]
BOXES = [[[1, 2, 6, 5], [0, 0, 3, 4]], [[5, 1, 8, 6], [2, 3, 4, 4]]]


def values(x):
    return numbers(x, 7)


def array(x):
    x = np.asarray(x)
    return {"dtype": str(x.dtype), "shape": list(x.shape), "values": values(x)}


def tree(x):
    return {k: tree(v) for k, v in x.items()} if isinstance(x, dict) else array(x)


def layer_case(class_name, arguments, boxes="xyxy", height=6, width=8, training=True, mask="float32", single=False):
    j = np.arange(2 * height * width)
    shape = (2, height, width, 1)
    data = {
        "images": (37 * j % 251).reshape(shape).astype("float32"),
        "bounding_boxes": {
            "boxes": np.array(B.convert_format(np.array(BOXES, "float32"), "xyxy", boxes, height=height, width=width)),
            "labels": np.array([[1, 2], [3, 4]], "int32"),
        },
        "labels": np.array([5, 6], "int32"),
    }
    if mask:
        data["segmentation_masks"] = ((3 * j + j // 5) % 4).reshape(shape).astype(mask)
    if single:
        data = keras.tree.map_structure(lambda x: x[0], data)
    layer = getattr(L, class_name)(**arguments, bounding_box_format=boxes)
    config = {k: v for k, v in layer.get_config().items() if k not in ("name", "dtype", "trainable")}
    given = array(data["bounding_boxes"]["boxes"])
    out = tree(layer(data, training=training))
    return {"class_name": class_name, "config": config, "training": training, "height": height, "width": width,
            "mask": mask, "single": single, "boxes": given, "outputs": out}


def layers():
    fixed = {"fill_mode": "constant"}
    for f in FORMATS:
        yield layer_case("Resizing", {"height": 3, "width": 12}, f, mask="int32")
    yield layer_case("Resizing", {"height": 4, "width": 4, "pad_to_aspect_ratio": True})
    yield layer_case("Resizing", {"height": 9, "width": 5, "crop_to_aspect_ratio": True}, "rel_xyxy")
    yield layer_case("Resizing", {"height": 3, "width": 12}, "xywh", single=True)
    for f in ("xyxy", "center_xywh", "rel_yxyx"):
        yield layer_case("CenterCrop", {"height": 3, "width": 5}, f)
    yield layer_case("CenterCrop", {"height": 9, "width": 4}, "xywh")
    yield layer_case("CenterCrop", {"height": 3, "width": 5}, single=True)
    yield layer_case("RandomRotation", {"factor": (0.1, 0.1), **fixed})
    yield layer_case("RandomRotation", {"factor": (-0.25, -0.25), **fixed}, height=7, width=7)
    for f in ("xyxy", "xywh", "rel_xyxy", "center_yxhw"):
        yield layer_case("RandomTranslation", {"height_factor": (0.25, 0.25), "width_factor": (-0.3, -0.3), **fixed}, f)
    for f in ("xyxy", "rel_center_xywh"):
        yield layer_case("RandomZoom", {"height_factor": (0.3, 0.3), "width_factor": (0.2, 0.2), **fixed}, f)
        yield layer_case("RandomZoom", {"height_factor": (-0.4, -0.4), **fixed}, f)
    yield layer_case("MaxNumBoundingBoxes", {"max_number": 3}, mask=None)
    yield layer_case("MaxNumBoundingBoxes", {"max_number": 1}, "xywh", mask=None, training=False)
    yield layer_case("RandomFlip", {"mode": "horizontal"}, training=False)
    yield layer_case("RandomContrast", {"factor": (0.0, 0.0)}, "rel_xywh")
    yield layer_case("AutoContrast", {})


def functions():
    rng = np.random.RandomState(3)
    boxes = np.array(BOXES, "float32") + np.float32(0.25)
    wide = boxes * 3 - 4
    anchors = np.array([[0, 1, 4, 6], [2, 2, 7, 5]], "float32")
    out = {"boxes": array(boxes), "wide": array(wide), "anchors": array(anchors)}
    out["convert_format"] = [[s, t, values(B.convert_format(B.convert_format(boxes, "xyxy", s, height=6, width=8), s, t,
                                                            height=6, width=8))]
                             for s in FORMATS for t in FORMATS]
    for f in ("xyxy", "rel_xyxy"):
        labels = np.array([[1, 2], [3, 4]])
        scale = np.array([8, 6, 8, 6], "float32") if f == "rel_xyxy" else np.float32(1)
        clipped = B.clip_to_image_size({"boxes": wide / scale, "labels": labels}, 6, 8, f)
        out["clip_" + f] = [values(clipped["boxes"]), values(clipped["labels"])]
    affine = {k: rng.uniform(low, high, 2).astype("float32")
              for k, low, high in [("angle", -90, 90), ("translate_x", -0.3, 0.3), ("translate_y", -0.3, 0.3),
                                   ("scale", 0.5, 2), ("shear_x", -30, 30), ("shear_y", -30, 30)]}
    out["affine"] = {k: values(v) for k, v in affine.items()}
    out["affine_transform"] = values(B.affine_transform(boxes, **affine, height=6, width=8))
    out["affine_transform_off_centre"] = values(
        B.affine_transform(boxes, **affine, height=6, width=8, center_x=0.25, center_y=1.0))
    out["crop"] = values(B.crop(boxes, 1, 2, 4, 5))
    out["pad"] = values(B.pad(boxes, 1, 2))
    out["deltas"] = []
    for anchor, box, encoding, variance in [("xyxy", "xyxy", "center_yxhw", None),
                                            ("xyxy", "xywh", "center_xywh", [0.1, 0.2, 0.3, 0.4])]:
        given = B.convert_format(boxes, "xyxy", box)
        deltas = B.encode_box_to_deltas(anchors, given, anchor, box, encoding, variance)
        back = B.decode_deltas_to_boxes(anchors, deltas, anchor, box, encoding, variance)
        out["deltas"].append({"anchor": anchor, "box": box, "encoding": encoding, "variance": variance,
                              "boxes": values(given), "encoded": values(deltas), "decoded": values(back)})
    out["iou"] = [[f, values(B.compute_iou(boxes, anchors, f))] for f in ("xyxy", "yxyx", "xywh")]
    negative = np.array([[-1, -1, -1, -1], [2, 2, 7, 5]], "float32")
    out["iou_masked"] = values(B.compute_iou(anchors, negative, "xyxy", use_masking=True))
    out["ciou"] = values(B.compute_ciou(boxes[0], anchors, "xyxy"))
    return out


with open(DATA / "image_dict_calls.json", "w") as f:
    f.write("{\n\"functions\": " + json.dumps(functions()) + ",\n\"layers\": [\n")
    f.write(",\n".join(json.dumps(case) for case in layers()) + "\n]\n}\n")
