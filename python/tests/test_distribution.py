"""keras.distribution: results equal those of one device, and layouts divide variables."""

import os
import pickle
import subprocess
import sys

os.environ.setdefault("KERAS_BACKEND", "antler")

import antler
import keras
import numpy as np
import pytest
from antler import _core
from keras import layers

pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "antler", reason="KERAS_BACKEND is another"
)


@pytest.fixture(autouse=True)
def four_devices():
    before = keras.distribution.get_device_count()
    _core.set_cpu_devices(4)
    yield
    keras.distribution.set_distribution(None)
    _core.set_cpu_devices(before)


def data():
    rng = np.random.default_rng(0)
    # Batches of 12 rows are divided, and the last one, of 9, is whole.
    x = rng.normal(size=(45, 16)).astype("float32")
    return [rng.integers(0, 32, size=(45, 5)), x], x[:, :1] * 2 + 1


def fitted(distribution, rows=45):
    keras.distribution.set_distribution(distribution)
    keras.utils.set_random_seed(1)
    words, numbers = keras.Input((5,)), keras.Input((16,))
    h = layers.Flatten()(layers.Embedding(32, 8, name="table")(words))
    h = layers.Dense(32, activation="relu", name="up")(layers.Concatenate()([h, numbers]))
    model = keras.Model([words, numbers], layers.Dense(1, name="down")(layers.Dropout(0.2)(h)))
    model.compile("adam", "mse", steps_per_execution=2)
    x, y = data()
    x, y = [part[:rows] for part in x], y[:rows]
    losses = model.fit(x, y, epochs=2, batch_size=12, verbose=0).history["loss"]
    keras.distribution.set_distribution(None)
    return model, losses


def model_parallel():
    mesh = keras.distribution.DeviceMesh((2, 2), ["batch", "model"])
    layout_map = keras.distribution.LayoutMap(mesh)
    layout_map["table/embeddings"] = ("model", None)
    layout_map["up/kernel"] = (None, "model")
    layout_map["up/bias"] = ("model",)
    layout_map["down/kernel"] = ("model", None)
    layout_map["up/output"] = ("batch", "model")
    return keras.distribution.ModelParallel(layout_map=layout_map, batch_dim_name="batch")


def test_devices():
    assert keras.distribution.list_devices() == ["cpu:0", "cpu:1", "cpu:2", "cpu:3"]
    assert keras.distribution.get_device_count("cpu") == 4
    with pytest.raises(RuntimeError, match="gpu"):
        keras.distribution.list_devices("gpu")


@pytest.mark.parametrize("make", [keras.distribution.DataParallel, model_parallel])
def test_results_are_those_of_one_device(make):
    whole, whole_losses = fitted(None)
    parts, losses = fitted(make())
    np.testing.assert_allclose(losses, whole_losses, rtol=1e-5)
    for a, b in zip(parts.variables, whole.variables, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5, err_msg=a.path)


def compiled_texts(distribution):
    """The printed graphs of the functions that training and predicting 12 rows compile."""
    texts = {}
    antler.config.set_dump_sink(lambda function, stage, text: texts.update({(function, stage): text}))
    try:
        keras.distribution.set_distribution(distribution)
        model = keras.Sequential([keras.Input((16,)), layers.Dense(32), layers.Dense(1)])
        model.compile("sgd", "mse")
        x = np.ones((12, 16), "float32")
        model.fit(x, x[:, :1], batch_size=12, verbose=0)
        model.predict(x, batch_size=12, verbose=0)
    finally:
        antler.config.set_dump_sink(None)
    return texts


@pytest.mark.parametrize("devices, rows", [(4, 3), (3, 4), (1, 12)])
def test_steps_compute_the_parts_of_a_batch(devices, rows):
    names = [f"cpu:{i}" for i in range(devices)]
    texts = compiled_texts(keras.distribution.DataParallel(devices=names))
    # The first product, and the gradient of its result.
    for function, products in (("train_function", 2), ("predict_function", 1)):
        graph = texts[function, "partition"]
        lines = [line for line in graph.splitlines() if "dot_general" in line]
        assert sum(f"({rows}, 32)" in line for line in lines) == products * devices, graph


def test_variables_and_their_slots_are_divided(tmp_path):
    model, _ = fitted(model_parallel())
    kernel = model.get_layer("up").kernel
    slot = next(v for v in model.optimizer.variables if v.path.endswith("up_kernel_momentum"))
    for variable in (kernel, slot):
        with pytest.raises(ValueError, match="divided already"):
            _core.distribute_variable(variable.antler_variable, kernel._layout.backend_layout)
    # Files and copies hold whole variables.
    path = tmp_path / "model.keras"
    model.save(path)
    x, _ = data()
    expected = model.predict(x, verbose=0)
    for copy in (keras.saving.load_model(path), pickle.loads(pickle.dumps(model))):
        np.testing.assert_allclose(copy.predict(x, verbose=0), expected, atol=1e-5)


def test_traced_tensors_are_computed_in_parts():
    mesh = keras.distribution.DeviceMesh((4,), ["model"])
    layout = keras.distribution.TensorLayout(("model",), mesh)
    square = _core.Function(
        lambda x: keras.distribution.distribute_tensor(x * x, layout), name="square"
    )
    x = np.arange(8, dtype="float32")
    np.testing.assert_array_equal(square(x), x * x)
    with pytest.raises(ValueError, match="dimension 0 must be a multiple of 4"):
        square(np.arange(6, dtype="float32"))


def test_a_dimension_that_does_not_divide():
    mesh = keras.distribution.DeviceMesh((4,), ["model"])
    layout_map = keras.distribution.LayoutMap(mesh)
    layout_map[".*kernel"] = (None, "model")
    with keras.distribution.ModelParallel(layout_map=layout_map, batch_dim_name="model").scope():
        with pytest.raises(ValueError, match="kernel"):
            keras.Sequential([keras.Input((4,)), layers.Dense(6)])


def test_several_processes_are_refused():
    program = (
        "import keras\n"
        "try: keras.distribution.initialize('127.0.0.1:1,127.0.0.1:2', 2, 0)\n"
        "except RuntimeError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "connect" in done.stdout


ON_A_MESH = """
import os, sys
import antler, keras, numpy as np
sys.path.insert(0, os.environ["TESTS"])
from test_distribution import fitted, model_parallel
whole, whole_losses = fitted(None, rows=24)
antler.config.set_device("pjrt:" + os.environ["ANTLER_PJRT_CPU"])
assert len(keras.distribution.list_devices()) == 4
texts = []
antler.config.set_dump_sink(lambda function, stage, text: texts.append(text))
parts, losses = fitted(model_parallel(), rows=24)
sharding = " {sdy.sharding = #sdy.sharding<@mesh, "
for part in (
    "num_partitions = 4 ",
    "tensor<12x16xf32>" + sharding + '[{"batch"}, {}]',
    "tensor<56x32xf32>" + sharding + '[{}, {"model"}]',
):
    assert all(part in text for text in texts), (part, texts)
assert len(texts) == 1, len(texts)
np.testing.assert_allclose(losses, whole_losses, rtol=1e-4)
for a, b in zip(parts.variables, whole.variables, strict=True):
    np.testing.assert_allclose(a, b, atol=1e-4, err_msg=a.path)
"""


@pytest.mark.skipif("ANTLER_PJRT_CPU" not in os.environ, reason="there is no PJRT plug-in")
def test_a_mesh_of_devices_of_a_plug_in():
    environment = {"ANTLER_PJRT_OPTIONS": "cpu_device_count=4", "TESTS": os.path.dirname(__file__)}
    done = subprocess.run(
        [sys.executable, "-c", ON_A_MESH],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )
    assert done.returncode == 0, done.stderr[-4000:]
