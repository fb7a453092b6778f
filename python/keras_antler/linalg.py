"""Linear algebra."""

from antler import GradientTape
from antler import UnconnectedGradients
from antler import _core
from keras.src import tree
from keras.src.backend import config
from keras.src.backend.common import dtypes
from keras_antler.core import cast
from keras_antler.core import convert_to_tensor


def _matrix(x):
    """A tensor of floats of rank 2 or more."""
    x = convert_to_tensor(x)
    if x.ndim < 2:
        raise ValueError(
            f"Expected input to have rank >= 2. Received input with shape {x.shape}."
        )
    return x


def cholesky(a, upper=False):
    factor = _core.cholesky(convert_to_tensor(a), upper)
    if not factor.is_traced and _core.any(_core.isnan(factor)):
        raise ValueError("Cholesky decomposition failed: the matrix is not positive definite.")
    return factor


def cholesky_inverse(a, upper=False):
    return _core.cholesky_inverse(convert_to_tensor(a), upper)


def det(a):
    return _core.det(convert_to_tensor(a))


def eig(x):
    """Real if all imaginary parts are zero; else complex NumPy arrays, which Antler cannot hold."""
    values, vectors = _core.eig(convert_to_tensor(x))
    if values[0].is_traced:
        raise NotImplementedError("Antler has no complex dtype: call `eig` eagerly.")
    imaginary = values[1].numpy().any() or vectors[1].numpy().any()
    if not imaginary:
        return values[0], vectors[0]
    return tuple(real.numpy() + 1j * imag.numpy() for real, imag in (values, vectors))


def eigh(x):
    return _core.eigh(convert_to_tensor(x))


def inv(a):
    return _core.inv(convert_to_tensor(a))


def lu_factor(x):
    return _core.lu_factor(convert_to_tensor(x))


def norm(x, ord=None, axis=None, keepdims=False):
    x = convert_to_tensor(x)
    if "float" not in x.dtype:
        dtype = config.floatx() if x.dtype == "int64" else dtypes.result_type(x.dtype, float)
        x = cast(x, dtype)
    if axis is None and ord is not None:
        if x.ndim not in (1, 2):
            raise ValueError(
                f"Without `axis`, `ord` needs a vector or a matrix. Received: x.shape={x.shape}"
            )
        axis = tuple(range(x.ndim))
    if ord is not None and not isinstance(ord, str):
        ord = float(ord)
    return _core.norm(x, ord, axis, keepdims)


def qr(x, mode="reduced"):
    if mode not in {"reduced", "complete"}:
        raise ValueError(
            "`mode` argument value not supported. "
            f"Expected one of {{'reduced', 'complete'}}. Received: mode={mode}"
        )
    return _core.qr(convert_to_tensor(x), mode)


def solve(a, b):
    return _core.solve(convert_to_tensor(a), convert_to_tensor(b))


def solve_triangular(a, b, lower=False):
    return _core.solve_triangular(convert_to_tensor(a), convert_to_tensor(b), lower)


def svd(x, full_matrices=True, compute_uv=True):
    x = convert_to_tensor(x)
    return _core.svd(x, full_matrices) if compute_uv else _core.singular_values(x)


def lstsq(a, b, rcond=None):
    return _core.lstsq(convert_to_tensor(a), convert_to_tensor(b), _number(rcond))


def matrix_rank(x, tol=None):
    return _core.matrix_rank(_matrix(x), _number(tol))


def pinv(x, rcond=None):
    return _core.pinv(_matrix(x), _number(rcond))


def _number(value):
    return None if value is None else float(value)


def jvp(fun, primals, tangents, has_aux=False):
    """The vector-Jacobian product is linear in the vector; its gradient there is the tangent."""
    primals = tree.map_structure(convert_to_tensor, tuple(primals))
    tangents = tree.map_structure(convert_to_tensor, tuple(tangents))
    with GradientTape() as outer, GradientTape() as inner:
        inner.watch(primals)
        result = fun(*primals)
        outputs, aux = result if has_aux else (result, None)
        outputs = tree.map_structure(convert_to_tensor, outputs)
        weights = tree.map_structure(_core.zeros_like, outputs)
        outer.watch(weights)
        products = inner.gradient(outputs, primals, weights, UnconnectedGradients.ZERO)
    tangents_out = outer.gradient(products, weights, tangents, UnconnectedGradients.ZERO)
    return (outputs, tangents_out, aux) if has_aux else (outputs, tangents_out)
