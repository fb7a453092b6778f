"""The operations of `keras.ops.numpy`.

Antler has most of them under the same names and with Keras's dtype rules; a table defines these.
The others are composed of operations, so they can be traced and differentiated as well.
"""

import builtins
import math
import operator

import numpy as np
from antler import _core
from antler._core import Tensor
from keras.src.backend.common import standardize_dtype
from keras.src.backend.common.backend_utils import canonicalize_axis
from keras.src.backend.common.backend_utils import vectorize_impl
from keras.src.backend.common.dtypes import result_type
from keras.src.backend.config import floatx

from keras_antler.core import as_float
from keras_antler.core import cast
from keras_antler.core import convert_to_tensor
from keras_antler.core import vectorized_map

_NUMBERS = (bool, int, float)


def _operand(x):
    """Numbers stay numbers: they take the dtype of the other operand."""
    return x if isinstance(x, Tensor) or type(x) in _NUMBERS else convert_to_tensor(x)


def _operands(x1, x2):
    """Two operands, at least one of them a tensor."""
    if isinstance(x1, Tensor) and isinstance(x2, Tensor) and x1.dtype == x2.dtype:
        return x1, x2
    if type(x1) in _NUMBERS:
        return x1, convert_to_tensor(x2)
    if type(x2) in _NUMBERS:
        return convert_to_tensor(x1), x2
    return _tensors((x1, x2))


def _tensors(xs):
    xs = [convert_to_tensor(x) for x in xs]
    names = {x.dtype for x in xs}
    if "uint32" in names and names & {"int8", "int16", "int32"}:
        # Antler promotes these to int64; Keras's rules do not use 64 bits.
        dtype = result_type(*names)
        xs = [cast(x, dtype) for x in xs]
    return xs


def _is_float(dtype):
    return "float" in dtype


def _type(x):
    return getattr(x, "dtype", type(x))


def _dtype(dtype):
    """The name of a dtype of Antler; None is Keras's default."""
    dtype = standardize_dtype(dtype or floatx())
    if "complex" in dtype or "float8" in dtype:
        raise ValueError(f"The antler backend has no dtype '{dtype}'.")
    return dtype


def _integers(values):
    """Python numbers of an integer, a sequence, an array or a tensor of them."""
    if isinstance(values, (Tensor, np.ndarray)):
        return np.asarray(values).tolist()
    if isinstance(values, (list, tuple)):
        return [operator.index(v) for v in values]
    return operator.index(values)


def _define(function, name):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`keras.ops.{name}` on Antler."
    globals()[name] = function


def _unary(name, op):
    _define(lambda x: op(convert_to_tensor(x)), name)


def _binary(name, op):
    _define(lambda x1, x2: op(*_operands(x1, x2)), name)


def _bitwise(name, op):
    _define(lambda x, y: op(*_operands(x, y)), name)


def _reduction(name, op):
    _define(lambda x, axis=None, keepdims=False: _reduce(op, x, axis, keepdims), name)


def _reduce(op, x, axis, keepdims):
    x = convert_to_tensor(x)
    if isinstance(axis, (list, tuple)) and len(axis) == 0:
        # In Antler an empty axis list means all axes; in NumPy each element is reduced by itself.
        return op(_core.expand_dims(x, -1), -1, False)
    return op(x, axis, keepdims)


for _name in """
    arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil copy cos cosh deg2rad exp exp2
    expm1 fabs fliplr flipud floor i0 isfinite isinf isnan isneginf isposinf log log10 log1p log2
    logical_not negative rad2deg ravel reciprocal sign signbit sin sinc sinh sqrt square tan tanh
    trunc
""".split():
    _unary(_name, getattr(_core, _name))

for _name in """
    add arctan2 divide divide_no_nan equal floor_divide fmax fmin fmod gcd greater greater_equal
    heaviside hypot inner kron lcm ldexp less less_equal logaddexp logaddexp2 logical_and logical_or
    logical_xor maximum minimum mod multiply not_equal outer power subtract true_divide vdot
""".split():
    _binary(_name, getattr(_core, _name))

for _name in "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift".split():
    _bitwise(_name, getattr(_core, _name))
_bitwise("left_shift", _core.left_shift)
_bitwise("right_shift", _core.right_shift)

for _name in """
    all amax amin any mean median nanmax nanmean nanmedian nanmin nanprod nanstd nansum nanvar ptp
    std sum var
""".split():
    _reduction(_name, getattr(_core, _name))

del _name


def bitwise_invert(x):
    return _core.bitwise_invert(convert_to_tensor(x))


def bitwise_not(x):
    return bitwise_invert(x)


def nextafter(x1, x2):
    x1, x2 = _tensors((x1, x2))
    dtype = result_type(x1.dtype, x2.dtype, float)
    return _core.nextafter(cast(x1, dtype), cast(x2, dtype))


def dot(x1, x2):
    return _core.dot(*_tensors((x1, x2)))


def clip(x, x_min, x_max):
    x = convert_to_tensor(x)
    dtype = "int32" if x.dtype == "bool" else x.dtype
    if x_min is not None:
        x = _core.maximum(x, _operand(x_min))
    if x_max is not None:
        x = _core.minimum(x, _operand(x_max))
    return cast(x, dtype)


def nan_to_num(x, nan=0.0, posinf=None, neginf=None):
    return _core.nan_to_num(convert_to_tensor(x), nan, posinf, neginf)


def round(x, decimals=0):
    return _core.round(convert_to_tensor(x), decimals)


def isclose(x1, x2, rtol=1e-5, atol=1e-8, equal_nan=False):
    return _core.isclose(*_operands(x1, x2), rtol, atol, equal_nan)


def allclose(x1, x2, rtol=1e-5, atol=1e-8, equal_nan=False):
    return _core.allclose(*_operands(x1, x2), rtol, atol, equal_nan)


def where(condition, x1=None, x2=None):
    if x1 is None and x2 is None:
        return nonzero(condition)
    if x1 is None or x2 is None:
        raise ValueError("`x1` and `x2` either both should be `None` or both not be `None`.")
    return _core.where(convert_to_tensor(condition), *_operands(x1, x2))


def select(condlist, choicelist, default=0):
    return _core.select(_tensors(condlist), _tensors(choicelist), _operand(default))


# Complex numbers: Antler has none, so arrays of them are NumPy's.


def _is_complex(x):
    return isinstance(x, (complex, list, np.ndarray, np.generic)) and np.iscomplexobj(x)


def abs(x):
    return _core.absolute(convert_to_tensor(np.abs(x) if _is_complex(x) else x))


def absolute(x):
    return abs(x)


def real(x):
    return convert_to_tensor(np.real(x) if _is_complex(x) else x)


def imag(x):
    if _is_complex(x):
        return convert_to_tensor(np.imag(x))
    return _core.zeros_like(convert_to_tensor(x))


def conj(x):
    return np.conj(x) if _is_complex(x) else convert_to_tensor(x)


def conjugate(x):
    return conj(x)


def isreal(x):
    if _is_complex(x):
        return convert_to_tensor(np.isreal(x))
    return cast(_core.ones_like(convert_to_tensor(x)), "bool")


def angle(x):
    if _is_complex(x):
        return convert_to_tensor(np.angle(x))
    x = as_float(x)
    # NaN stays NaN.
    zero = _core.multiply(x, 0.0)
    return _core.where(_core.less(x, 0), _core.add(zero, math.pi), zero)


# Creation.


def array(x, dtype=None):
    return convert_to_tensor(x, dtype=dtype)


def view(x, dtype=None):
    x = convert_to_tensor(x)
    return _core.view(x, _dtype(dtype or x.dtype))


def zeros(shape, dtype=None):
    return _core.zeros(_integers(shape), _dtype(dtype))


def ones(shape, dtype=None):
    return _core.ones(_integers(shape), _dtype(dtype))


def empty(shape, dtype=None):
    return zeros(shape, dtype)


def full(shape, fill_value, dtype=None):
    dtype = _dtype(dtype)
    return _core.full(_integers(shape), convert_to_tensor(fill_value, dtype), dtype)


def zeros_like(x, dtype=None):
    x = convert_to_tensor(x)
    return _core.zeros(x.shape, _dtype(dtype or x.dtype))


def ones_like(x, dtype=None):
    x = convert_to_tensor(x)
    return _core.ones(x.shape, _dtype(dtype or x.dtype))


def empty_like(x, dtype=None):
    return zeros_like(x, dtype)


def full_like(x, fill_value, dtype=None):
    x = convert_to_tensor(x)
    return full(x.shape, fill_value, dtype or x.dtype)


def arange(start, stop=None, step=None, dtype=None):
    if dtype is None:
        dtype = result_type(*[_type(x) for x in (start, stop, step) if x is not None])
    dtype = standardize_dtype(dtype)
    if stop is None:
        start, stop = 0, start
    if step is None:
        step = 1
    numbers = [x.item() if hasattr(x, "item") else x for x in (start, stop, step)]
    if builtins.all(isinstance(x, int) for x in numbers):
        return _core.arange(*numbers, dtype)
    if _is_float(dtype):
        return _core.arange_floating(*numbers, dtype)
    return convert_to_tensor(np.arange(*numbers, dtype=dtype))


def _spaced(op, start, stop, num, endpoint, dtype, axis, **options):
    start, stop = convert_to_tensor(start), convert_to_tensor(stop)
    compute_dtype = result_type(start.dtype, stop.dtype, float)
    dtype = compute_dtype if dtype is None else standardize_dtype(dtype)
    if _is_float(dtype):
        compute_dtype = dtype
    start, stop = cast(start, compute_dtype), cast(stop, compute_dtype)
    result = op(start, stop, operator.index(num), endpoint, axis=axis, **options)
    # NumPy rounds down to integers.
    return cast(result if _is_float(dtype) else _core.floor(result), dtype)


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    result = _spaced(_core.linspace, start, stop, num, endpoint, dtype, axis)
    if not retstep:
        return result
    start, stop = convert_to_tensor(start), convert_to_tensor(stop)
    return result, _core.linspace_step(start, stop, operator.index(num), endpoint)


def logspace(start, stop, num=50, endpoint=True, base=10, dtype=None, axis=0):
    return _spaced(_core.logspace, start, stop, num, endpoint, dtype, axis, base=base)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    return _spaced(_core.geomspace, start, stop, num, endpoint, dtype, axis)


def meshgrid(*x, indexing="xy"):
    return _core.meshgrid([_core.ravel(part) for part in _tensors(x)], indexing)


def eye(N, M=None, k=0, dtype=None):
    M = None if M is None else operator.index(M)
    return _core.eye(operator.index(N), M, k, _dtype(dtype))


def identity(n, dtype=None):
    return eye(n, dtype=dtype)


def tri(N, M=None, k=0, dtype=None):
    M = None if M is None else operator.index(M)
    return _core.tri(operator.index(N), M, k, _dtype(dtype))


def tril(x, k=0):
    return _core.tril(convert_to_tensor(x), k)


def triu(x, k=0):
    return _core.triu(convert_to_tensor(x), k)


def diag(x, k=0):
    return _core.diag(convert_to_tensor(x), k)


def diagflat(x, k=0):
    return _core.diagflat(convert_to_tensor(x), k)


def diagonal(x, offset=0, axis1=0, axis2=1):
    return _core.diagonal(convert_to_tensor(x), offset, axis1, axis2)


def trace(x, offset=0, axis1=0, axis2=1):
    return _core.trace(convert_to_tensor(x), offset, axis1, axis2)


def vander(x, N=None, increasing=False):
    x = convert_to_tensor(x)
    return cast(_core.vander(x, N, increasing), x.dtype)


def bartlett(x):
    return cast(_core.bartlett(int(x)), floatx())


def blackman(x):
    return cast(_core.blackman(int(x)), floatx())


def hamming(x):
    return cast(_core.hamming(int(x)), floatx())


def hanning(x):
    return cast(_core.hanning(int(x)), floatx())


def kaiser(x, beta):
    return cast(_core.kaiser(int(x), float(beta)), floatx())


# Shapes and axes.


def ndim(x):
    return convert_to_tensor(x).ndim


def size(x):
    return convert_to_tensor(x).size


def broadcast_to(x, shape):
    return _core.broadcast_to(convert_to_tensor(x), _integers(shape))


def reshape(x, newshape):
    return _core.reshape(convert_to_tensor(x), _integers(newshape))


def transpose(x, axes=None):
    x = convert_to_tensor(x)
    if axes is None:
        axes = range(x.ndim)[::-1]
    return _core.transpose(x, list(axes))


def swapaxes(x, axis1, axis2):
    return _core.swapaxes(convert_to_tensor(x), axis1, axis2)


def moveaxis(x, source, destination):
    x = convert_to_tensor(x)
    if isinstance(source, int) and isinstance(destination, int):
        return _core.moveaxis(x, source, destination)
    source = [canonicalize_axis(axis, x.ndim) for axis in source]
    destination = [canonicalize_axis(axis, x.ndim) for axis in destination]
    if len(source) != len(destination):
        raise ValueError(
            "`source` and `destination` must have the same length. "
            f"Received: source={source}, destination={destination}"
        )
    order = [axis for axis in range(x.ndim) if axis not in source]
    for to, axis in sorted(zip(destination, source)):
        order.insert(to, axis)
    return _core.transpose(x, order)


def expand_dims(x, axis):
    x = convert_to_tensor(x)
    if isinstance(axis, int):
        return _core.expand_dims(x, axis)
    rank = x.ndim + len(axis)
    axes = {canonicalize_axis(a, rank) for a in axis}
    if len(axes) != len(axis):
        raise ValueError(f"repeated axis. Received: axis={axis}")
    dims = iter(x.shape)
    return _core.reshape(x, [1 if i in axes else next(dims) for i in range(rank)])


def squeeze(x, axis=None):
    x = convert_to_tensor(x)
    if axis is None or isinstance(axis, int):
        return _core.squeeze(x, axis)
    axes = {canonicalize_axis(a, x.ndim) for a in axis}
    for a in axes:
        if x.shape[a] != 1:
            raise ValueError(
                f"Cannot squeeze axis {a}, whose size is not 1. Received: x.shape={x.shape}"
            )
    return _core.reshape(x, [dim for i, dim in enumerate(x.shape) if i not in axes])


# Joining and splitting.


def concatenate(xs, axis=0):
    if axis is None:
        xs, axis = [_core.ravel(x) for x in _tensors(xs)], 0
    return _core.concatenate(_tensors(xs), axis)


def stack(x, axis=0):
    return _core.stack(_tensors(x), axis)


def append(x1, x2, axis=None):
    return _core.append(*_tensors((x1, x2)), axis)


def hstack(xs):
    return _core.hstack(_tensors(xs))


def vstack(xs):
    return _core.vstack(_tensors(xs))


def dstack(xs):
    return _core.dstack(_tensors(xs))


def split(x, indices_or_sections, axis=0):
    return _core.split(convert_to_tensor(x), _integers(indices_or_sections), axis)


def array_split(x, indices_or_sections, axis=0):
    return _core.array_split(convert_to_tensor(x), _integers(indices_or_sections), axis)


def hsplit(x, indices_or_sections):
    return _core.hsplit(convert_to_tensor(x), _integers(indices_or_sections))


def vsplit(x, indices_or_sections):
    return _core.vsplit(convert_to_tensor(x), _integers(indices_or_sections))


def dsplit(x, indices_or_sections):
    return _core.dsplit(convert_to_tensor(x), _integers(indices_or_sections))


# Padding, repeating and reordering.


def pad(x, pad_width, mode="constant", constant_values=None):
    x = convert_to_tensor(x)
    if constant_values is not None and mode != "constant":
        raise ValueError(
            "Argument `constant_values` can only be provided when `mode == 'constant'`. "
            f"Received: mode={mode}"
        )
    widths = np.broadcast_to(np.asarray(_integers_of_tree(pad_width)), (x.ndim, 2)).tolist()
    low, high = [w[0] for w in widths], [w[1] for w in widths]
    if mode == "constant":
        value = 0 if constant_values is None else convert_to_tensor(constant_values, x.dtype)
        return _core.pad(x, low, high, value=value)
    if mode in ("reflect", "symmetric"):
        return _core.pad_mirrored(x, low, high, mode)
    if mode not in ("edge", "wrap"):
        raise ValueError(f"Padding mode '{mode}' is not supported with the antler backend.")
    for axis, width in enumerate(widths):
        if width != [0, 0]:
            indices = np.pad(np.arange(x.shape[axis], dtype="int32"), width, mode=mode)
            x = _core.take(x, indices, axis)
    return x


def _integers_of_tree(values):
    if isinstance(values, (list, tuple)):
        return [_integers_of_tree(v) for v in values]
    return _integers(values)


def tile(x, repeats):
    x = convert_to_tensor(x)
    repeats = _integers(repeats)
    repeats = repeats if isinstance(repeats, list) else [repeats]
    repeats = [1] * (x.ndim - len(repeats)) + repeats
    if x.ndim < len(repeats):
        x = _core.reshape(x, [1] * (len(repeats) - x.ndim) + list(x.shape))
    return _core.tile(x, repeats)


def repeat(x, repeats, axis=None):
    x = convert_to_tensor(x)
    if axis is None:
        x, axis = _core.ravel(x), 0
    repeats = _integers(repeats)
    if isinstance(repeats, list) and len(repeats) == 1:
        repeats = repeats[0]
    if isinstance(repeats, int):
        return _core.repeat(x, repeats, axis)
    return _core.take(x, np.repeat(np.arange(x.shape[axis], dtype="int32"), repeats), axis)


def roll(x, shift, axis=None):
    x = convert_to_tensor(x)
    if isinstance(axis, (list, tuple)):
        shifts = shift if isinstance(shift, (list, tuple)) else [shift] * len(axis)
        for s, a in zip(shifts, axis):
            x = roll(x, s, a)
        return x
    if isinstance(shift, (list, tuple)):
        for s in shift:
            x = roll(x, s, axis)
        return x
    if not (isinstance(shift, Tensor) and shift.is_traced):
        return _core.roll(x, int(shift), axis)
    if axis is None:
        return _core.reshape(roll(_core.ravel(x), shift, 0), x.shape)
    length = x.shape[axis]
    return _core.take(x, _core.mod(_core.subtract(_core.arange(0, length), shift), length), axis)


def flip(x, axis=None):
    return _core.flip(convert_to_tensor(x), axis)


def rot90(array, k=1, axes=(0, 1)):
    array = convert_to_tensor(array)
    if array.ndim < 2:
        raise ValueError(
            "Input array must have at least 2 dimensions. "
            f"Received: array.ndim={array.ndim}"
        )
    if len(axes) != 2 or axes[0] == axes[1]:
        raise ValueError(
            f"Invalid axes: {axes}. Axes must be a tuple of two different dimensions."
        )
    return _core.rot90(array, k, *axes)


# Selecting by index.


def _indices(x):
    x = convert_to_tensor(x)
    return x if "int" in x.dtype else cast(x, "int32")


def take(x, indices, axis=None):
    return _core.take(convert_to_tensor(x), _indices(indices), axis)


def take_along_axis(x, indices, axis=None):
    return _core.take_along_axis(convert_to_tensor(x), _indices(indices), axis)


# Products.


def _product(product, xs):
    """The product of tensors, with Keras's dtype: int32 if all are int8, else the common one."""
    xs = _tensors(xs)
    names = {x.dtype for x in xs}
    if len(names) == 1:
        dtype = "int32" if names == {"int8"} else xs[0].dtype
    else:
        dtype = result_type(*names)
    return cast(product([cast(x, dtype) for x in xs]), dtype)


def einsum(subscripts, *operands, **kwargs):
    return _product(lambda xs: _core.einsum(subscripts, xs), operands)


def matmul(x1, x2):
    x1, x2 = _tensors((x1, x2))
    dtype = x1.dtype
    if dtype == x2.dtype:
        return _core.matmul(x1, x2)
    # The product of int8 operands only is int32.
    return cast(_core.matmul(x1, x2), result_type(dtype, x2.dtype))


def tensordot(x1, x2, axes=2):
    x1, x2 = _tensors((x1, x2))
    if isinstance(axes, int):
        return _core.tensordot(x1, x2, axes)
    axes = [a if isinstance(a, (list, tuple)) else [a] for a in axes]
    return _core.tensordot(x1, x2, *map(list, axes))


def cross(x1, x2, axisa=-1, axisb=-1, axisc=-1, axis=None):
    return _core.cross(*_tensors((x1, x2)), axisa, axisb, axisc, axis)


def correlate(x1, x2, mode="valid"):
    x1, x2 = _tensors((x1, x2))
    return _core.correlate(x1, x2, mode)


def _vmap(function, in_axes):
    """`function` over axis 0 of the arguments whose `in_axes` is not None."""

    def mapped(*args):
        def one(elements):
            elements = iter(elements)
            return function(*[a if axis is None else next(elements) for a, axis in zip(args, in_axes)])

        return vectorized_map(one, tuple(a for a, axis in zip(args, in_axes) if axis is not None))

    return mapped


def vectorize(pyfunc, *, excluded=None, signature=None):
    return vectorize_impl(pyfunc, _vmap, excluded=excluded, signature=signature)


def slogdet(x):
    return tuple(_core.slogdet(convert_to_tensor(x)))


# Reductions and cumulative functions.


def _extremum(op, combine, x, axis, keepdims, initial):
    x = convert_to_tensor(x)
    if initial is None:
        return _reduce(op, x, axis, keepdims)
    initial = convert_to_tensor(initial, x.dtype)
    if x.size == 0:
        return _core.broadcast_to(initial, _reduce(_core.any, x, axis, keepdims).shape)
    return combine(_reduce(op, x, axis, keepdims), initial)


def max(x, axis=None, keepdims=False, initial=None):
    return _extremum(_core.max, _core.maximum, x, axis, keepdims, initial)


def min(x, axis=None, keepdims=False, initial=None):
    return _extremum(_core.min, _core.minimum, x, axis, keepdims, initial)


def prod(x, axis=None, keepdims=False, dtype=None):
    result = _reduce(_core.prod, x if dtype is None else cast(x, dtype), axis, keepdims)
    return result if dtype is None else cast(result, dtype)


def count_nonzero(x, axis=None):
    return _reduce(lambda x, axis, _: _core.count_nonzero(x, axis), x, axis, False)


def _index_of(op, x, axis, keepdims):
    x = convert_to_tensor(x)
    return op(x, axis if x.ndim > 0 else None, keepdims)


def argmax(x, axis=None, keepdims=False):
    return _index_of(_core.argmax, x, axis, keepdims)


def argmin(x, axis=None, keepdims=False):
    return _index_of(_core.argmin, x, axis, keepdims)


def nanargmax(x, axis=None, keepdims=False):
    return _index_of(_core.nanargmax, x, axis, keepdims)


def nanargmin(x, axis=None, keepdims=False):
    return _index_of(_core.nanargmin, x, axis, keepdims)


def _cumulate(op, x, axis, dtype):
    x = convert_to_tensor(x)
    dtype = _dtype(dtype or x.dtype)
    dtype = "int32" if dtype == "bool" else dtype
    return cast(op(cast(x, dtype), axis), dtype)


def cumsum(x, axis=None, dtype=None):
    return _cumulate(_core.cumsum, x, axis, dtype)


def cumprod(x, axis=None, dtype=None):
    return _cumulate(_core.cumprod, x, axis, dtype)


def nancumsum(x, axis=None, dtype=None):
    return _cumulate(_core.nancumsum, x, axis, dtype)


def nancumprod(x, axis=None, dtype=None):
    return _cumulate(_core.nancumprod, x, axis, dtype)


def diff(a, n=1, axis=-1):
    return _core.diff(convert_to_tensor(a), n, axis)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    y = as_float(y)
    if x is not None:
        return _core.trapezoid(y, convert_to_tensor(x), axis=axis)
    if isinstance(dx, (int, float)):
        return _core.trapezoid(y, dx=dx, axis=axis)
    dx = convert_to_tensor(dx, y.dtype)
    if dx.ndim == 0:
        return _core.multiply(_core.trapezoid(y, axis=axis), dx)
    # Individual distances: the points are their cumulative sums.
    points = _core.pad(_core.cumsum(dx, 0), [1], [0])
    return _core.trapezoid(y, points, axis=axis)


# Statistics.


def average(x, axis=None, weights=None):
    x = convert_to_tensor(x)
    if weights is None:
        return _reduce(_core.mean, as_float(x), axis, False)
    weights = convert_to_tensor(weights)
    dtype = result_type(x.dtype, weights.dtype, float)
    return _core.average(cast(x, dtype), axis, cast(weights, dtype))


def _quantile(op, x, q, axis, method, keepdims):
    x = as_float(x)
    return op(x, convert_to_tensor(q, x.dtype), axis, method, keepdims)


def quantile(x, q, axis=None, method="linear", keepdims=False):
    return _quantile(_core.quantile, x, q, axis, method, keepdims)


def percentile(x, q, axis=None, method="linear", keepdims=False):
    return _quantile(_core.percentile, x, q, axis, method, keepdims)


def nanquantile(x, q, axis=None, method="linear", keepdims=False):
    return _quantile(_core.nanquantile, x, q, axis, method, keepdims)


def nanpercentile(x, q, axis=None, method="linear", keepdims=False):
    return _quantile(_core.nanpercentile, x, q, axis, method, keepdims)


def corrcoef(x):
    return _core.corrcoef(as_float(x))


def digitize(x, bins):
    return _core.digitize(*_tensors((x, bins)))


def bincount(x, weights=None, minlength=0, sparse=False):
    if sparse:
        raise ValueError("`sparse=True` is not supported with the antler backend.")
    x = convert_to_tensor(x)
    size = None
    if x.is_traced:
        if not minlength:
            raise ValueError(
                "`bincount` cannot be part of a traced function without `minlength`: the size of "
                "its result would depend on values. Use `one_hot` and `sum`, or run eagerly."
            )
        size = minlength  # larger numbers are not counted, as in JAX
    if weights is None:
        return _core.bincount(x, None, minlength, size)
    weights = convert_to_tensor(weights)
    dtype = result_type(x.dtype, weights.dtype)
    return cast(_core.bincount(x, weights, minlength, size), dtype)


def histogram(x, bins=10, range=None):
    x = convert_to_tensor(x)
    range = None if range is None else (float(range[0]), float(range[1]))
    return _core.histogram(x, operator.index(bins), range)


# Sorting and searching.


def _along(op, x, axis, *args):
    """op() along an axis; None means along the flattened x. A scalar is treated as a vector."""
    x = convert_to_tensor(x)
    if axis is None:
        return op(_core.ravel(x), *args, 0)
    if x.ndim == 0:
        return _core.reshape(op(_core.ravel(x), *args, 0), [])
    return op(x, *args, axis)


def sort(x, axis=-1):
    return _along(_core.sort, x, axis)


def argsort(x, axis=-1):
    return _along(_core.argsort, x, axis)


def argpartition(x, kth, axis=-1):
    return _along(_core.argpartition, x, axis, kth)


def searchsorted(sorted_sequence, values, side="left"):
    sorted_sequence, values = _tensors((sorted_sequence, values))
    if sorted_sequence.ndim != 1:
        raise ValueError(
            "`searchsorted` only supports 1-D sorted sequences. Use `keras.ops.vectorized_map` "
            f"for more. Received: sorted_sequence.shape={sorted_sequence.shape}"
        )
    return _core.searchsorted(sorted_sequence, values, side)


def isin(x1, x2, assume_unique=False, invert=False):
    return _core.isin(*_tensors((x1, x2)), invert)


class _TracedIndices:
    """Positions of non-zero elements along an axis, whose number is not known: only one of them can be had."""

    def __init__(self, mask, axis):
        self._mask = mask
        self._axis = axis

    def __getitem__(self, index):
        if not isinstance(index, int) or index < 0:
            raise ValueError(
                "`nonzero`: the size of the result depends on values, which a traced function does "
                f"not have yet; only elements such as [0] can be had. Received: [{index}]"
            )
        flat = _core.reshape(self._mask, [-1])
        rank = cumsum(cast(flat, "int32"), axis=0)
        place = argmax(logical_and(flat, equal(rank, index + 1)))
        return unravel_index(cast(place, "int64"), self._mask.shape)[self._axis]


def nonzero(x):
    x = convert_to_tensor(x)
    x = _core.reshape(x, [1]) if x.ndim == 0 else x
    if x.is_traced:
        return tuple(_TracedIndices(not_equal(x, 0), axis) for axis in range(x.ndim))
    return tuple(_core.nonzero(x))


def unravel_index(indices, shape):
    indices = convert_to_tensor(indices)
    return tuple(cast(x, indices.dtype) for x in _core.unravel_index(indices, _integers(shape)))


def unique(
    x,
    sorted=True,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    size=None,
    fill_value=None,
):
    # Always sorted.
    results = _core.unique(
        convert_to_tensor(x), axis, size, None if fill_value is None else float(fill_value)
    )
    wanted = (True, return_index, return_inverse, return_counts)
    chosen = tuple(result for result, want in zip(results, wanted) if want)
    return chosen if len(chosen) > 1 else chosen[0]
