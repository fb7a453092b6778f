"""Random numbers: Philox, with Keras's seeds of type uint32 [2]."""

from antler import _core
from keras.src.backend.config import floatx
from keras.src.random.seed_generator import SeedGenerator
from keras.src.random.seed_generator import draw_seed
from keras.src.random.seed_generator import make_default_seed
from keras_antler.core import cast
from keras_antler.core import convert_to_tensor


def _seed(seed):
    return cast(convert_to_tensor(draw_seed(seed)), "uint32")


def _shape(shape):
    return tuple(int(dim) for dim in shape)


def _is_number(*values):
    return all(isinstance(value, (int, float)) for value in values)


def normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    dtype = dtype or floatx()
    if _is_number(mean, stddev):
        return _core.random_normal(_seed(seed), _shape(shape), mean, stddev, dtype)
    return cast(_core.random_normal(_seed(seed), _shape(shape), dtype=dtype) * stddev + mean, dtype)


def uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    dtype = dtype or floatx()
    if _is_number(minval, maxval):
        return _core.random_uniform(_seed(seed), _shape(shape), minval, maxval, dtype)
    minval = convert_to_tensor(minval, dtype)
    maxval = convert_to_tensor(maxval, dtype)
    numbers = _core.random_uniform(_seed(seed), _shape(shape), dtype=dtype)
    return numbers * (maxval - minval) + minval


def categorical(logits, num_samples, dtype="int32", seed=None):
    return _core.random_categorical(_seed(seed), convert_to_tensor(logits), num_samples, dtype)


def randint(shape, minval, maxval, dtype="int32", seed=None):
    if _is_number(minval, maxval):
        return _core.random_integers(
            _seed(seed), _shape(shape), int(minval), int(maxval), dtype
        )
    # The bounds are known only when the program runs.
    minval = convert_to_tensor(minval, "int32")
    count = convert_to_tensor(maxval, "int32") - minval
    numbers = _core.random_uniform(_seed(seed), _shape(shape), dtype="float32")
    numbers = cast(_core.floor(numbers * cast(count, "float32")), "int32")
    return cast(_core.minimum(numbers, count - 1) + minval, dtype)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    dtype = dtype or floatx()
    if _is_number(mean, stddev):
        return _core.random_truncated_normal(_seed(seed), _shape(shape), mean, stddev, dtype)
    numbers = _core.random_truncated_normal(_seed(seed), _shape(shape), dtype=dtype)
    return cast(numbers * stddev + mean, dtype)


def dropout(inputs, rate, noise_shape=None, seed=None):
    inputs = convert_to_tensor(inputs)
    if rate >= 1:
        return _core.zeros_like(inputs)
    if noise_shape is not None:
        noise_shape = [
            size if dim is None else int(dim) for dim, size in zip(noise_shape, inputs.shape)
        ]
    return _core.random_dropout(_seed(seed), inputs, float(rate), noise_shape)


def shuffle(x, axis=0, seed=None):
    return _core.random_shuffle(_seed(seed), convert_to_tensor(x), axis)


def gamma(shape, alpha, dtype=None, seed=None):
    dtype = dtype or floatx()
    return _core.random_gamma(_seed(seed), _shape(shape), convert_to_tensor(alpha), dtype)


def binomial(shape, counts, probabilities, dtype=None, seed=None):
    counts = convert_to_tensor(counts)
    probabilities = convert_to_tensor(probabilities)
    return _core.random_binomial(
        _seed(seed), _shape(shape), counts, probabilities, dtype=dtype or floatx()
    )


def beta(shape, alpha, beta, dtype=None, seed=None):
    alpha = convert_to_tensor(alpha)
    beta = convert_to_tensor(beta)
    return _core.random_beta(_seed(seed), _shape(shape), alpha, beta, dtype or floatx())
