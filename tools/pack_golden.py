#!/usr/bin/env python3
"""Packs a few reference cases into tests/data/golden_<kind>.json, for tests that run anywhere.

The figures are what real Keras 3.15.1 computed. usage: tools/pack_golden.py <folder with loss/ metric/ optimizer/>
"""
import ast
import json
import math
import pathlib
import struct
import sys
import zipfile

OUT = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data"
CASES = {
    "loss": """mean_squared_error mean_squared_error_none_weighted mse_mask_weighted mse_rank1_targets
        mean_absolute_error mae_reduction_mean binary_crossentropy bce_logits bce_label_smoothing
        bce_clipped_probabilities categorical_crossentropy cce_logits cce_label_smoothing cce_axis1
        sparse_categorical_crossentropy scce_logits scce_temporal scce_ignore_class huber kl_divergence""",
    "metric": """mean mean_rank2_weights sum mean_squared_error_temporal_weights mean_absolute_error
        mean_absolute_percentage_error root_mean_squared_error accuracy accuracy_rank1 binary_accuracy
        categorical_accuracy sparse_categorical_accuracy sparse_categorical_accuracy_temporal
        topk_categorical_accuracy sparse_topk_categorical_accuracy binary_crossentropy_logits
        categorical_crossentropy sparse_categorical_crossentropy mean_metric_wrapper""",
    "optimizer": """sgd_nesterov sgd_global_clipnorm sgd_weight_decay sgd_ema_overwrite sgd_accumulation3
        adam_amsgrad adamw rmsprop_centered_momentum_decay schedule_cosine_warmup schedule_exponential_staircase""",
}
DROPPED = ("resembles", "verified", "cross_checked", "generated_with", "tolerance_given", "title", "arrays")
FORMATS = {"<f4": ("f", "float32"), "<i4": ("i", "int32"), "<i8": ("q", "int64"), "|b1": ("?", "bool")}


def number(value):
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return float(f"{value:.9g}")
    return int(value)


def load(path):
    """Arrays of a .npz file, as name -> {dtype, shape, values}."""
    arrays = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            size = struct.unpack("<H", data[8:10])[0]
            header = ast.literal_eval(data[10:10 + size].decode())
            code, dtype = FORMATS[header["descr"]]
            body = data[10 + size:]
            values = struct.unpack(f"<{len(body) // struct.calcsize(code)}{code}", body)
            arrays[name.removesuffix(".npy")] = {
                "dtype": dtype, "shape": list(header["shape"]), "values": [number(v) for v in values]}
    return arrays


def main():
    root = pathlib.Path(sys.argv[1])
    for kind, names in CASES.items():
        lines = []
        for name in names.split():
            case = json.loads((root / kind / name / "case.json").read_text())
            for key in DROPPED:
                case.pop(key, None)
            case["data"] = load(root / kind / name / "data.npz")
            lines.append(json.dumps(case, separators=(",", ":")))
        text = '{"source": "Keras 3.15.1", "cases": [\n' + ",\n".join(lines) + "\n]}\n"
        (OUT / f"golden_{kind}.json").write_text(text)


if __name__ == "__main__":
    main()
