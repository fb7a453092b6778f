"""`keras.export.ExportArchive`: SavedModels by Antler's writer, which TensorFlow loads."""

import os
import subprocess
import sys

import keras
import numpy as np
import pytest
from keras import layers, ops

X = np.random.default_rng(0).normal(size=(5, 4)).astype("float32")
SIGNATURE = [keras.InputSpec(shape=(None, 4), dtype="float32")]


def network():
    keras.utils.set_random_seed(0)
    return keras.Sequential(
        [
            keras.Input((4,)),
            layers.Dense(3, "relu"),
            layers.BatchNormalization(momentum=0.5),
            layers.Dense(2),
        ]
    )


def tensorflow(folder, program, tmp_path):
    """The arrays that a program stores in `results`; `model` is the model that TensorFlow loaded.
    The program runs in a separate process without Antler."""
    pytest.importorskip("tensorflow")
    np.save(tmp_path / "x.npy", X)
    code = f"""
import numpy as np
import tensorflow as tf
x = np.load({str(tmp_path / "x.npy")!r})
model = tf.saved_model.load({str(folder)!r})
{program}
np.savez({str(tmp_path / "results.npz")!r}, **{{name: np.asarray(v) for name, v in results.items()}})
"""
    environment = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return np.load(tmp_path / "results.npz")


def assert_close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-6)


def test_each_endpoint_can_be_called(tmp_path):
    model = network()

    def both(inputs, scale):
        y = model(inputs["a"]) * scale
        return {"sum": y + model(inputs["b"]), "scaled": y}

    archive = keras.export.ExportArchive()
    archive.track(model)
    assert archive.add_endpoint("call", model.call, input_signature=SIGNATURE) == model.call
    a, b = (keras.InputSpec(shape=(None, 4), dtype="float32", name=name) for name in "ab")
    scale = keras.InputSpec(shape=(), dtype="float32")
    archive.add_endpoint("both", both, input_signature=[{"a": a, "b": b}, scale])
    archive.add_variable_collection("kernels", [model.layers[0].kernel, model.layers[2].kernel])
    archive.write_out(tmp_path / "folder", verbose=False)
    results = tensorflow(
        tmp_path / "folder",
        """
both = model.both({"a": x, "b": 2 * x}, 3.0)
named = model.signatures["both"](a=tf.constant(x), b=tf.constant(2 * x), scale=tf.constant(3.0))
[default] = model.signatures["serving_default"](tf.constant(x)).values()
results = {"call": model.call(inputs=x), "row": model.call(x[:1]), "sum": both["sum"],
           "scaled": both["scaled"], "named": named["sum"], "default": default,
           "kernel": model.kernels[1], "counts": [len(model.variables), len(model.kernels),
           len(model.trainable_variables), len(model.non_trainable_variables)]}
""",
        tmp_path,
    )
    expected = model(X).numpy()
    assert_close(results["call"], expected)
    assert_close(results["row"], expected[:1])
    assert_close(results["default"], expected)
    assert_close(results["scaled"], 3 * expected)
    assert_close(results["sum"], 3 * expected + model(2 * X).numpy())
    assert_close(results["named"], results["sum"])
    assert_close(results["kernel"], model.layers[2].kernel.numpy())
    assert results["counts"].tolist() == [8, 2, 6, 2]


def test_endpoints_share_the_state_that_they_change(tmp_path):
    model = network()
    archive = keras.export.ExportArchive()
    archive.track(model)
    archive.add_endpoint("train", lambda x: model(x, training=True), SIGNATURE)
    archive.add_endpoint("infer", lambda x: model(x, training=False), SIGNATURE)
    archive.write_out(tmp_path / "folder", verbose=False)
    moving = model.layers[1].moving_mean
    before = moving.numpy()
    results = tensorflow(
        tmp_path / "folder",
        "before = model.infer(x)\n"
        "results = {'before': before, 'train': model.train(x), 'after': model.infer(x)}",
        tmp_path,
    )
    # The export itself has changed nothing.
    np.testing.assert_array_equal(moving.numpy(), before)
    assert_close(results["before"], model(X, training=False).numpy())
    assert_close(results["train"], model(X, training=True).numpy())
    assert not np.allclose(results["before"], results["after"])
    assert_close(results["after"], model(X, training=False).numpy())


def test_export_of_a_model_serves(tmp_path):
    model = network()
    model.export(tmp_path / "folder", verbose=False)
    results = tensorflow(tmp_path / "folder", "results = {'y': model.serve(x)}", tmp_path)
    assert_close(results["y"], model.predict(X, verbose=0))


def test_files_are_written_without_tensorflow(tmp_path):
    model = network()
    model.export(tmp_path / "folder", verbose=False)
    assert b"serving_default" in (tmp_path / "folder" / "saved_model.pb").read_bytes()
    assert (tmp_path / "folder" / "variables" / "variables.index").exists()


def test_errors(tmp_path):
    model = network()
    archive = keras.export.ExportArchive()
    with pytest.raises(ValueError, match="No endpoints"):
        archive.write_out(tmp_path / "folder")
    with pytest.raises(ValueError, match="Invalid resource type"):
        archive.track("model")
    with pytest.raises(ValueError, match="not yet been built"):
        archive.track(layers.Dense(2))
    with pytest.raises(ValueError, match="you must provide an `input_signature`"):
        archive.add_endpoint("call", model.call)
    with pytest.raises(ValueError, match="must be a list or a tuple"):
        archive.add_endpoint("call", model.call, input_signature=SIGNATURE[0])
    with pytest.raises(ValueError, match="`keras.Variable` instances"):
        archive.add_variable_collection("mine", [1])
    archive.add_endpoint("call", model.call, SIGNATURE)
    with pytest.raises(ValueError, match="already taken"):
        archive.add_endpoint("call", model.call, SIGNATURE)
    archive.add_endpoint("noise", lambda x: x + keras.random.normal(ops.shape(x)), SIGNATURE)
    with pytest.raises(NotImplementedError, match="cannot be exported"):
        archive.write_out(tmp_path / "folder")
    assert not (tmp_path / "folder").exists()
