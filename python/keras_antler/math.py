"""Mathematical operations: segments, searching, Fourier transforms, special functions."""

import numpy as np
from antler import _core
from keras_antler.core import cast
from keras_antler.core import convert_to_tensor


def _segment(function, data, segment_ids, num_segments):
    data = convert_to_tensor(data)
    segment_ids = cast(convert_to_tensor(segment_ids), "int32")
    return function(data, segment_ids, None if num_segments is None else int(num_segments))


def segment_sum(data, segment_ids, num_segments=None, sorted=False):
    return _segment(_core.segment_sum, data, segment_ids, num_segments)


def segment_max(data, segment_ids, num_segments=None, sorted=False):
    return _segment(_core.segment_max, data, segment_ids, num_segments)


def segment_min(data, segment_ids, num_segments=None, sorted=False):
    return _segment(_core.segment_min, data, segment_ids, num_segments)


def segment_prod(data, segment_ids, num_segments=None, sorted=False):
    return _segment(_core.segment_prod, data, segment_ids, num_segments)


def top_k(x, k, sorted=True):
    return _core.top_k(convert_to_tensor(x), k)


def in_top_k(targets, predictions, k):
    return _core.in_top_k(convert_to_tensor(targets), convert_to_tensor(predictions), k)


def logsumexp(x, axis=None, keepdims=False):
    x = convert_to_tensor(x)
    if axis == ():
        return x
    return _core.logsumexp(x, axis, keepdims)


def cdist(x, y):
    x = convert_to_tensor(x)
    y = convert_to_tensor(y)
    if x.ndim < 2 or y.ndim < 2:
        raise ValueError("`cdist` inputs must have rank >= 2")
    if x.shape[-1] != y.shape[-1]:
        raise ValueError("Last dimension of inputs to `cdist` must match")
    return _core.cdist(x, y)


def extract_sequences(x, sequence_length, sequence_stride):
    return _core.extract_sequences(convert_to_tensor(x), sequence_length, sequence_stride)


def _get_complex_tensor_from_tuple(x):
    """Checks a pair (real, imag). Antler has no complex dtype, so it stays a pair."""
    if not isinstance(x, (tuple, list)) or len(x) != 2:
        raise ValueError(
            f"Input `x` should be a tuple of two tensors - real and imaginary.Received: x={x}"
        )
    real, imag = (convert_to_tensor(part) for part in x)
    if real.shape != imag.shape:
        raise ValueError(
            "Input `x` should be a tuple of two tensors - real and imaginary."
            "Both the real and imaginary parts should have the same shape. "
            f"Received: x[0].shape = {real.shape}, x[1].shape = {imag.shape}"
        )
    if "float" not in real.dtype or "float" not in imag.dtype:
        raise ValueError(f"At least one tensor in input `x` is not of type float.Received: x={x}.")
    return real, imag


def fft(x):
    return _core.fft(*_get_complex_tensor_from_tuple(x))


def fft2(x):
    return _core.fft2(*_get_complex_tensor_from_tuple(x))


def ifft2(x):
    return _core.ifft2(*_get_complex_tensor_from_tuple(x))


def rfft(x, fft_length=None):
    return _core.rfft(convert_to_tensor(x), fft_length)


def irfft(x, fft_length=None):
    return _core.irfft(*_get_complex_tensor_from_tuple(x), fft_length)


def _window(window, sequence_length, fft_length, dtype):
    """A window, given by name or as an array, centered in the frame."""
    if isinstance(window, str) and window in {"hann", "hamming"}:
        first = 0.5 if window == "hann" else 0.54
        angles = 2 * np.pi / sequence_length * np.arange(sequence_length)
        window = first - (1 - first) * np.cos(angles)
    elif isinstance(window, str):
        from keras.src.utils.module_utils import scipy

        window = scipy.signal.get_window(window, sequence_length)
    window = convert_to_tensor(window, dtype)
    if window.shape != (sequence_length,):
        raise ValueError(
            "The shape of `window` must be equal to [sequence_length]."
            f"Received: window shape={window.shape}"
        )
    low = (fft_length - sequence_length) // 2
    return _core.pad(window, [low], [fft_length - sequence_length - low])


def stft(x, sequence_length, sequence_stride, fft_length, window="hann", center=True):
    x = convert_to_tensor(x)
    if x.dtype not in {"float32", "float64"}:
        raise TypeError(
            "Invalid input type. Expected `float32` or `float64`. "
            f"Received: input type={x.dtype}"
        )
    if fft_length < sequence_length:
        raise ValueError(
            "`fft_length` must equal or larger than `sequence_length`. "
            f"Received: sequence_length={sequence_length}, fft_length={fft_length}"
        )
    named = isinstance(window, str)
    if named and window not in {"hann", "hamming"}:
        raise ValueError(
            "If a string is passed to `window`, it must be one of "
            f'`"hann"`, `"hamming"`. Received: window={window}'
        )
    if window is None or named:
        return _core.stft(x, sequence_length, sequence_stride, fft_length, window or "", center)
    window = _window(window, sequence_length, fft_length, x.dtype)
    if center:
        padding = [0] * (x.ndim - 1) + [fft_length // 2]
        x = _core.pad_mirrored(x, padding, padding, "reflect")
    return _core.rfft(_core.extract_sequences(x, fft_length, sequence_stride) * window)


def istft(
    x,
    sequence_length,
    sequence_stride,
    fft_length,
    length=None,
    window="hann",
    center=True,
):
    """As in TensorFlow, the first and last frames are scaled like those that overlap on both sides,
    and frames without a window are simply added up."""
    real, imag = _get_complex_tensor_from_tuple(x)
    if real.ndim < 2:
        raise ValueError(
            f"Input `x` must have at least 2 dimensions. Received shape: {real.shape}"
        )
    frames = _core.irfft(real, imag, fft_length)
    if window is not None:
        window = _window(window, sequence_length, fft_length, real.dtype)
        overlaps = -(-fft_length // sequence_stride)
        rest = overlaps * sequence_stride - fft_length
        squares = _core.reshape(_core.pad(window * window, [0], [rest]), (overlaps, -1))
        weights = _core.tile(_core.sum(squares, 0), [overlaps])[:fft_length]
        frames = frames * (window / _core.where(weights > 0, weights, 1.0))
    *batch, count, _ = frames.shape
    size = fft_length + sequence_stride * (count - 1)
    columns = _core.swapaxes(_core.reshape(frames, (-1, count, fft_length)), 1, 2)
    stride = (1, sequence_stride)
    samples = _core.fold(columns, (1, size), (1, fft_length), (1, 1), (0, 0), stride)
    samples = _core.reshape(samples, (*batch, size))
    start = fft_length // 2 if center else 0
    end = start + length if length is not None else size - start
    return samples[..., start:end]


def rsqrt(x):
    return _core.rsqrt(convert_to_tensor(x))


def erf(x):
    return _core.erf(convert_to_tensor(x))


def erfc(x):
    return _core.erfc(convert_to_tensor(x))


def erfinv(x):
    return _core.erfinv(convert_to_tensor(x))


def logdet(x):
    return _core.logdet(convert_to_tensor(x))
