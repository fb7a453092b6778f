"""KERAS_BACKEND=antler: fit, evaluate and predict on Antler's compiled steps."""

import gc
import os
import pickle
import subprocess
import sys
import threading
import weakref

os.environ.setdefault("KERAS_BACKEND", "antler")

import antler
import keras
import numpy as np
import pytest

pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "antler", reason="KERAS_BACKEND is another"
)


def data(rows=100):
    rng = np.random.default_rng(0)
    x = rng.random((rows, 4), dtype="float32")
    return x, x.sum(1, keepdims=True) * 2 - 1


def mlp(**arguments):
    keras.utils.set_random_seed(3)
    model = keras.Sequential(
        [keras.Input((4,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)]
    )
    model.compile(**{"optimizer": keras.optimizers.Adam(0.01), "loss": "mse", **arguments})
    return model


def weights(model):
    return [np.array(w) for w in model.get_weights()]


def assert_same(a, b):
    for x, y in zip(a, b, strict=True):
        np.testing.assert_array_equal(x, y)


def test_fit_learns_and_evaluate_agrees():
    x, y = data()
    model = mlp(metrics=["mae"])
    history = model.fit(x, y, epochs=60, batch_size=16, verbose=0, validation_data=(x, y))
    assert history.history["loss"][-1] < 0.1 * history.history["loss"][0]
    loss, mae = model.evaluate(x, y, verbose=0)
    np.testing.assert_allclose(loss, history.history["val_loss"][-1], rtol=1e-5)
    np.testing.assert_allclose(mae, np.abs(model.predict(x, verbose=0) - y).mean(), rtol=1e-5)


def test_compiled_and_eager_training_agree():
    x, y = data(50)
    results = []
    for run_eagerly in (False, True):
        model = mlp(run_eagerly=run_eagerly)
        model.fit(x, y, epochs=2, batch_size=16, shuffle=False, verbose=0)
        results.append(weights(model))
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("steps_per_execution", [1, 3, 100])
def test_bits_do_not_depend_on_steps_per_execution(steps_per_execution):
    x, y = data()
    results = []
    for n in (1, steps_per_execution):
        model = mlp(steps_per_execution=n)
        model.fit(x, y, epochs=3, batch_size=16, verbose=0)
        results.append(weights(model))
    assert_same(*results)


def test_arrays_and_python_batches_give_the_same_bits():
    x, y = data(90)  # the last batch has fewer rows

    def batches():
        for i in range(0, 90, 16):
            yield x[i : i + 16], y[i : i + 16]

    a, b = mlp(), mlp()
    a.fit(x, y, batch_size=16, shuffle=False, verbose=0)
    with pytest.warns(UserWarning):
        b.fit(batches(), verbose=0)
    assert_same(weights(a), weights(b))


def test_hooks_come_once_per_execution():
    calls = []

    class Recorder(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            calls.append(("begin", batch))

        def on_train_batch_end(self, batch, logs=None):
            calls.append(("end", batch, sorted(logs)))

    x, y = data(96)
    mlp(steps_per_execution=3).fit(x, y, batch_size=16, verbose=0, callbacks=[Recorder()])
    assert calls == [("begin", 0), ("end", 2, ["loss"]), ("begin", 3), ("end", 5, ["loss"])]


def test_a_callback_stops_training_and_sets_the_learning_rate():
    x, y = data()

    class Stop(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            self.model.optimizer.learning_rate.assign(0.25)
            if batch == 2:
                self.model.stop_training = True

    model = mlp(optimizer="sgd")
    model.fit(x, y, batch_size=16, epochs=5, verbose=0, callbacks=[Stop()])
    assert int(model.optimizer.iterations.numpy()) == 3
    assert float(model.optimizer.learning_rate.numpy()) == 0.25


def test_steps_per_execution_auto_uses_the_tuner():
    x, y = data()
    model = mlp(steps_per_execution="auto")
    model.fit(x, y, batch_size=16, verbose=0)
    assert model.steps_per_execution >= 1
    assert int(model.optimizer.iterations.numpy()) == 7


def test_custom_train_step():
    class Model(keras.Model):
        def train_step(self, batch):
            x, y = batch
            with antler.GradientTape() as tape:
                loss = keras.ops.mean(keras.ops.square(self(x, training=True) - y))
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
            return {"my_loss": loss}

    keras.utils.set_random_seed(1)
    inputs = keras.Input((4,))
    model = Model(inputs, keras.layers.Dense(1)(inputs))
    model.compile("sgd", steps_per_execution=2)
    x, y = data()
    logs = model.fit(x, y, epochs=10, batch_size=20, verbose=0).history["my_loss"]
    assert logs[-1] < logs[0]


def test_a_train_step_needs_no_call():
    """As in programs that were written for TensorFlow."""

    class Pair(keras.Model):
        def __init__(self):
            super().__init__()
            self.encoder = keras.Sequential([keras.layers.Dense(2), keras.layers.Dense(3)])
            self.total = keras.metrics.Mean(name="loss")

        def train_step(self, data):
            with antler.GradientTape() as tape:
                loss = keras.ops.mean(keras.ops.square(self.encoder(data) - data))
            weights = self.encoder.trainable_weights
            self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
            self.total.update_state(loss)
            return {"loss": self.total.result()}

    model = Pair()
    model.compile(optimizer=keras.optimizers.SGD(0.05))
    history = model.fit(np.ones((32, 3), "float32"), epochs=5, verbose=0).history
    assert history["loss"][-1] < history["loss"][0]


def test_vectorize():
    add = keras.ops.vectorize(lambda a, b: a + b)
    np.testing.assert_array_equal(add(np.arange(3.0), np.arange(3.0)), [0, 2, 4])
    np.testing.assert_array_equal(add(np.arange(3.0)[:, None], np.arange(2.0)), [[0, 1], [1, 2], [2, 3]])
    product = keras.ops.vectorize(lambda a, b: keras.ops.matmul(a, b), signature="(n,m),(m)->(n)")
    a = np.arange(12.0, dtype="float32").reshape(2, 2, 3)
    b = np.ones((2, 3), "float32")
    np.testing.assert_allclose(product(a, b), np.einsum("bnm,bm->bn", a, b))


def test_a_train_function_of_ones_own_reads_the_iterator():
    class Model(keras.Model):
        def make_train_function(self, force=False):
            step = antler.function(self.train_step)

            def train_function(iterator):
                for _ in range(self.steps_per_execution):
                    logs = step(next(iterator))
                return logs

            self.train_function = train_function
            return train_function

    keras.utils.set_random_seed(3)
    own = Model(inputs=(i := keras.Input((4,))), outputs=keras.layers.Dense(1)(i))
    own.compile("sgd", "mse", steps_per_execution=2)
    keras.utils.set_random_seed(3)
    plain = keras.Model(inputs=(i := keras.Input((4,))), outputs=keras.layers.Dense(1)(i))
    plain.compile("sgd", "mse")
    x, y = data(80)
    own.fit(x, y, batch_size=20, shuffle=False, verbose=0)
    plain.fit(x, y, batch_size=20, shuffle=False, verbose=0)
    for a, b in zip(weights(own), weights(plain), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)


def test_values_computed_again_give_the_same_training(tmp_path):
    def train(mode):
        keras.utils.set_random_seed(3)
        with keras.RematScope(mode=mode):
            model = keras.Sequential([keras.Input((4,))])
            for _ in range(3):
                model.add(keras.layers.Dense(16, activation="gelu"))
                model.add(keras.layers.Dropout(0.2))
            model.add(keras.layers.Dense(1))
        model.compile("adam", "mse")
        return model.fit(*data(), epochs=3, batch_size=16, verbose=0).history["loss"]

    for mode in ("full", "activations", "larger_than"):
        np.testing.assert_allclose(train(mode), train(None), rtol=1e-5)

    # The graph computes twice what `remat` wraps.
    code = """
import antler, keras

def double_layer(x, *, scale):
    return antler.ops.tanh(antler.ops.tanh(x) * scale)

@antler.function
def gradient(x):
    with antler.GradientTape() as tape:
        tape.watch(x)
        y = keras.remat(double_layer)(x, scale=2.0)
    return tape.gradient(y, x)

gradient(antler.asarray([1.0, 2.0]))
"""
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "ANTLER_DUMP": str(tmp_path)}, check=True)
    traced = "".join(path.read_text() for path in tmp_path.glob("*simplify*"))
    assert "optimization_barrier" in traced


def test_mixed_precision_and_masks():
    keras.utils.set_random_seed(1)
    x = np.random.default_rng(0).integers(0, 10, (64, 7))
    model = keras.Sequential(
        [
            keras.Input((7,), dtype="int32"),
            keras.layers.Embedding(10, 8, mask_zero=True, dtype="mixed_bfloat16"),
            keras.layers.LSTM(8, dtype="mixed_bfloat16"),
            keras.layers.Dense(2, dtype="float32"),
        ]
    )
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    losses = model.fit(x, x[:, 0] % 2, epochs=30, verbose=0).history["loss"]
    assert losses[-1] < losses[0]


def test_a_model_is_saved_and_loaded(tmp_path):
    x, y = data()
    model = mlp()
    model.fit(x, y, verbose=0)
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    assert_same([model.predict(x, verbose=0)], [loaded.predict(x, verbose=0)])
    model.fit(x, y, shuffle=False, verbose=0)
    loaded.fit(x, y, shuffle=False, verbose=0)  # the optimizer's state is there too
    assert_same(weights(model), weights(loaded))


def test_onnx_runtime_computes_the_same(tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    x, _ = data()
    model = mlp()  # never called
    model.export(tmp_path / "model.onnx", format="onnx", verbose=False)
    program = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    [outputs] = program.run(None, {program.get_inputs()[0].name: x})
    np.testing.assert_allclose(outputs, model.predict(x, verbose=0), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
def test_sobel_edges_take_batches_of_images(data_format):
    steps = np.tile(np.arange(5, dtype="float32"), (1, 1, 4, 1))  # [1, 1, 4, 5], channels first
    images = steps if data_format == "channels_first" else np.moveaxis(steps, 1, -1)
    edges = np.array(keras.ops.image.sobel_edges(images, data_format=data_format))
    assert edges.shape == (*images.shape, 2)
    inside = edges.reshape(4, 5, 2)[1:-1, 1:-1]
    np.testing.assert_array_equal(inside, np.broadcast_to([0, 8], inside.shape))
    # The error has the shape that was passed.
    with pytest.raises(ValueError, match=r"rank 4.*images.shape=\(3, 4, 5\)"):
        keras.ops.image.sobel_edges(np.zeros((3, 4, 5), "float32"), data_format=data_format)


def test_float64_stays_float64():
    keras.config.set_floatx("float64")
    try:
        x = np.array([[1 + 2.0**-40]])
        layer = keras.layers.Rescaling(1.0, dtype="float64")
        model = keras.Sequential([keras.Input((1,), dtype="float64"), layer])
        assert model.predict(x, verbose=0)[0, 0] == x[0, 0]
    finally:
        keras.config.set_floatx("float32")


def test_data_of_unknown_size_end_two_epochs():
    x, y = data(80)

    class Endless(keras.utils.PyDataset):
        num_batches = None  # unknown

        def __getitem__(self, i):
            return x[16 * (i % 5) :][:16], y[16 * (i % 5) :][:16]

    model = mlp()
    model.fit(Endless(), steps_per_epoch=7, epochs=3, verbose=0)
    assert int(model.optimizer.iterations.numpy()) == 21

    def generator():
        for _ in range(9):
            yield x, y

    with pytest.warns(UserWarning):
        model.fit(generator(), verbose=0)
    assert int(model.optimizer.iterations.numpy()) == 30


def test_a_failed_fit_leaves_the_model_usable():
    x, y = data()
    model = mlp()
    model.fit(x, y, verbose=0)
    before = weights(model)
    with pytest.raises(ValueError, match="dense"):
        model.fit(x[:, :3], y, verbose=0)
    assert_same(before, weights(model))
    model.fit(x, y, verbose=0)


def test_a_generator_that_raises_ends_fit_with_its_error():
    def batches():
        x, y = data(16)
        yield x, y
        raise OSError("the disk is gone")

    model = mlp()
    with pytest.raises(OSError, match="the disk is gone"), pytest.warns(UserWarning):
        model.fit(batches(), verbose=0)
    model.fit(*data(), verbose=0)


@pytest.mark.parametrize("batch_size", [7, 16, 100])
def test_executions_that_are_joined_read_every_row_once(batch_size):
    x = np.arange(90, dtype="float32").reshape(90, 1)
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    model.compile("sgd", loss=lambda y, y_pred: keras.ops.mean(y))
    for _ in range(2):
        assert model.evaluate(x, x, batch_size=batch_size, verbose=0) == 44.5


def test_models_are_collected():
    x, y = data()
    model = mlp()
    model.fit(x, y, verbose=0)
    model.predict(x, verbose=0)
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


def test_models_are_pickled():
    model = mlp()
    model.fit(*data(), verbose=0)
    copy = pickle.loads(pickle.dumps(model))
    assert_same(weights(model), weights(copy))


def test_threads_train_models_of_their_own():
    results = [None] * 2

    def train(i):
        model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1, "linear")])
        model.set_weights([np.ones((4, 1)), np.zeros(1)])
        model.compile("sgd", "mse")
        model.fit(*data(), epochs=3, shuffle=False, verbose=0)
        results[i] = weights(model)

    threads = [threading.Thread(target=train, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert_same(*results)


def test_threads_predict_with_one_model():
    x, _ = data()
    model = mlp()
    expected = model.predict(x, verbose=0, batch_size=100)
    fresh = mlp()  # any of the threads may trace
    results = [None] * 4

    def predict(i):
        results[i] = [fresh.predict(x, verbose=0, batch_size=100) for _ in range(20)]

    threads = [threading.Thread(target=predict, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        for prediction in result:
            np.testing.assert_array_equal(prediction, expected)


@pytest.mark.skipif("ANTLER_PJRT_CPU" not in os.environ, reason="there is no PJRT plug-in")
def test_a_device_trains_like_the_cpu():
    x, y = data()
    results = []
    try:
        for device in ("cpu", "pjrt:" + os.environ["ANTLER_PJRT_CPU"]):
            antler.config.set_device(device)
            model = mlp(steps_per_execution=3)
            model.fit(x, y, epochs=2, batch_size=16, verbose=0)
            results.append(model.predict(x, verbose=0))
    finally:
        antler.config.set_device("cpu")
    np.testing.assert_allclose(*results, rtol=1e-4)


INTERRUPTED = """
import os, signal, threading
import keras, numpy as np
signal.signal(signal.SIGINT, signal.default_int_handler)  # what starts tests may ignore it
x = np.zeros((4096, 64), "float32")
model = keras.Sequential([keras.Input((64,)), keras.layers.Dense(64), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(x, x[:, :1], verbose=0)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    model.fit(x, x[:, :1], epochs=10**9, verbose=0)
except KeyboardInterrupt:
    print("interrupted", np.isfinite(model.evaluate(x, x[:, :1], verbose=0)))
"""


def test_control_c_ends_fit():
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "interrupted True\n", done.stderr


@pytest.mark.parametrize("steps", [1, 3])
def test_predictions_are_the_users_arrays(steps):
    x, _ = data(100)
    inputs = keras.Input((4,))
    y = keras.layers.Dense(3)(inputs)
    model = keras.Model(inputs, {"y": y, "more": [2 * y]})
    model.compile("sgd", "mse", steps_per_execution=steps)
    expected = model(x)["y"].numpy()
    seen = []

    class Keeps(keras.callbacks.Callback):
        def on_predict_batch_end(self, batch, logs=None):
            seen.append(logs["y"])

    outputs = model.predict(x, batch_size=32, verbose=0, callbacks=[Keeps()])
    np.testing.assert_allclose(outputs["y"], expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(outputs["more"][0], 2 * expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(np.concatenate(seen), outputs["y"])
    # An unknown number of batches; the returned arrays must not be changed by later calls.
    batches = ((x[i : i + 7],) for i in range(0, 100, 7))
    streamed = model.predict(batches, verbose=0)["y"]
    kept = streamed.copy()
    streamed[0] += 1
    np.testing.assert_allclose(kept, expected, rtol=1e-5, atol=1e-6)
    model.predict(-x, verbose=0)
    np.testing.assert_array_equal(streamed[1:], kept[1:])
