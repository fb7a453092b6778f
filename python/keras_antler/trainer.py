"""fit, evaluate and predict: Keras's loops over executions of Antler's compiled steps."""

import warnings

import antler
import numpy as np
from antler import _core
from keras.src import callbacks as callbacks_module
from keras.src import metrics as metrics_module
from keras.src import optimizers as optimizers_module
from keras.src import tree
from keras.src.backend import config
from keras.src.backend.common.stateless_scope import StatelessScope
from keras.src.trainers import trainer as base_trainer
from keras.src.trainers.data_adapters import array_slicing
from keras.src.trainers.data_adapters import data_adapter_utils
from keras.src.utils import traceback_utils
from keras.src.utils.python_utils import pythonify_logs

from keras_antler.batches import AntlerEpochIterator
from keras_antler.batches import single_batch
from keras_antler.executions import JoinedExecutions
from keras_antler.executions import Step
from keras_antler.executions import to_tensor

class AntlerTrainer(base_trainer.Trainer):
    def __init__(self):
        self._per_execution = antler.StepsPerExecution(1)
        self._tuner = None
        super().__init__()
        self.train_function = None
        self.test_function = None
        self.predict_function = None

    def _symbolic_build(self, iterator=None, data_batch=None):
        from keras.src.models.model import Model

        # A model with steps of its own need not have a `call`, as with TensorFlow.
        if type(self).call is not Model.call:
            super()._symbolic_build(iterator, data_batch)

    # `compile` sets it, and the loops read it before each execution.
    @property
    def steps_per_execution(self):
        return self._per_execution.value

    @steps_per_execution.setter
    def steps_per_execution(self, value):
        """A number, or "auto" as in Keras 2: while `fit` runs, a thread measures its throughput and
        tunes the number."""
        auto = value == "auto"
        if not auto and (not isinstance(value, (int, np.integer)) or value < 1):
            raise ValueError(
                "`steps_per_execution` must be a positive number or 'auto'. "
                f"Received: steps_per_execution={value}"
            )
        self._per_execution.assign(1 if auto else value)
        self._tuner = (
            antler.StepsPerExecutionTuner(self.optimizer, self._per_execution) if auto else None
        )

    # One step. Users may override these methods; `antler.GradientTape` is like TensorFlow's.

    def train_step(self, data):
        x, y, sample_weight = data_adapter_utils.unpack_x_y_sample_weight(data)
        with antler.GradientTape() as tape:
            y_pred = self(x, training=True) if self._call_has_training_arg else self(x)
            loss = self._compute_loss(
                x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=True
            )
            self._loss_tracker.update_state(loss, sample_weight=_rows(x))
            if self.optimizer is not None:
                loss = self.optimizer.scale_loss(loss)
        if self.trainable_weights:
            gradients = tape.gradient(loss, self.trainable_weights)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_weights))
        else:
            warnings.warn("The model does not have any trainable weights.")
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def test_step(self, data):
        x, y, sample_weight = data_adapter_utils.unpack_x_y_sample_weight(data)
        y_pred = self(x, training=False) if self._call_has_training_arg else self(x)
        loss = self._compute_loss(
            x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=False
        )
        self._loss_tracker.update_state(loss, sample_weight=_rows(x))
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def predict_step(self, data):
        x, _, _ = data_adapter_utils.unpack_x_y_sample_weight(data)
        return self(x, training=False) if self._call_has_training_arg else self(x)

    # Functions of an iterator that run `steps_per_execution` steps.

    def make_train_function(self, force=False):
        if self.train_function is None or force:
            self.train_function = self._make_function(self.train_step, "train_function")
        return self.train_function

    def make_test_function(self, force=False):
        if self.test_function is None or force:
            self.test_function = self._make_function(self.test_step, "test_function")
        return self.test_function

    def make_predict_function(self, force=False):
        if self.predict_function is None or force:
            self.predict_function = self._make_function(self.predict_step, "predict_function")
        return self.predict_function

    def _make_function(self, step_function, name):
        step = Step(step_function, name, self.run_eagerly, bool(self.jit_compile))

        def function(iterator):
            steps, results = step.run(iterator, self.steps_per_execution)
            if steps == 0:
                raise StopIteration
            self._per_execution.add_steps(steps)
            return results

        # The loop of fit uses it to join executions.
        function.step = step
        return function

    # Loops.

    @traceback_utils.filter_traceback
    def fit(
        self,
        x=None,
        y=None,
        batch_size=None,
        epochs=1,
        verbose="auto",
        callbacks=None,
        validation_split=0.0,
        validation_data=None,
        shuffle=True,
        class_weight=None,
        sample_weight=None,
        initial_epoch=0,
        steps_per_epoch=None,
        validation_steps=None,
        validation_batch_size=None,
        validation_freq=1,
    ):
        self._assert_compile_called("fit")
        max_epochs = config.max_epochs()
        if max_epochs and max_epochs < epochs:
            warnings.warn(f"Limiting epochs to {max_epochs}")
            epochs = max_epochs
        self._eval_epoch_iterator = None
        if validation_split and validation_data is None:
            (x, y, sample_weight), validation_data = array_slicing.train_validation_split(
                (x, y, sample_weight), validation_split=validation_split
            )
        if validation_data is not None:
            val_x, val_y, val_sample_weight = data_adapter_utils.unpack_x_y_sample_weight(
                validation_data
            )
        epoch_iterator = self._epoch_iterator(
            x=x,
            y=y,
            sample_weight=sample_weight,
            batch_size=batch_size,
            steps_per_epoch=steps_per_epoch,
            shuffle=shuffle,
            class_weight=class_weight,
        )
        self._symbolic_build(iterator=epoch_iterator)
        epoch_iterator.reset()
        callbacks = self._callback_list(
            callbacks, epoch_iterator, verbose, epochs=epochs, add_history=True
        )
        self.stop_training = False
        self.make_train_function()
        callbacks.on_train_begin()
        training_logs = None
        training_finished = False
        initial_epoch = self._initial_epoch or initial_epoch
        if self._tuner is not None:
            self._tuner.start()
        try:
            for epoch in range(initial_epoch, epochs):
                self.reset_metrics()
                callbacks.on_epoch_begin(epoch)
                logs = self._run_epoch(
                    epoch_iterator,
                    self.train_function,
                    callbacks.on_train_batch_begin,
                    callbacks.on_train_batch_end,
                    _watches(callbacks, "train"),
                    lambda: self.stop_training,
                )
                # Prefers the model's metrics to the last step's logs if both have the same names.
                epoch_logs = dict(pythonify_logs(self._get_metrics_result_or_logs(logs)))
                if validation_data is not None and self._should_eval(epoch, validation_freq):
                    if self._eval_epoch_iterator is None:
                        self._eval_epoch_iterator = self._epoch_iterator(
                            x=val_x,
                            y=val_y,
                            sample_weight=val_sample_weight,
                            batch_size=validation_batch_size or batch_size,
                            steps_per_epoch=validation_steps,
                            shuffle=False,
                        )
                    val_logs = self.evaluate(
                        x=val_x,
                        y=val_y,
                        sample_weight=val_sample_weight,
                        batch_size=validation_batch_size or batch_size,
                        steps=validation_steps,
                        callbacks=callbacks,
                        return_dict=True,
                        _use_cached_eval_dataset=True,
                    )
                    epoch_logs.update({f"val_{name}": value for name, value in val_logs.items()})
                callbacks.on_epoch_end(epoch, epoch_logs)
                training_logs = epoch_logs
                if self.stop_training:
                    break
            training_finished = True
        finally:
            if self._tuner is not None:
                self._tuner.stop()
            if isinstance(self.optimizer, optimizers_module.Optimizer) and epochs > 0:
                self.optimizer.finalize_variable_values(self.trainable_weights)
            self._eval_epoch_iterator = None
            if training_finished:
                callbacks.on_train_end(logs=training_logs)
        return self.history

    @traceback_utils.filter_traceback
    def evaluate(
        self,
        x=None,
        y=None,
        batch_size=None,
        verbose="auto",
        sample_weight=None,
        steps=None,
        callbacks=None,
        return_dict=False,
        **kwargs,
    ):
        self._assert_compile_called("evaluate")
        use_cached_eval_dataset = kwargs.pop("_use_cached_eval_dataset", False)
        if kwargs:
            raise ValueError(f"Arguments not recognized: {kwargs}")
        if use_cached_eval_dataset:
            epoch_iterator = self._eval_epoch_iterator
        else:
            epoch_iterator = self._epoch_iterator(
                x=x,
                y=y,
                sample_weight=sample_weight,
                batch_size=batch_size,
                steps_per_epoch=steps,
                shuffle=False,
            )
        self._symbolic_build(iterator=epoch_iterator)
        epoch_iterator.reset()
        callbacks = self._callback_list(callbacks, epoch_iterator, verbose)
        self.make_test_function()
        self.stop_evaluating = False
        callbacks.on_test_begin()
        self.reset_metrics()
        logs = self._run_epoch(
            epoch_iterator,
            self.test_function,
            callbacks.on_test_batch_begin,
            callbacks.on_test_batch_end,
            _watches(callbacks, "test"),
            lambda: self.stop_evaluating,
        )
        logs = pythonify_logs(self._get_metrics_result_or_logs(logs))
        callbacks.on_test_end(logs)
        if return_dict:
            return logs
        return self._flatten_metrics_in_order(logs)

    @traceback_utils.filter_traceback
    def predict(self, x, batch_size=None, verbose="auto", steps=None, callbacks=None):
        epoch_iterator = self._epoch_iterator(
            x=x, batch_size=batch_size, steps_per_epoch=steps, shuffle=False
        )
        if not all(layer.built for layer in self._flatten_layers()):
            for _, _, iterator in epoch_iterator:
                data = next(iterator, None)
                if data is not None:
                    with StatelessScope():
                        self(data_adapter_utils.unpack_x_y_sample_weight(data)[0])
                break
            epoch_iterator.reset()
        callbacks = self._callback_list(callbacks, epoch_iterator, verbose)
        self.make_predict_function()
        self.stop_predicting = False
        callbacks.on_predict_begin()
        outputs = None
        batch_outputs = None
        with epoch_iterator.catch_stop_iteration():
            for begin_step, end_step, iterator in epoch_iterator:
                callbacks.on_predict_batch_begin(begin_step)
                batch_outputs = self._run_predict(iterator)
                if outputs is None:
                    batches = epoch_iterator.num_batches or 1
                    executions = -(-batches // self.steps_per_execution)
                    outputs = tree.map_structure(lambda _: _Rows(executions), batch_outputs)
                batch_outputs = tree.map_structure_up_to(
                    batch_outputs, lambda rows, part: rows.append(part), outputs, batch_outputs
                )
                callbacks.on_predict_batch_end(end_step, {"outputs": batch_outputs})
                if self.stop_predicting:
                    break
        callbacks.on_predict_end()
        return tree.map_structure(lambda rows: rows.array, outputs)

    def train_on_batch(self, x, y=None, sample_weight=None, class_weight=None, return_dict=False):
        self._assert_compile_called("train_on_batch")
        if class_weight is not None:
            if sample_weight is not None:
                raise ValueError(
                    "Arguments `sample_weight` and `class_weight` cannot be specified at the same "
                    f"time. Received: sample_weight={sample_weight}, class_weight={class_weight}"
                )
            sample_weight = data_adapter_utils.class_weight_to_sample_weights(y, class_weight)
        data = (x, y, sample_weight)
        self._symbolic_build(data_batch=tree.map_structure(to_tensor, data))
        self.make_train_function()
        return self._logs_on_batch(self.train_function, data, return_dict)

    def test_on_batch(self, x, y=None, sample_weight=None, return_dict=False):
        self._assert_compile_called("test_on_batch")
        data = (x, y, sample_weight)
        self._symbolic_build(data_batch=tree.map_structure(to_tensor, data))
        self.make_test_function()
        return self._logs_on_batch(self.test_function, data, return_dict)

    def predict_on_batch(self, x):
        if not all(layer.built for layer in self._flatten_layers()):
            with StatelessScope():
                self(x)
        self.make_predict_function()
        results = self.predict_function(single_batch((x,)))
        return tree.map_structure(lambda x: np.array(_to_array(x)), results)

    # Parts of the loops.

    def _epoch_iterator(self, **arguments):
        return AntlerEpochIterator(steps_per_execution=self._per_execution, **arguments)

    def _callback_list(self, callbacks, epoch_iterator, verbose, epochs=1, add_history=False):
        if isinstance(callbacks, callbacks_module.CallbackList):
            return callbacks
        return _CallbackList(
            callbacks,
            add_history=add_history,
            add_progbar=verbose != 0,
            verbose=verbose,
            epochs=epochs,
            steps=epoch_iterator.num_batches,
            model=self,
        )

    def _run_epoch(self, epoch_iterator, function, on_begin, on_end, watched, stops):
        """Runs the executions of one epoch. Returns the logs of the last one."""
        logs = {}
        joined = None if watched else JoinedExecutions(function, self._per_execution)
        epoch_iterator.before_end = None if joined is None else joined.finish
        with epoch_iterator.catch_stop_iteration():
            for begin_step, end_step, iterator in epoch_iterator:
                if joined is not None and joined.accepts(iterator):
                    joined.add(iterator)
                    if joined.ran_out:
                        break
                    continue
                on_begin(begin_step)
                logs = function(iterator)
                on_end(end_step, logs)
                if stops():
                    break
            if joined is not None and joined.ran_out:
                epoch_iterator.ran_out_after(joined.steps)
                raise StopIteration
        epoch_iterator.before_end = None
        return logs if joined is None or joined.logs is None else joined.logs

    def _run_predict(self, iterator):
        """The outputs of one execution as arrays, which the next execution may overwrite."""
        step = getattr(self.predict_function, "step", None)
        if step is None or self.steps_per_execution == 1:
            return tree.map_structure(_to_array, self.predict_function(iterator))
        results = step.run_all(iterator, self.steps_per_execution)
        if not results:
            raise StopIteration
        results = [tree.map_structure(_to_array, result) for result in results]
        if len(results) == 1:
            return results[0]
        return tree.map_structure(lambda *parts: np.concatenate(parts), *results)

    def _logs_on_batch(self, function, data, return_dict):
        self.reset_metrics()
        logs = pythonify_logs(function(single_batch(data)))
        if return_dict:
            return logs
        return self._flatten_metrics_in_order(logs)


class _CallbackList(callbacks_module.CallbackList):
    """Calls callbacks in the loop's own thread. Keras would start threads, which takes longer than
    predicting a sample."""

    def _configure_async_dispatch(self, callbacks):
        pass


def _watches(callbacks, phase):
    """Whether a callback has a hook that is called for batches of the phase ("train", "test")."""
    base = callbacks_module.Callback

    def overrides(callback, hook):
        # LambdaCallback has its hooks as attributes.
        return getattr(getattr(callback, hook), "__func__", None) is not getattr(base, hook)

    hooks = [f"on_{phase}_batch_begin", f"on_{phase}_batch_end"]
    if phase == "train":
        hooks += ["on_batch_begin", "on_batch_end"]
    if not isinstance(callbacks, callbacks_module.CallbackList):
        return True
    return any(overrides(callback, hook) for callback in callbacks.callbacks for hook in hooks)


def _rows(x):
    return next(leaf for leaf in tree.flatten(x) if leaf is not None).shape[0]


def _to_array(leaf):
    """Shares the memory of a tensor."""
    return leaf.numpy() if isinstance(leaf, _core.Tensor) else np.asarray(leaf)


class _Rows:
    """Collects appended rows in one array, which users may write to."""

    def __init__(self, parts):
        self._parts = parts  # how many are expected
        self._memory = None
        self._count = 0

    def append(self, part):
        """Copies the rows of an array. Returns the copy."""
        if self._memory is None:
            self._memory = np.empty((len(part) * self._parts, *part.shape[1:]), part.dtype)
        end = self._count + len(part)
        if part.shape[1:] != self._memory.shape[1:] or part.dtype != self._memory.dtype:
            # A different dtype, or shapes that concatenate() rejects.
            self._memory = np.concatenate([self.array, part])
        else:
            if end > len(self._memory):
                memory = np.empty((2 * end, *part.shape[1:]), part.dtype)
                memory[: self._count] = self.array
                self._memory = memory
            self._memory[self._count : end] = part
        self._count = end
        return self._memory[end - len(part) : end]

    @property
    def array(self):
        return self._memory[: self._count]
