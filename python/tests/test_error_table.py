"""Wrong uses of Keras raise the same exceptions as Keras on TensorFlow."""

import json
import os
import pathlib

os.environ.setdefault("KERAS_BACKEND", "antler")

import keras
import pytest

TABLE = pathlib.Path(__file__).parents[3] / "shared/golden/errors/table/case.json"
CASE = json.loads(TABLE.read_text()) if TABLE.exists() else {"rows": []}

# Cases for which this backend raises a different class from TensorFlow's.
DIFFERENT = {
    "compile_loss_weights_wrong_type": "TypeError",  # a string is not a tensor
    "fit_validation_split_negative": "ValueError",  # neither side of a split may be empty
}

pytestmark = [
    pytest.mark.skipif(keras.backend.backend() != "antler", reason="KERAS_BACKEND is another"),
    pytest.mark.skipif(not CASE["rows"], reason="the table is not beside the sources"),
    pytest.mark.filterwarnings("ignore"),
]


@pytest.mark.parametrize("row", CASE["rows"], ids=lambda row: row["id"])
def test_row(row, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(CASE["prelude"], names)  # the rows are programs
    program = row["python"].replace("{tmp}", str(tmp_path))
    exception = DIFFERENT.get(row["id"], row["exception"])
    if not exception:
        exec(program, names)
        return
    with pytest.raises(Exception) as raised:
        exec(program, names)
    assert exception in [base.__name__ for base in type(raised.value).__mro__]
