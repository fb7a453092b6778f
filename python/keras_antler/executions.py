"""Executions: runs of a number of compiled steps over batches."""

import threading
import time

from antler import _core
from keras.src import tree

from keras_antler.batches import Batches
from keras_antler.core import convert_to_tensor
from keras_antler.distribution_lib import distribute_rows

# Executions that no callback watches are joined into runs of about this many seconds, so that
# Ctrl-C is noticed.
_RUN_SECONDS = 0.1


def to_tensor(leaf):
    return None if leaf is None else convert_to_tensor(leaf)


class Step:
    """Runs `step(data)` on batches, compiled once for each kind of batch."""

    def __init__(self, step, name, run_eagerly, jit_compile):
        self._step = step
        self._run_eagerly = run_eagerly
        # The batches that a trace reads; thread-local, as a model may predict in several threads.
        self._traced = threading.local()
        self._results = None
        self._function = _core.Function(self._trace, name=name, jit_compile=jit_compile)

    def run(self, batches, n):
        """Runs up to n steps on `batches`. Returns their number and the last results."""
        if self._run_eagerly or not isinstance(batches, Batches):
            steps, results = 0, None
            for _ in range(n):
                data = next(batches, None)
                if data is None:
                    break
                results = self._step(tree.map_structure(to_tensor, data))
                steps += 1
            return steps, results
        self._traced.batches = batches
        try:
            steps, leaves = batches.run(self._function, n)
        finally:
            self._traced.batches = None  # they may hold much data
        return steps, self._pack(leaves) if steps else None

    def run_all(self, batches, n):
        """Runs up to n steps. Returns the results of each."""
        if self._run_eagerly or not isinstance(batches, Batches):
            results = []
            for _ in range(n):
                steps, result = self.run(batches, 1)
                if steps == 0:
                    break
                results.append(result)
            return results
        self._traced.batches = batches
        try:
            results = batches.run_all(self._function, n)
        finally:
            self._traced.batches = None
        return [self._pack(leaves) for leaves in results]

    def _trace(self, arguments):
        leaves = [distribute_rows(leaf) for leaf in arguments[0]]
        self._results = self._step(self._traced.batches.pack([leaves]))
        return [
            None if leaf is None else convert_to_tensor(leaf)
            for leaf in tree.flatten(self._results)
        ]

    def _pack(self, leaves):
        return tree.pack_sequence_as(self._results, leaves)


class JoinedExecutions:
    """Runs several executions in one call if no callback is called between them.

    Executions are collected with `add`; they run when there are enough of them.
    """

    def __init__(self, function, per_execution):
        self._step = getattr(function, "step", None)
        self._per_execution = per_execution
        self._iterator = None
        self._waiting = 0  # steps
        self._executions = 0
        self._limit = 1  # executions of one run
        self.logs = None  # of the last step
        self.steps = 0  # done
        self.ran_out = False  # a run found no data

    def accepts(self, iterator):
        return self._step is not None and isinstance(iterator, Batches)

    def add(self, iterator):
        self._iterator = iterator
        self._waiting += self._per_execution.value
        self._executions += 1
        if self._executions >= self._limit:
            self.finish()

    def finish(self):
        """Runs the collected executions."""
        if self._waiting == 0:
            return
        wanted, self._waiting, self._executions = self._waiting, 0, 0
        start = time.perf_counter()
        steps = 0
        while steps < wanted:
            # One call ends where the shapes of batches change.
            done, logs = self._step.run(self._iterator, wanted - steps)
            if done == 0:
                break
            steps, self.logs = steps + done, logs
        self.ran_out = steps == 0
        self.steps += steps
        self._per_execution.add_steps(steps)
        seconds = time.perf_counter() - start
        if seconds < _RUN_SECONDS:
            self._limit *= 2
        elif seconds > 2 * _RUN_SECONDS:
            self._limit = max(1, self._limit // 2)
