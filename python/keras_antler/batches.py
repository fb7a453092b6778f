"""The batches of one fit, evaluate or predict. If they are rows of arrays, Antler's loop reads them
without calling Python."""

import numpy as np
from antler import _core
from keras.src import tree
from keras.src.trainers.data_adapters.array_data_adapter import ArrayDataAdapter
from keras.src.trainers.epoch_iterator import EpochIterator

from keras_antler.core import convert_to_tensor


class Batches:
    """Repeated passes over the data. Antler's StepRunner reads `source`.

    Also a Python iterator, for train functions that a user writes. A batch is a tree; the source
    returns the list of its leaves as x.
    """

    def __init__(self, source, structure):
        self.source = source
        self._structure = structure
        # Keyed by function, because a function must live as long as its runner.
        self._runners = {}
        self._starts = True

    def start_pass(self):
        """Makes the next read start a new pass, unless nothing was read from the current one."""
        if not self._starts:
            self.source.reset()
            self._starts = True

    def run(self, function, n):
        """Runs up to n steps of a `_core.Function`. Returns their number and the last outputs."""
        self._starts = False
        return self._runner(function).run(n)

    def run_all(self, function, n):
        """Runs up to n steps of a function. Returns the outputs of each."""
        self._starts = False
        return self._runner(function).run_all(n)

    def pack(self, arguments):
        """The batch that a source returned as [x, y, sample_weight]."""
        return tree.pack_sequence_as(self._structure(), arguments[0])

    def __iter__(self):
        return self

    def __next__(self):
        outputs = self.run_all(_identity(), 1)
        if not outputs:
            raise StopIteration
        return self.pack([outputs[0]])

    def _runner(self, function):
        runner = self._runners.get(function)
        if runner is None:
            runner = self._runners[function] = _core.StepRunner(function, self.source)
        return runner


_identity_function = None


def _identity():
    global _identity_function
    if _identity_function is None:
        _identity_function = _core.Function(lambda arguments: arguments[0], name="next_batch")
    return _identity_function


class AntlerEpochIterator(EpochIterator):
    """Keras's EpochIterator over `Batches`: yields the first and the last step of each execution.

    `steps_per_execution` is an `antler.StepsPerExecution`, read for each execution.
    """

    def __init__(self, *args, steps_per_execution, **kwargs):
        super().__init__(*args, **kwargs)
        self._per_execution = steps_per_execution
        self._batches = None
        # Called after the last execution of an epoch, before the adapter's on_epoch_end().
        self.before_end = None

    def __next__(self):
        return next(self._epoch_iterator)

    def _enumerate_iterator(self):
        self.data_adapter.on_epoch_begin()
        steps = self.steps_per_epoch or self._num_batches or None
        if steps is None or self._current_iterator is None or self.steps_per_epoch is None:
            self._current_iterator = self._get_iterator()
            self._steps_seen = 0
        step = 0
        while steps is None or step < steps:
            if steps is not None and self._pass_is_over():
                if self.steps_per_epoch:
                    self._interrupted_warning()
                break
            n = self._per_execution.value
            self._steps_seen += n
            yield step, step + n - 1, self._current_iterator
            step += n
        if self.before_end is not None:
            self.before_end()
        if steps is not None and self._pass_is_over():
            self._current_iterator = self._get_iterator()
            self._steps_seen = 0
        self.data_adapter.on_epoch_end()

    def ran_out_after(self, steps):
        """Reports that the execution after these steps found no data. Keras counts its steps."""
        self._steps_seen = steps + self._per_execution.value

    def _pass_is_over(self):
        return self._num_batches and self._steps_seen >= self._num_batches

    def _get_iterator(self):
        if self._batches is None:
            self._batches = _array_batches(self.data_adapter) or _python_batches(self.data_adapter)
        else:
            self._batches.start_pass()
        return self._batches

    def reset(self):
        super().reset()
        if self._batches is not None:
            self._batches.start_pass()


def single_batch(data):
    """`Batches` with a single batch."""
    tensors = [None if leaf is None else convert_to_tensor(leaf) for leaf in tree.flatten(data)]
    batches = iter([[tensors, None, None]])
    source = _core.python_source(lambda: next(batches, None), lambda: None)
    return Batches(source, lambda: data)


def _array_batches(adapter):
    """None unless the data are arrays in memory."""
    if type(adapter) is not ArrayDataAdapter or adapter._shuffle not in (True, False):
        return None
    inputs = adapter._inputs
    leaves = tree.flatten(inputs)
    if not all(leaf is None or isinstance(leaf, (np.ndarray, _core.Tensor)) for leaf in leaves):
        return None
    leaves = [None if leaf is None else _standard_array(leaf) for leaf in leaves]
    # Antler's source would convert float64 to float32, but Keras converts it to `floatx`.
    if any(
        leaf is not None and (leaf.dtype.kind not in "biuf" or leaf.dtype == "float64")
        for leaf in leaves
    ):
        return None
    source = _core.array_source(
        [None if leaf is None else _core.asarray(leaf) for leaf in leaves],
        batch_size=adapter._batch_size,
        shuffle=bool(adapter._shuffle),
        # Seeded from NumPy's generator, which keras.utils.set_random_seed sets.
        seed=int(np.random.randint(2**31)) if adapter._shuffle else 0,
    )
    return Batches(source, lambda: inputs)


def _standard_array(array):
    """As in Keras, floats get the dtype `floatx`."""
    from keras.src.backend.config import floatx

    array = np.asarray(array)
    if array.dtype.kind == "f" and array.dtype.name != floatx():
        return array.astype(floatx())
    return array


def _python_batches(adapter):
    iterator = None
    structure = None

    def next_batch():
        nonlocal iterator, structure
        if iterator is None:
            iterator = iter(adapter.get_numpy_iterator())
        batch = next(iterator, None)
        if batch is None:
            return None
        structure = batch
        return [tree.flatten(batch), None, None]

    def reset():
        nonlocal iterator
        iterator = None

    return Batches(_core.python_source(next_batch, reset), lambda: structure)
