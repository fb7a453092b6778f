"""Neural networks: activations, convolutions, pooling, losses, normalization, attention."""

from antler import _core
from keras.src.backend.common.backend_utils import check_conv_input_channels
from keras.src.backend.common.backend_utils import check_conv_transpose_input_channels
from keras.src.backend.common.dtypes import result_type
from keras.src.backend.config import standardize_data_format
from keras_antler.core import as_float
from keras_antler.core import cast
from keras_antler.core import convert_to_tensor

# The largest number of float16.
_HALF_MAX = 65504.0


def _numbers(value, count):
    return (value,) * count if isinstance(value, int) else tuple(int(v) for v in value)


def _channels_last(x, data_format):
    return x if data_format == "channels_last" else _core.moveaxis(x, 1, -1)


def _channels_back(x, data_format):
    return x if data_format == "channels_last" else _core.moveaxis(x, -1, 1)


# Activations.


def relu(x):
    return _core.relu(convert_to_tensor(x))


def relu6(x):
    return _core.relu6(convert_to_tensor(x))


def sigmoid(x):
    return _core.sigmoid(as_float(x))


def sparse_sigmoid(x):
    return _core.sparse_sigmoid(as_float(x))


def tanh(x):
    return _core.tanh(as_float(x))


def tanh_shrink(x):
    return _core.tanh_shrink(as_float(x))


def softplus(x):
    return _core.softplus(as_float(x))


def softsign(x):
    return _core.softsign(as_float(x))


def soft_shrink(x, threshold=0.5):
    return _core.soft_shrink(as_float(x), threshold)


def sparse_plus(x):
    return _core.sparse_plus(as_float(x))


def silu(x):
    return _core.silu(as_float(x))


def squareplus(x, b=4):
    return _core.squareplus(as_float(x), b)


def log_sigmoid(x):
    return _core.log_sigmoid(as_float(x))


def leaky_relu(x, negative_slope=0.2):
    return _core.leaky_relu(as_float(x), negative_slope)


def hard_sigmoid(x):
    return _core.hard_sigmoid(as_float(x))


def hard_silu(x):
    return _core.hard_silu(as_float(x))


def elu(x, alpha=1.0):
    return _core.elu(as_float(x), alpha)


def selu(x):
    return _core.selu(as_float(x))


def gelu(x, approximate=True):
    return _core.gelu(as_float(x), approximate)


def celu(x, alpha=1.0):
    return _core.celu(as_float(x), alpha)


def glu(x, axis=-1):
    return _core.glu(as_float(x), axis)


def hard_tanh(x):
    return _core.hard_tanh(as_float(x))


def hard_shrink(x, threshold=0.5):
    return _core.hard_shrink(as_float(x), threshold)


def threshold(x, threshold, default_value):
    return _core.threshold(as_float(x), threshold, default_value)


def softmax(x, axis=-1):
    return _over_axes(_core.softmax, as_float(x), axis)


def log_softmax(x, axis=-1):
    return _over_axes(_core.log_softmax, as_float(x), axis)


def _over_axes(function, x, axis):
    """Calls a function along one axis; None means all elements."""
    if axis is None:
        return _core.reshape(function(_core.reshape(x, (-1,)), -1), x.shape)
    return function(x, axis)


def sparsemax(x, axis=-1):
    return _core.sparsemax(as_float(x), axis)


# Pooling.


def _pool(function, inputs, pool_size, strides, padding, data_format):
    data_format = standardize_data_format(data_format)
    if padding not in ("same", "valid"):
        raise ValueError(f"Invalid padding '{padding}', must be 'same' or 'valid'.")
    x = _channels_last(convert_to_tensor(inputs), data_format)
    count = x.ndim - 2
    pool_size = _numbers(pool_size, count)
    strides = pool_size if strides is None else _numbers(strides, count)
    return _channels_back(function(x, pool_size, strides, padding), data_format)


def max_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    return _pool(_core.max_pool, inputs, pool_size, strides, padding, data_format)


def average_pool(inputs, pool_size, strides=None, padding="valid", data_format=None):
    return _pool(_core.average_pool, inputs, pool_size, strides, padding, data_format)


def _adaptive_pool(function, inputs, output_size, data_format):
    data_format = standardize_data_format(data_format)
    x = convert_to_tensor(inputs)
    if x.ndim not in (3, 4, 5):
        raise ValueError(f"Expected a rank of 3, 4 or 5. Received: inputs.shape={x.shape}")
    first_axis = 1 if data_format == "channels_last" else 2
    return function(x, _numbers(output_size, x.ndim - 2), first_axis)


def adaptive_average_pool(inputs, output_size, data_format=None):
    return _adaptive_pool(_core.adaptive_average_pool, inputs, output_size, data_format)


def adaptive_max_pool(inputs, output_size, data_format=None):
    return _adaptive_pool(_core.adaptive_max_pool, inputs, output_size, data_format)


# Convolutions.


def _convolve(function, inputs, kernel, strides, padding, data_format, dilation_rate):
    x = _channels_last(inputs, data_format)
    count = x.ndim - 2
    y = function(
        x, kernel, _numbers(strides, count), padding.lower(), _numbers(dilation_rate, count)
    )
    return _channels_back(y, data_format)


def conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    data_format = standardize_data_format(data_format)
    inputs = convert_to_tensor(inputs)
    kernel = convert_to_tensor(kernel)
    channels = inputs.shape[-1 if data_format == "channels_last" else 1]
    if channels % kernel.shape[-2] > 0:
        raise ValueError(
            "The number of input channels must be evenly divisible by kernel's in_channels. "
            f"Received input channels {channels} and kernel in_channels {kernel.shape[-2]}. "
        )
    return _convolve(_core.conv, inputs, kernel, strides, padding, data_format, dilation_rate)


def depthwise_conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    data_format = standardize_data_format(data_format)
    inputs = convert_to_tensor(inputs)
    kernel = convert_to_tensor(kernel)
    check_conv_input_channels(inputs, kernel, data_format)
    return _convolve(
        _core.depthwise_conv, inputs, kernel, strides, padding, data_format, dilation_rate
    )


def separable_conv(
    inputs,
    depthwise_kernel,
    pointwise_kernel,
    strides=1,
    padding="valid",
    data_format=None,
    dilation_rate=1,
):
    data_format = standardize_data_format(data_format)
    y = depthwise_conv(inputs, depthwise_kernel, strides, padding, data_format, dilation_rate)
    return conv(y, pointwise_kernel, data_format=data_format)


def conv_transpose(
    inputs,
    kernel,
    strides=1,
    padding="valid",
    output_padding=None,
    data_format=None,
    dilation_rate=1,
):
    data_format = standardize_data_format(data_format)
    inputs = convert_to_tensor(inputs)
    kernel = convert_to_tensor(kernel)
    check_conv_transpose_input_channels(inputs, kernel, data_format)
    x = _channels_last(inputs, data_format)
    count = x.ndim - 2
    y = _core.conv_transpose(
        x,
        kernel,
        strides=_numbers(strides, count),
        padding=padding.lower(),
        output_padding=() if output_padding is None else _numbers(output_padding, count),
        dilation_rate=_numbers(dilation_rate, count),
    )
    return _channels_back(y, data_format)


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    return _core.unfold(
        convert_to_tensor(input),
        _numbers(kernel_size, 2),
        _numbers(dilation, 2),
        _numbers(padding, 2),
        _numbers(stride, 2),
    )


def fold(x, output_size, kernel_size, dilation=1, padding=0, stride=1):
    return _core.fold(
        convert_to_tensor(x),
        _numbers(output_size, 2),
        _numbers(kernel_size, 2),
        _numbers(dilation, 2),
        _numbers(padding, 2),
        _numbers(stride, 2),
    )


def depth_to_space(x, block_size, data_format="channels_last"):
    x = convert_to_tensor(x)
    if data_format == "channels_last":
        return _core.depth_to_space(x, block_size)
    # Here the channels of a block vary slowest, but with channels last they vary fastest.
    n, c, h, w = x.shape
    rest = c // block_size**2
    x = _core.reshape(x, (n, rest, block_size, block_size, h, w))
    x = _core.transpose(x, (0, 1, 4, 2, 5, 3))
    return _core.reshape(x, (n, rest, h * block_size, w * block_size))


def space_to_depth(x, block_size, data_format="channels_last"):
    x = convert_to_tensor(x)
    if data_format == "channels_last":
        return _core.space_to_depth(x, block_size)
    n, c, h, w = x.shape
    h, w = h // block_size, w // block_size
    x = _core.reshape(x, (n, c, h, block_size, w, block_size))
    x = _core.transpose(x, (0, 1, 3, 5, 2, 4))
    return _core.reshape(x, (n, c * block_size**2, h, w))


# Encodings.


def _refuse_sparse(sparse):
    if sparse:
        raise ValueError("Unsupported value `sparse=True` with antler backend")


def one_hot(x, num_classes, axis=-1, dtype=None, sparse=False):
    _refuse_sparse(sparse)
    x = convert_to_tensor(x)
    if "int" not in x.dtype:
        x = cast(x, "int32")
    return _core.one_hot(x, num_classes, axis, dtype or "float32")


def multi_hot(x, num_classes, axis=-1, dtype=None, sparse=False):
    _refuse_sparse(sparse)
    x = cast(convert_to_tensor(x), "int32")
    if axis == -1:
        return _core.multi_hot(x, num_classes, dtype or "float32")
    vectors = _core.one_hot(x, num_classes, axis, dtype or "float32")
    return _core.max(vectors, 1 if x.ndim > 1 else 0)


# Losses.


def _check_same_shape(target, output):
    if target.shape != output.shape:
        raise ValueError(
            "Arguments `target` and `output` must have the same shape. Received: "
            f"target.shape={target.shape}, output.shape={output.shape}"
        )


def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    target = convert_to_tensor(target)
    output = as_float(output)
    _check_same_shape(target, output)
    if target.ndim < 1:
        raise ValueError(
            "Arguments `target` and `output` must be at least rank 1. Received: "
            f"target.shape={target.shape}, output.shape={output.shape}"
        )
    return _core.categorical_crossentropy(target, output, from_logits, axis)


def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    target = cast(convert_to_tensor(target), "int32")
    output = as_float(output)
    if output.ndim < 1:
        raise ValueError(
            f"Argument `output` must be at least rank 1. Received: output.shape={output.shape}"
        )
    if target.ndim == output.ndim and target.shape[-1] == 1:
        target = _core.squeeze(target, -1)
    if target.shape != output.shape[:-1]:
        raise ValueError(
            "Arguments `target` and `output` must have the same shape up until the last "
            f"dimension: target.shape={target.shape}, output.shape={output.shape}"
        )
    return _core.sparse_categorical_crossentropy(target, output, from_logits, axis)


def binary_crossentropy(target, output, from_logits=False):
    target = convert_to_tensor(target)
    output = as_float(output)
    _check_same_shape(target, output)
    return _core.binary_crossentropy(target, output, from_logits)


def ctc_loss(target, output, target_length, output_length, mask_index=0):
    output = convert_to_tensor(output)
    return _core.ctc_loss(
        cast(convert_to_tensor(target), "int32"),
        cast(output, result_type(output.dtype, "float32")),
        cast(convert_to_tensor(target_length), "int32"),
        cast(convert_to_tensor(output_length), "int32"),
        mask_index,
    )


def ctc_decode(
    inputs,
    sequence_lengths,
    strategy="greedy",
    beam_width=100,
    top_paths=1,
    merge_repeated=True,
    mask_index=0,
):
    inputs = convert_to_tensor(inputs)
    inputs = cast(inputs, result_type(inputs.dtype, "float32"))
    lengths = cast(convert_to_tensor(sequence_lengths), "int32")
    if mask_index is None:
        mask_index = inputs.shape[-1] - 1
    if strategy == "greedy":
        return _core.ctc_decode(inputs, lengths, merge_repeated, mask_index)
    if strategy == "beam_search":
        return _core.ctc_beam_search(inputs, lengths, beam_width, top_paths, mask_index)
    raise ValueError(
        f"Invalid strategy {strategy}. Supported values are 'greedy' and 'beam_search'."
    )


def psnr(x1, x2, max_val):
    x1 = convert_to_tensor(x1)
    x2 = convert_to_tensor(x2)
    if x1.shape != x2.shape:
        raise ValueError(
            f"Input shapes {x1.shape} and {x2.shape} must match for PSNR calculation. "
        )
    return _core.psnr(x1, x2, float(max_val))


# Normalization and attention.


def moments(x, axes, keepdims=False, synchronized=False):
    if synchronized:
        raise NotImplementedError("Argument synchronized=True is not supported with antler.")
    x = convert_to_tensor(x)
    half = x.dtype == "float16"
    if half:  # its range is too small for sums
        x = cast(x, "float32")
    mean, variance = _core.moments(x, axes, keepdims)
    if half:
        mean, variance = (
            cast(_core.clip(t, -_HALF_MAX, _HALF_MAX), "float16") for t in (mean, variance)
        )
    return mean, variance


def batch_normalization(x, mean, variance, axis, offset=None, scale=None, epsilon=1e-3):
    x = convert_to_tensor(x)
    shape = [1] * x.ndim

    def along_axis(t):
        if t is None:
            return None
        t = convert_to_tensor(t)
        shape[axis] = t.shape[0]
        return _core.reshape(t, shape)

    return _core.batch_normalization(
        x,
        along_axis(mean),
        along_axis(variance),
        along_axis(offset),
        along_axis(scale),
        float(epsilon),
    )


def dot_product_attention(
    query,
    key,
    value,
    bias=None,
    mask=None,
    scale=None,
    is_causal=False,
    flash_attention=None,
    attn_logits_soft_cap=None,
):
    query = convert_to_tensor(query)
    key = convert_to_tensor(key)
    value = convert_to_tensor(value)
    if query.ndim != 4:
        raise ValueError(
            "`dot_product_attention` only supports 4D inputs. Received: "
            f"query.shape={query.shape}, key.shape={key.shape}, value.shape={value.shape}."
        )
    if attn_logits_soft_cap is not None:
        raise NotImplementedError("`attn_logits_soft_cap` is not supported with antler.")
    return _core.dot_product_attention(
        query,
        key,
        value,
        None if bias is None else convert_to_tensor(bias),
        None if mask is None else cast(convert_to_tensor(mask), "bool"),
        None if scale is None else float(scale),
        is_causal,
        flash_attention,
    )
