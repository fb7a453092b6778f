"""Helpers of the scripts that write results of real Keras to tests/data."""
import json
import pathlib

import numpy as np

DATA = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data"


def formula(shape, a, b, modulus, offset, scale):
    """Element j is ((a j + b) mod modulus - offset) / scale."""
    j = np.arange(int(np.prod(shape)))
    return ((((a * j + b) % modulus) - offset) / scale).reshape(shape).astype("float32")


def make_input(k, shape, dtype="float32"):
    """Input k: ((5 j + 3 + k) mod 13 - 6) / 5, or (5 j + 3 + k) mod 4 for integers."""
    if dtype.startswith("int"):
        return formula(shape, 5, 3 + k, 4, 0, 1).astype(dtype)
    return formula(shape, 5, 3 + k, 13, 6, 5)


def make_weight(k, shape):
    """Weight k: ((7 j + 3 k) mod 11 - 5) / 10."""
    return formula(shape, 7, 3 * k, 11, 5, 10)


def numbers(x, digits=8):
    """The elements as a flat list, rounded to significant digits."""
    return [float(f"{v:.{digits}g}") for v in np.asarray(x, "float64").ravel()]


def write_cases(file, source, cases):
    lines = [json.dumps(case, separators=(",", ":")) for case in cases]
    path = DATA / file
    path.write_text('{"source": %s, "cases": [\n%s\n]}\n' % (json.dumps(source), ",\n".join(lines)))
    print(f"{file}: {len(lines)} cases, {path.stat().st_size} bytes")
