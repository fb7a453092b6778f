"""The package as users get it: `import antler`, Keras with the backend, other frameworks in one process."""

import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest

import antler

KERAS = """
import keras
import numpy as np

assert keras.backend.backend() == "antler"
keras.utils.set_random_seed(0)
x = np.random.default_rng(0).normal(size=(256, 8)).astype("float32")
y = (x[:, 0] > 0).astype("int32")
model = keras.Sequential([keras.layers.Dense(16, activation="relu"), keras.layers.Dense(2)])
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile("adam", loss, metrics=["accuracy"])
history = model.fit(x, y, batch_size=32, epochs=20, verbose=0)
assert history.history["accuracy"][-1] > 0.9, history.history
assert model.predict(x[:3], verbose=0).shape == (3, 2)
"""

# Programs that run compiled code of other frameworks.
OTHERS = {
    "jax": "import jax\nassert jax.jit(lambda x: x * 2)(3.0) == 6",
    "tensorflow": "import tensorflow as tf\nassert tf.function(lambda x: x * 2, jit_compile=True)(3.0) == 6",
    "torch": "import torch\nassert (torch.ones(64, 64) @ torch.ones(64, 64)).sum() == 64**3",
}


def run(program):
    # In a new process, because the order of imports matters.
    result = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"KERAS_BACKEND": "antler"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert result.returncode == 0, result.stderr


def test_gradient_tape():
    x = antler.Variable(np.array([1.0, 2.0], np.float32))
    with antler.GradientTape() as tape:
        y = antler.ops.sum(antler.ops.multiply(x, x))
    np.testing.assert_array_equal(np.asarray(tape.gradient(y, x)), [2.0, 4.0])


def test_version():
    assert antler.__version__.count(".") == 2


def test_keras_trains():
    run(KERAS)


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("first", [True, False])
def test_shares_a_process(other, first):
    if importlib.util.find_spec(other) is None:
        pytest.skip(f"without {other}")
    parts = [KERAS, OTHERS[other], KERAS] if first else [OTHERS[other], KERAS, OTHERS[other]]
    run("\n".join(parts))


@pytest.mark.parametrize(
    "arguments", [["custom_train_step.py", "--epochs", "1"], ["fine_tuning.py", "--steps", "1"]]
)
def test_examples_run(arguments):
    examples = os.path.join(os.path.dirname(__file__), "..", "examples")
    result = subprocess.run(
        [sys.executable, os.path.join(examples, arguments[0]), *arguments[1:]],
        env=dict(os.environ, KERAS_BACKEND="antler"),
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
