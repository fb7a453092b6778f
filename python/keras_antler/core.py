"""Tensors, variables, shape inference and control flow of the backend."""

import contextlib
import functools

import numpy as np
from antler import _core
from antler._core import Tensor
from keras.src import tree
from keras.src.backend.common import KerasVariable
from keras.src.backend.common import global_state
from keras.src.backend.common import standardize_dtype
from keras.src.backend.common.keras_tensor import KerasTensor
from keras.src.backend.common.name_scope import name_scope as name_scope
from keras.src.backend.common.stateless_scope import StatelessScope
from keras.src.backend.common.stateless_scope import get_stateless_scope
from keras.src.backend.common.stateless_scope import in_stateless_scope
from keras.src.backend.common.symbolic_scope import SymbolicScope
from keras.src.backend.config import floatx

# The dtype of floating results whose operands do not determine one.
_core.set_default_float(floatx())

SUPPORTS_SPARSE_TENSORS = False
SUPPORTS_RAGGED_TENSORS = False
SUPPORTS_COMPLEX_DTYPES = False
IS_THREAD_SAFE = True


class Variable(KerasVariable):
    """A Keras variable whose state is an `antler.Variable`, so that traced functions update it."""

    def _initialize(self, value):
        with _core.TraceSuspension():
            self._value = _core.Variable(
                convert_to_tensor(value, dtype=self._dtype),
                name=self._name,
                trainable=self._trainable,
            )
        self._value.path = self._path
        self._shape = self._value.shape
        self._divide()

    def _divide(self):
        """Divides the storage over the devices of the current distribution."""
        distribution = global_state.get_global_attribute("distribution")
        if self._layout is None and distribution is not None:
            self._layout = distribution.get_variable_layout(self)
        if self._layout is not None:
            layout = getattr(self._layout, "backend_layout", self._layout)
            _core.distribute_variable(self._value, layout)

    def _initialize_with_initializer(self, initializer):
        # The initial value must not become part of a function that is being traced.
        with _core.TraceSuspension():
            super()._initialize_with_initializer(initializer)

    def _direct_assign(self, value):
        self._value.assign(value)

    def _convert_to_tensor(self, value, dtype=None):
        return convert_to_tensor(value, dtype=dtype)

    @property
    def value(self):
        if in_stateless_scope():
            value = get_stateless_scope().get_current_value(self)
            if value is not None:
                return self._maybe_autocast(value)
        if self._value is None:
            # A variable without a value is read only for its shape.
            return self._maybe_autocast(self._initializer(self._shape, dtype=self._dtype))
        return self._maybe_autocast(self._value.value())

    @property
    def antler_variable(self):
        """The `antler.Variable`; None before initialization."""
        return self._value

    # The tape watches reads of trainable variables, so the antler.Variable needs the flag too.
    @property
    def trainable(self):
        return self._trainable

    @trainable.setter
    def trainable(self, value):
        self._trainable = bool(value)
        if self._value is not None:
            self._value.trainable = self._trainable

    def numpy(self):
        return np.array(convert_to_numpy(self.value))

    def __array__(self, dtype=None, copy=None):
        array = convert_to_numpy(self.value)
        return array if dtype is None else array.astype(dtype, copy=False)

    def __antler_tensor__(self):
        return self.value

    def __getstate__(self):
        state = self.__dict__.copy()
        if self._value is not None:
            state["_value"] = np.array(convert_to_numpy(self._value.stored()))
        state["_layout"] = None  # the layout is set anew when the variable is restored
        return state

    def __setstate__(self, state):
        value = state.pop("_value")
        self.__dict__.update(state)
        self._value = None
        if value is not None:
            self._initialize(value)

    def __deepcopy__(self, memo):
        import copy

        clone = self.__class__.__new__(self.__class__)
        memo[id(self)] = clone
        clone.__setstate__(copy.deepcopy(self.__getstate__(), memo))
        return clone


def convert_to_tensor(x, dtype=None, sparse=None, ragged=None):
    if sparse:
        raise ValueError("`sparse=True` is not supported with the antler backend.")
    if ragged:
        raise ValueError("`ragged=True` is not supported with the antler backend.")
    if dtype is not None:
        dtype = standardize_dtype(dtype)
    if isinstance(x, Tensor):
        if dtype is None or x.dtype == dtype and not x.is_weak:
            return x
        return _core.convert_to_tensor(x, dtype)
    if isinstance(x, KerasVariable):
        return convert_to_tensor(x.value, dtype)
    if x is None:
        raise ValueError("None cannot be converted to a tensor.")
    if isinstance(x, KerasTensor):
        raise ValueError(f"A KerasTensor has no values to convert to a tensor. Received: {x}")
    if dtype is None:
        dtype = _default_dtype(x)
    if isinstance(x, (list, tuple)):
        leaves = tree.flatten(x)
        if any(isinstance(leaf, (Tensor, KerasVariable)) for leaf in leaves):
            return _stack(x, dtype)
        # Through NumPy, which checks that the rows have the same length.
        x = np.asarray(x)
    if hasattr(x, "detach") and hasattr(x, "numpy"):
        x = x.detach().cpu().numpy()  # torch
    return _core.convert_to_tensor(x, dtype)


def _stack(x, dtype):
    parts = [convert_to_tensor(part, dtype) for part in x]
    return _core.stack(parts, 0)


def _default_dtype(x):
    """The dtype of Python numbers; None for values that have their own dtype."""
    if isinstance(x, bool):
        return "bool"
    if isinstance(x, int):
        return "int32" if -(2**31) <= x < 2**31 else "int64"
    if isinstance(x, float):
        return floatx()
    if isinstance(x, (list, tuple)):
        leaves = tree.flatten(x)
        if not leaves:
            return floatx()
        if all(isinstance(leaf, bool) for leaf in leaves):
            return "bool"
        if all(isinstance(leaf, int) for leaf in leaves):
            small = all(-(2**31) <= leaf < 2**31 for leaf in leaves)
            return "int32" if small else "int64"
        if all(isinstance(leaf, (bool, int, float)) for leaf in leaves):
            return floatx()
        from keras.src.backend.common.dtypes import result_type

        return result_type(*[getattr(leaf, "dtype", type(leaf)) for leaf in leaves])
    return None


def convert_to_numpy(x):
    if isinstance(x, (list, tuple)):
        return np.array([convert_to_numpy(part) for part in x])
    if isinstance(x, KerasVariable):
        x = x.value
    if isinstance(x, (Tensor, _core.Variable)):
        # A copy, because callers may write to it; `x.numpy()` shares the memory.
        return np.array(x.numpy())
    return np.asarray(x)


def is_tensor(x):
    return isinstance(x, Tensor)


def shape(x):
    return x.shape


def cast(x, dtype):
    dtype = standardize_dtype(dtype)
    x = convert_to_tensor(x)
    if dtype.startswith("float8"):
        # Antler has no float8 dtype: rounds to the numbers of the format, in float32.
        return _core.round_to_float8(x, dtype)
    if x.dtype == dtype and not x.is_weak:
        return x
    return _core.cast(x, dtype)


def as_float(x):
    """A tensor whose dtype is floating: integers and booleans become `floatx`."""
    x = convert_to_tensor(x)
    return x if "float" in x.dtype else cast(x, floatx())


def random_seed_dtype():
    return "uint32"


# Shape inference.

# Values for unknown dimensions. A dimension that differs between the two traces is unknown.
_UNKNOWN_DIMENSIONS = (83, 89)


def compute_output_spec(fn, *args, **kwargs):
    flat = tree.flatten((args, kwargs))
    symbolic = [i for i, leaf in enumerate(flat) if isinstance(leaf, KerasTensor)]
    has_unknown = any(None in flat[i].shape for i in symbolic)
    traces = []
    for dimension in _UNKNOWN_DIMENSIONS if has_unknown else _UNKNOWN_DIMENSIONS[:1]:
        # Each trace has its own scope, which holds tensors of the trace.
        with StatelessScope(), SymbolicScope():
            traces.append(_output_specs(fn, (args, kwargs), flat, symbolic, dimension))
    structure, specs = traces[0]
    outputs = []
    for i, spec in enumerate(specs):
        if not is_tensor(spec):
            outputs.append(spec)
            continue
        dims = list(spec.shape)
        if has_unknown:
            other = traces[1][1][i].shape
            dims = [a if a == b else None for a, b in zip(dims, other)]
        outputs.append(KerasTensor(dims, standardize_dtype(spec.dtype)))
    return tree.pack_sequence_as(structure, outputs)


def _output_specs(fn, arguments, flat, symbolic, dimension):
    """The result of fn, for its structure, and its leaves: specs of tensors, other values as they
    are."""
    result = None
    others = None

    def trace(inputs):
        nonlocal result, others
        leaves = list(flat)
        for i, tensor in zip(symbolic, inputs):
            leaves[i] = tensor
        args, kwargs = tree.pack_sequence_as(arguments, leaves)
        result = fn(*args, **kwargs)
        others = [
            convert_to_tensor(leaf) if isinstance(leaf, (np.ndarray, KerasVariable)) else leaf
            for leaf in tree.flatten(result)
        ]
        return [leaf if is_tensor(leaf) else None for leaf in others]

    inputs = [
        _core.spec_only(
            standardize_dtype(flat[i].dtype),
            [dimension if d is None else d for d in flat[i].shape],
        )
        for i in symbolic
    ]
    specs = _core.output_specs(trace, inputs)
    return result, [other if spec is None else spec for spec, other in zip(specs, others)]


# Control flow. Bodies return trees; the operations of Antler take lists of tensors.


class _Body:
    """Turns a function of trees into one of lists of tensors; keeps the structure of its result."""

    def __init__(self, f, arguments=None):
        self._f = f
        self._arguments = arguments
        self._leaves = None
        self._structure = None

    def __call__(self, *leaves):
        args = () if self._arguments is None else tree.pack_sequence_as(self._arguments, leaves)
        self._structure = self._f(*args)
        self._leaves = [
            None if leaf is None else convert_to_tensor(leaf)
            for leaf in tree.flatten(self._structure)
        ]
        return [leaf for leaf in self._leaves if leaf is not None]

    def pack(self, tensors):
        """The result's structure with these tensors. None stays None."""
        tensors = iter(tensors)
        leaves = [None if leaf is None else next(tensors) for leaf in self._leaves]
        return tree.pack_sequence_as(self._structure, leaves)


def is_symbolic(x):
    return isinstance(x, Tensor) and x.is_traced


def cond(pred, true_fn, false_fn):
    if isinstance(pred, KerasVariable):
        pred = pred.value
    if not is_symbolic(pred):
        return true_fn() if bool(pred) else false_fn()
    if_true, if_false = _Body(true_fn), _Body(false_fn)
    pred = _core.cast(pred, "bool")
    if pred.ndim > 0:
        pred = _core.reshape(pred, ())
    # Branches without results must still be traced, because they may assign variables.
    marker = _core.zeros((), "bool")
    leaves = _core.cond(pred, lambda: [*if_true(), marker], lambda: [*if_false(), marker])
    return if_true.pack(leaves[:-1])


def switch(index, branches, *operands):
    index = convert_to_tensor(index, "int32")
    if not is_symbolic(index):
        return branches[max(0, min(int(index), len(branches) - 1))](*operands)
    bodies = [_Body(lambda branch=branch: branch(*operands)) for branch in branches]
    return bodies[0].pack(_core.switch(index, bodies))


def while_loop(cond, body, loop_vars, maximum_iterations=None):
    is_sequence = isinstance(loop_vars, (tuple, list))
    values = tuple(loop_vars) if is_sequence else (loop_vars,)
    values = tree.map_structure(convert_to_tensor, values)

    def step(*values):
        result = body(*values)
        return tuple(result) if isinstance(result, (list, tuple)) else (result,)

    if not _core.is_tracing():
        iteration = 0
        while bool(cond(*values)) and (
            maximum_iterations is None or iteration < maximum_iterations
        ):
            values = tree.map_structure(convert_to_tensor, step(*values))
            iteration += 1
    else:
        flat = tree.flatten(values)
        one = _Body(step, values)

        def condition(leaves):
            result = convert_to_tensor(cond(*tree.pack_sequence_as(values, leaves)), "bool")
            return _core.reshape(result, ())

        leaves = _core.while_loop(
            condition,
            lambda leaves: one(*leaves),
            flat,
            -1 if maximum_iterations is None else int(maximum_iterations),
        )
        values = tree.pack_sequence_as(values, leaves)
    return values if is_sequence else values[0]


def fori_loop(lower, upper, body_fun, init_val):
    if is_symbolic(lower) or is_symbolic(upper):
        lower = convert_to_tensor(lower, "int32")
        _, value = while_loop(
            lambda i, _: _core.less(i, upper),
            lambda i, value: (_core.add(i, 1), body_fun(i, value)),
            (lower, init_val),
        )
        return value
    value = tree.map_structure(convert_to_tensor, init_val)
    flat = tree.flatten(value)

    def body(i, leaves):
        result = body_fun(i, tree.pack_sequence_as(value, leaves))
        return [convert_to_tensor(leaf) for leaf in tree.flatten(result)]

    leaves = _core.fori_loop(int(lower), int(upper), body, flat)
    return tree.pack_sequence_as(value, leaves)


def scan(f, init, xs=None, length=None, reverse=False, unroll=1):
    if not callable(f):
        raise TypeError(f"`f` should be a callable. Received: f={f}")
    if not isinstance(unroll, bool) and (not isinstance(unroll, int) or unroll < 1):
        raise ValueError(
            f"`unroll` must be an positive integer or boolean. Received: unroll={unroll}"
        )
    if xs is None and length is None:
        raise ValueError("Got no `xs` to scan over and `length` not provided.")
    carry = tree.map_structure(convert_to_tensor, init)
    xs = None if xs is None else tree.map_structure(convert_to_tensor, xs)
    flat_xs = [] if xs is None else tree.flatten(xs)
    n = int(length) if length is not None else flat_xs[0].shape[0]
    y = None
    has_y = True

    def step(carry_leaves, x_leaves):
        nonlocal y, has_y
        x = None if xs is None else tree.pack_sequence_as(xs, x_leaves)
        next_carry, y = f(tree.pack_sequence_as(carry, carry_leaves), x)
        next_leaves = [convert_to_tensor(leaf) for leaf in tree.flatten(next_carry)]
        has_y = y is not None
        y_leaves = [convert_to_tensor(leaf) for leaf in tree.flatten(y)] if has_y else []
        return next_leaves, y_leaves

    carry_leaves, ys = _core.scan(step, tree.flatten(carry), flat_xs, n, reverse)
    carry = tree.pack_sequence_as(carry, carry_leaves)
    if not has_y:
        # In this case Keras returns zeros in the shape of the carries.
        return carry, tree.map_structure(
            lambda leaf: _core.zeros((n, *leaf.shape), leaf.dtype), carry
        )
    return carry, tree.pack_sequence_as(y, ys)


def associative_scan(f, elems, reverse=False, axis=0):
    if not callable(f):
        raise TypeError(f"`f` should be a callable. Received: f={f}")
    elems = tree.map_structure(convert_to_tensor, elems)
    flat = tree.flatten(elems)
    sizes = {leaf.shape[axis] for leaf in flat}
    if len(sizes) > 1:
        raise ValueError(
            "Array inputs to associative_scan must have the same first dimension. "
            f"(saw: {[leaf.shape for leaf in flat]})"
        )

    def combine(a, b):
        result = f(tree.pack_sequence_as(elems, a), tree.pack_sequence_as(elems, b))
        return [convert_to_tensor(leaf) for leaf in tree.flatten(result)]

    return tree.pack_sequence_as(elems, _core.associative_scan(combine, flat, reverse, axis))


def map(f, xs):
    xs = tree.map_structure(convert_to_tensor, xs)
    body = _Body(f, (xs,))
    return body.pack(_core.map(lambda leaves: body(*leaves), tree.flatten(xs)))


def vectorized_map(function, elements):
    # The compiler computes elements together where it can.
    return map(function, elements)


# Slices, gather and scatter.


def scatter(indices, values, shape):
    values = convert_to_tensor(values)
    indices = convert_to_tensor(indices, "int32")
    zeros = _core.zeros([int(d) for d in shape], values.dtype)
    return _core.scatter_nd(zeros, indices, values, "add")


def scatter_update(inputs, indices, updates, reduction=None):
    if reduction not in (None, "add", "max", "min", "mul"):
        raise ValueError(f"Unsupported reduction: {reduction}")
    inputs = convert_to_tensor(inputs)
    indices = convert_to_tensor(indices, "int32")
    updates = convert_to_tensor(updates, inputs.dtype)
    return _core.scatter_nd(inputs, indices, updates, reduction or "set")


def slice(inputs, start_indices, shape):
    inputs = convert_to_tensor(inputs)
    shape = [int(size) for size in shape]
    if len(start_indices) != len(shape):
        raise ValueError(
            "Length of `start_indices` must match length of `shape`. "
            f"Received: start_indices={start_indices}, shape={shape}"
        )
    if _is_static(start_indices):
        return _core.slice(inputs, [int(i) for i in start_indices], shape)
    return _core.dynamic_slice(inputs, convert_to_tensor(start_indices, "int32"), shape)


def _is_static(indices):
    leaves = [indices] if isinstance(indices, Tensor) else indices
    return not any(is_symbolic(i) for i in leaves)


def slice_update(inputs, start_indices, updates):
    inputs = convert_to_tensor(inputs)
    start_indices = convert_to_tensor(start_indices, "int32")
    return _core.slice_update(inputs, start_indices, convert_to_tensor(updates, inputs.dtype))


def unstack(x, num=None, axis=0):
    return _core.unstack(convert_to_tensor(x), axis)


# Gradients.


def stop_gradient(variable):
    if isinstance(variable, KerasVariable):
        variable = variable.value
    return _core.stop_gradient(variable)


class custom_gradient:
    """Decorator: `fun(*args)` returns its result and a function that computes the gradients."""

    def __init__(self, fun):
        self.fun = fun

    def __call__(self, *args, **kwargs):
        args = [convert_to_tensor(arg) for arg in args]
        outputs = None
        gradient = None

        def forward(inputs):
            nonlocal outputs, gradient
            outputs, gradient = self.fun(*inputs, **kwargs)
            return [convert_to_tensor(leaf) for leaf in tree.flatten(outputs)]

        def backward(inputs, results, output_gradients):
            gradients = tree.flatten(gradient(*output_gradients))
            # Keras lets a function omit the gradients of its last arguments.
            return [*gradients, *[None] * (len(inputs) - len(gradients))]

        results = _core.custom_gradient(forward, backward, args)
        return tree.pack_sequence_as(outputs, results)


def remat(f):
    """Wraps `f` so that its intermediate values are recomputed for the gradient."""

    @functools.wraps(f, updated=())
    def rematerialized(*args, **kwargs):
        with _core.RematRegion():
            return f(*args, **kwargs)

    return rematerialized


@contextlib.contextmanager
def device_scope(device_name):
    """Checks the name. Programs run on the device of `antler.config.set_device`."""
    if not isinstance(device_name, str):
        raise ValueError(
            "Invalid value for argument `device_name`. Expected a string like 'gpu:0'. "
            f"Received: device_name='{device_name}'"
        )
    yield
