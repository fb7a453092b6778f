#!/usr/bin/env python3
"""Fills in how real Keras (3.x) reacts to the wrong uses of a case for antler_conformance.

    KERAS_BACKEND=tensorflow python3 tools/wrong_uses.py tests/golden_small/errors/wrong_uses

FOLDER/case.json has `rows` with an `id` and a line of `python`. To add a row, write these two and run the script. `prelude`
is run before each row. Each row gets the `exception` that Keras raises (null: none) and the first line of its message.
"{tmp}" in a row stands for an empty folder. The order of the rows is kept.
"""
import json
import pathlib
import sys
import tempfile

import keras


def outcome(prelude, row):
    """The name of the exception and the first line of its message, or (None, "")."""
    keras.backend.clear_session()
    keras.config.set_dtype_policy("float32")
    keras.config.set_floatx("float32")
    with tempfile.TemporaryDirectory() as folder:
        scope = {}
        exec(prelude, scope)
        try:
            exec(row["python"].replace("{tmp}", folder), scope)
        except Exception as error:
            lines = str(error).replace(folder, "{tmp}").splitlines()
            return type(error).__name__, next((line for line in lines if line.strip()), "")
    return None, ""


def main():
    path = pathlib.Path(sys.argv[1]) / "case.json"
    case = json.loads(path.read_text())
    for row in case["rows"]:
        row["exception"], row["first_line"] = outcome(case["prelude"], row)
    case["keras_version"] = keras.__version__
    case["generated_with"] = keras.backend.backend()
    rows = ",\n".join(json.dumps(row) for row in case.pop("rows"))
    head = json.dumps(case, indent=0).rstrip("\n}").replace("\n", "\n ")
    path.write_text(f'{head},\n "rows": [\n{rows}\n]}}\n')


main()
