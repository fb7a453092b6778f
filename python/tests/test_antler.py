"""The module itself: tensors, variables, tapes and functions."""

import pickle
import threading

import antler
import numpy as np
import pytest
from antler import ops


def array(*shape):
    return np.arange(np.prod(shape), dtype="float32").reshape(shape)


def test_tensors_share_memory_with_numpy_in_both_directions():
    x = array(2, 3)
    shared = antler.asarray(x)
    assert np.shares_memory(np.asarray(shared), x)
    assert np.shares_memory(np.from_dlpack(shared), x)
    with pytest.raises(ValueError):
        shared.numpy()[0] = 1  # values are immutable


def test_a_tensor_of_an_array_is_a_copy():
    x = array(2)
    tensor = antler.Tensor(x)
    x[0] = 7
    assert tensor.tolist() == [0, 1]


def test_numbers_are_weak():
    half = antler.Tensor(np.ones(2, "float16"))
    assert (half + 1.5).dtype == "float16"
    assert (half + np.float32(1.5)).dtype == "float32"
    assert (antler.Tensor(np.ones(2, "int8")) + 1).dtype == "int8"


@pytest.mark.parametrize(
    "key",
    [
        1,
        (slice(None), 2),
        (..., slice(None, None, -1)),
        (None, 1),
        [0, 1],
        (slice(None), [2, 0, 2]),
        ([1, 0], slice(1, 3), [3, 2]),
        (slice(None), [1, 2], [0, -1]),
        np.array([[0, 1], [1, -2]]),
        array(2, 3, 4) > 5,
        (0, [True, False, True]),
        slice(-(2**70), 2**70, 2**70),
        slice(None, None, -(2**70)),
        slice(antler.Tensor(1), None),
    ],
)
def test_indices_are_those_of_numpy(key):
    x = array(2, 3, 4)
    np.testing.assert_array_equal(antler.Tensor(x)[key], x[key])


@pytest.mark.parametrize("key, error", [(slice([], 2), TypeError), (2**70, IndexError)])
def test_bad_indices(key, error):
    with pytest.raises(error, match="integer|index"):
        antler.Tensor(array(2, 3))[key]


def test_gradients_of_variables_and_of_tensors():
    v = antler.Variable(antler.Tensor(3.0))
    x = antler.Tensor(np.float32(2))
    with antler.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = v * v * x
    assert float(tape.gradient(y, v)) == 12
    assert float(tape.gradient(y, [x])[0]) == 9


def test_gradients_of_gradients():
    x = antler.Tensor(np.float32(2))
    with antler.GradientTape() as outer:
        outer.watch(x)
        with antler.GradientTape() as inner:
            inner.watch(x)
            y = x**3
        first = inner.gradient(y, x)
    assert float(outer.gradient(first, x)) == 12


def test_a_tape_is_used_once_unless_it_is_persistent():
    v = antler.Variable(antler.Tensor(3.0))
    with antler.GradientTape() as tape:
        y = v * v
    tape.gradient(y, v)
    with pytest.raises(RuntimeError, match="persistent"):
        tape.gradient(y, v)


def test_a_source_without_influence_has_no_gradient():
    v, other = (antler.Variable(antler.Tensor(3.0)) for _ in range(2))
    with antler.GradientTape(persistent=True) as tape:
        y = v * 2.0
    assert tape.gradient(y, other) is None
    assert float(tape.gradient(y, other, unconnected_gradients="zero")) == 0


def test_a_function_is_traced_once_for_each_signature():
    calls = []
    total = antler.Variable(antler.Tensor(np.float32(0)))

    @antler.function
    def step(batch, scale=1.0):
        calls.append(1)
        total.assign_add(ops.sum(batch["x"]) * scale)
        return {"total": total.value(), "pair": (batch["x"], None)}

    x = array(4)
    result = step({"x": x})
    step({"x": x + 1})
    assert len(calls) == step.trace_count == 1
    step({"x": array(5)})
    step({"x": x}, scale=2.0)
    assert len(calls) == 3
    assert result["pair"][1] is None
    assert float(total.value()) == 6 + 10 + 10 + 12


def test_methods_can_be_functions():
    class Counter:
        def __init__(self):
            self.n = antler.Variable(antler.Tensor(0))

        @antler.function
        def add(self, k):
            self.n.assign_add(k)
            return self.n.value()

    a, b = Counter(), Counter()
    a.add(antler.Tensor(np.int32(2)))
    assert int(a.add(antler.Tensor(np.int32(3)))) == 5
    assert int(b.n.value()) == 0


def test_control_flow_is_traced():
    @antler.function
    def f(x):
        [branch] = ops.cond(ops.sum(x) > 0, lambda: [x * 2.0], lambda: [-x])
        [looped] = ops.while_loop(
            lambda v: ops.sum(v[0]) < 100, lambda v: [v[0] * 2.0], [branch], 10
        )
        return branch, looped

    branch, looped = f(antler.Tensor(np.ones(2, "float32")))
    assert branch.tolist() == [2, 2]
    assert looped.tolist() == [64, 64]


def test_errors_are_pythons():
    x = antler.Tensor(array(2, 3))
    with pytest.raises(ValueError, match=r"\(2, 3\) and \(4,\)"):
        x + array(4)
    with pytest.raises(TypeError):
        x + "text"
    with pytest.raises(ValueError, match="float33"):
        ops.cast(x, "float33")
    with pytest.raises(IndexError):
        x[5]
    with pytest.raises(RuntimeError, match="traced"):
        antler.function(lambda t: float(ops.sum(t)))(x)


def test_an_exception_of_a_traced_function_arrives_unchanged():
    class Mine(Exception):
        pass

    @antler.function
    def f(x):
        raise Mine("here")

    for _ in range(2):
        with pytest.raises(Mine, match="here"):
            f(antler.Tensor(1.0))
    assert float(antler.Tensor(1.0) + 1.0) == 2  # nothing is left in a trace


def test_tensors_are_pickled():
    x = antler.Tensor(array(2, 3))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(x)), x)


def test_a_program_runs_beside_python():
    started, stop = threading.Event(), threading.Event()

    def spin():
        started.set()
        while not stop.is_set():
            pass

    @antler.function
    def f(x):
        return ops.matmul(x, x)

    x = antler.Tensor(np.ones((64, 64), "float32"))
    thread = threading.Thread(target=spin)
    thread.start()
    started.wait()
    try:
        for _ in range(50):
            result = f(x)
    finally:
        stop.set()
        thread.join()
    assert float(result[0, 0]) == 64


def test_dictionaries_of_any_keys_and_named_tuples_come_back():
    import collections

    Pair = collections.namedtuple("Pair", "a b")
    f = antler.function(lambda t: Pair({"y": t + 1.0}, [t, 3]))
    result = f(antler.Tensor(np.float32(1)))
    assert isinstance(result, Pair)
    assert float(result.a["y"]) == 2
    assert result.b[1] == 3
