"""The SimplifiedModel of the "Keras Model Walkthrough", in Python, on Antler: a layer with its own
compile, fit, evaluate and predict. It uses Keras 3's imports, `apply_gradients` and names of
reductions; data sets are lists of batches."""

import os
import sys

os.environ.setdefault("KERAS_BACKEND", "antler")

import antler
import keras
import numpy as np
import pytest

pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "antler", reason="KERAS_BACKEND is another"
)


class SimplifiedModel(keras.layers.Layer):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.dense = keras.layers.Dense(1)
        self.train_counter = antler.Variable(antler.Tensor(0), trainable=False)

    def compile(self, optimizer="rmsprop", loss=None, metrics=None, steps_per_execution=1):
        self.optimizer = keras.optimizers.get(optimizer)
        self.loss = loss
        self.metrics_list = metrics if isinstance(metrics, list) else [metrics]
        self.steps_per_execution = steps_per_execution
        self.train_function = None

    def call(self, inputs):
        return self.dense(inputs)

    def train_step(self, data):
        x, y = data
        with antler.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.loss(y, y_pred)
            for extra_loss in self.losses:
                loss += extra_loss
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return self.results(y, y_pred, loss)

    def test_step(self, x, y):
        y_pred = self(x, training=False)
        return self.results(y, y_pred, self.loss(y, y_pred))

    def results(self, y, y_pred, loss):
        results = {"loss": loss}
        for metric in self.metrics_list:
            metric.update_state(y, y_pred, None)
            results[metric.name] = metric.result()
        return results

    def make_train_function(self):
        if self.train_function:
            return self.train_function

        def run_step(data):
            outputs = self.train_step(data)
            self.train_counter.assign_add(1)
            return outputs

        step_function = antler.function(run_step)

        def train_function(iterator):
            for _ in range(self.steps_per_execution):
                outputs = step_function(next(iterator))
            return outputs

        self.train_function = train_function
        return train_function

    def fit(self, dataset, epochs=1, verbose=1, steps_per_epoch=sys.maxsize, callbacks=None):
        callbacks = keras.callbacks.CallbackList(
            callbacks,
            add_history=True,
            add_progbar=verbose != 0,
            model=self,
            verbose=verbose,
            epochs=epochs,
        )
        self.make_train_function()
        callbacks.on_train_begin()
        for epoch in range(epochs):
            iterator = iter(dataset)
            callbacks.on_epoch_begin(epoch)
            for step in range(0, steps_per_epoch, self.steps_per_execution):
                callbacks.on_train_batch_begin(step)
                try:
                    logs = self.train_function(iterator)
                except StopIteration:
                    break
                callbacks.on_train_batch_end(step, logs)
            callbacks.on_epoch_end(epoch, logs)

    def evaluate(self, dataset):
        aggregate = []
        for xs, ys in dataset:
            self.reset_metrics()
            aggregate.append(self.test_step(xs, ys))
        return {k: sum(float(m[k]) for m in aggregate) / len(aggregate) for k in aggregate[0]}

    def predict(self, dataset):
        return keras.ops.concatenate([self(xs, training=False) for xs in dataset], axis=0)

    def reset_metrics(self):
        for metric in self.metrics_list:
            metric.reset_state()


def batches():
    x, y = np.zeros((1000, 10), "float32"), np.ones((1000, 1), "float32")
    return [(x[i : i + 10], y[i : i + 10]) for i in range(0, 1000, 10)]


def new_model(steps_per_execution):
    model = SimplifiedModel()
    model.compile(
        "sgd",
        loss=keras.losses.MeanSquaredError(reduction="sum"),
        metrics=[keras.metrics.MeanAbsolutePercentageError()],
        steps_per_execution=steps_per_execution,
    )
    model(np.zeros((1, 10), "float32"))
    # Optimizers must create their variables before a function that uses them is traced.
    model.optimizer.build(model.trainable_variables)
    return model


def test_the_example_of_the_walkthrough():
    model = new_model(steps_per_execution=5)
    before = model.evaluate(batches())
    assert before == {"loss": 10.0, "mean_absolute_percentage_error": 100.0}
    model.fit(batches(), epochs=10, verbose=0)
    assert int(model.train_counter.value()) == 1000
    assert model.predict([xs for xs, _ in batches()]).shape == (1000, 1)
    assert model.evaluate(batches())["loss"] < 1e-9


def test_callbacks_get_the_steps_of_executions():
    steps = []

    class Recorder(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            steps.append(batch)

    model = new_model(steps_per_execution=25)
    model.fit(batches(), verbose=0, callbacks=[Recorder()])
    assert steps == [0, 25, 50, 75]


def test_the_loop_of_the_tuners_page():
    inputs = keras.Input(shape=(784,), name="digits")
    x = keras.layers.Dense(64, activation="relu", name="dense_1")(inputs)
    x = keras.layers.Dense(64, activation="relu", name="dense_2")(x)
    outputs = keras.layers.Dense(10, name="predictions")(x)
    model = keras.Model(inputs=inputs, outputs=outputs)
    optimizer = keras.optimizers.SGD(learning_rate=1e-3)
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer.build(model.trainable_weights)
    steps_per_execution = antler.StepsPerExecution(1)
    tuner = antler.StepsPerExecutionTuner(optimizer, steps_per_execution)

    @antler.function
    def step_fn(batch_data, labels):
        with antler.GradientTape() as tape:
            logits = model(batch_data, training=True)
            loss_value = loss_fn(labels, logits)
        grads = tape.gradient(loss_value, model.trainable_weights)
        optimizer.apply_gradients(zip(grads, model.trainable_weights))
        return loss_value

    def multi_step_train_fn(iterator, steps_per_execution):
        n = steps_per_execution.value
        for _ in range(n):
            step_fn(*next(iterator))
        steps_per_execution.add_steps(n)

    def endless():
        rng = np.random.default_rng(0)
        while True:
            yield rng.random((64, 784), dtype="float32"), rng.integers(0, 10, 64)

    iterator = endless()
    tuner.start()
    for _ in range(20):
        multi_step_train_fn(iterator, steps_per_execution)
    tuner.stop()
    assert steps_per_execution.steps_done == int(optimizer.iterations.numpy()) == 20
    assert step_fn.trace_count == 1
    tuner.measure_and_tune()
    assert tuner.spe_measurement_count == 2
