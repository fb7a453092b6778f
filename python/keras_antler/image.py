"""Image operations."""

from antler import _core
from keras.src.backend.common.dtypes import result_type
from keras.src.backend.common.variables import is_float_dtype
from keras.src.backend.config import standardize_data_format
from keras.src.random.seed_generator import draw_seed
from keras_antler.core import cast
from keras_antler.core import convert_to_tensor

RESIZE_INTERPOLATIONS = ("bilinear", "nearest", "lanczos3", "lanczos5", "bicubic")
# Interpolations, with the degree of the polynomial.
AFFINE_TRANSFORM_INTERPOLATIONS = {"nearest": 0, "bilinear": 1}
AFFINE_TRANSFORM_FILL_MODES = {"constant", "nearest", "wrap", "mirror", "reflect"}
MAP_COORDINATES_FILL_MODES = {"constant", "nearest", "wrap", "mirror", "reflect"}
SCALE_AND_TRANSLATE_METHODS = {
    "linear",
    "bilinear",
    "trilinear",
    "cubic",
    "bicubic",
    "tricubic",
    "lanczos3",
    "lanczos5",
}


def _check_rank(images):
    if images.ndim not in (3, 4):
        raise ValueError(
            "Invalid images rank: expected rank 3 (single image) or rank 4 (batch of images). "
            f"Received input with shape: images.shape={images.shape}"
        )


def _check_choice(name, value, choices):
    if value not in choices:
        raise ValueError(
            f"Invalid value for argument `{name}`. Expected one of {choices}. "
            f"Received: {name}={value}"
        )


def _check_colors(images):
    _check_rank(images)
    if not is_float_dtype(images.dtype):
        raise ValueError(
            "Invalid images dtype: expected float dtype. "
            f"Received: images.dtype={images.dtype}"
        )


def rgb_to_grayscale(images, data_format=None):
    images = convert_to_tensor(images)
    data_format = standardize_data_format(data_format)
    _check_rank(images)
    channels = images.shape[-1 if data_format == "channels_last" else -3]
    if channels not in (1, 3):
        raise ValueError(
            "Invalid channel size: expected 3 (RGB) or 1 (Grayscale). "
            f"Received input with shape: images.shape={images.shape}"
        )
    return _core.rgb_to_grayscale(images, data_format)


def rgb_to_hsv(images, data_format=None):
    images = convert_to_tensor(images)
    _check_colors(images)
    return _core.rgb_to_hsv(images, standardize_data_format(data_format))


def hsv_to_rgb(images, data_format=None):
    images = convert_to_tensor(images)
    _check_colors(images)
    return _core.hsv_to_rgb(images, standardize_data_format(data_format))


def resize(
    images,
    size,
    interpolation="bilinear",
    antialias=False,
    crop_to_aspect_ratio=False,
    pad_to_aspect_ratio=False,
    fill_mode="constant",
    fill_value=0.0,
    data_format=None,
):
    data_format = standardize_data_format(data_format)
    _check_choice("interpolation", interpolation, RESIZE_INTERPOLATIONS)
    if fill_mode != "constant":
        raise ValueError(
            "Invalid value for argument `fill_mode`. Only `'constant'` is supported. "
            f"Received: fill_mode={fill_mode}"
        )
    if pad_to_aspect_ratio and crop_to_aspect_ratio:
        raise ValueError(
            "Only one of `pad_to_aspect_ratio` & `crop_to_aspect_ratio` can be `True`."
        )
    if len(size) != 2:
        raise ValueError(
            "Argument `size` must be a tuple of two elements (height, width). "
            f"Received: size={size}"
        )
    images = convert_to_tensor(images)
    _check_rank(images)
    return _core.resize(
        images,
        (int(size[0]), int(size[1])),
        interpolation=interpolation,
        antialias=antialias,
        crop_to_aspect_ratio=crop_to_aspect_ratio,
        pad_to_aspect_ratio=pad_to_aspect_ratio,
        fill_mode=fill_mode,
        fill_value=float(fill_value),
        data_format=data_format,
    )


def affine_transform(
    images,
    transform,
    interpolation="bilinear",
    fill_mode="constant",
    fill_value=0,
    data_format=None,
):
    data_format = standardize_data_format(data_format)
    _check_choice("interpolation", interpolation, set(AFFINE_TRANSFORM_INTERPOLATIONS))
    _check_choice("fill_mode", fill_mode, AFFINE_TRANSFORM_FILL_MODES)
    images = convert_to_tensor(images)
    transform = convert_to_tensor(transform)
    _check_rank(images)
    if transform.ndim not in (1, 2):
        raise ValueError(
            "Invalid transform rank: expected rank 1 (single transform) or rank 2 (batch of "
            f"transforms). Received input with shape: transform.shape={transform.shape}"
        )
    if fill_mode == "wrap":
        return _wrapped_affine_transform(images, transform, interpolation, data_format)
    return _core.affine_transform(
        images,
        transform,
        interpolation=interpolation,
        fill_mode=fill_mode,
        fill_value=float(fill_value),
        data_format=data_format,
    )


def _wrapped_affine_transform(images, transform, interpolation, data_format):
    """Repeats the image without gaps. Antler's own "wrap" has gaps, like TensorFlow's."""
    x = images if images.ndim == 4 else _core.expand_dims(images, 0)
    x = x if data_format == "channels_last" else _core.moveaxis(x, 1, -1)
    dtype = result_type(x.dtype, "float32")
    transform = cast(transform, dtype)
    if transform.ndim == 1:
        transform = _core.expand_dims(transform, 0)
    # Reshapes the coefficients so that they broadcast over the pixels.
    coefficients = [_core.reshape(c, (-1, 1, 1, 1)) for c in _core.unstack(transform, 1)]
    a0, a1, a2, b0, b1, b2, c0, c1 = coefficients
    sample, row, column, channel = (_core.iota(x.shape, axis, dtype) for axis in range(4))
    scale = c0 * column + c1 * row + 1.0
    coordinates = [
        sample,
        (b0 * column + b1 * row + b2) / scale,
        (a0 * column + a1 * row + a2) / scale,
        channel,
    ]
    order = AFFINE_TRANSFORM_INTERPOLATIONS[interpolation]
    y = _core.map_coordinates(x, _core.stack(coordinates), order, "wrap")
    y = y if data_format == "channels_last" else _core.moveaxis(y, -1, 1)
    return y if images.ndim == 4 else _core.squeeze(y, 0)


def perspective_transform(
    images,
    start_points,
    end_points,
    interpolation="bilinear",
    fill_value=0,
    data_format=None,
):
    data_format = standardize_data_format(data_format)
    images = convert_to_tensor(images)
    start_points = convert_to_tensor(start_points)
    end_points = convert_to_tensor(end_points)
    _check_choice("interpolation", interpolation, set(AFFINE_TRANSFORM_INTERPOLATIONS))
    _check_rank(images)
    for name, points in (("start_points", start_points), ("end_points", end_points)):
        if points.ndim not in (2, 3) or points.shape[-2:] != (4, 2):
            raise ValueError(
                f"Invalid {name} shape: expected (4,2) for a single image"
                f" or (N,4,2) for a batch. Received shape: {points.shape}"
            )
    if start_points.shape != end_points.shape:
        raise ValueError(
            "start_points and end_points must have the same shape."
            f" Received start_points.shape={start_points.shape}, "
            f"end_points.shape={end_points.shape}"
        )
    return _core.perspective_transform(
        images,
        start_points,
        end_points,
        interpolation=interpolation,
        fill_value=float(fill_value),
        data_format=data_format,
    )


def compute_homography_matrix(start_points, end_points):
    """Projections [n, 8] (without the last coefficient, 1) that map end points to start points."""
    start_points = convert_to_tensor(start_points)
    end_points = convert_to_tensor(end_points)
    dtype = result_type(start_points.dtype, end_points.dtype, float)
    start = cast(start_points, dtype)
    end = cast(end_points, dtype)
    x, y = end[..., 0], end[..., 1]
    one, zero = _core.ones_like(x), _core.zeros_like(x)

    def rows(target, columns):
        return _core.stack([*columns, -target * x, -target * y], -1)

    u, v = start[..., 0], start[..., 1]
    # Two equations for each of the points.
    matrix = _core.concatenate(
        [rows(u, [x, y, one, zero, zero, zero]), rows(v, [zero, zero, zero, x, y, one])], -2
    )
    target = _core.expand_dims(_core.concatenate([u, v], -1), -1)
    return cast(_core.squeeze(_core.solve(matrix, target), -1), dtype)


def map_coordinates(inputs, coordinates, order, fill_mode="constant", fill_value=0.0):
    inputs = convert_to_tensor(inputs)
    coordinates = convert_to_tensor(coordinates)
    if coordinates.shape[0] != inputs.ndim:
        raise ValueError(
            "First dim of `coordinates` must be the same as the rank of `inputs`. "
            f"Received inputs with shape: {inputs.shape} and coordinate "
            f"leading dim of {coordinates.shape[0]}"
        )
    if coordinates.ndim < 2:
        raise ValueError(
            "Invalid coordinates rank: expected at least rank 2."
            f" Received input with shape: {coordinates.shape}"
        )
    if fill_mode not in MAP_COORDINATES_FILL_MODES:
        raise ValueError(
            "Invalid value for argument `fill_mode`. Expected one of "
            f"{MAP_COORDINATES_FILL_MODES}. Received: fill_mode={fill_mode}"
        )
    if order not in (0, 1):
        raise ValueError(
            f"Invalid value for argument `order`. Expected one of {[0, 1]}. Received: order={order}"
        )
    return _core.map_coordinates(inputs, coordinates, order, fill_mode, float(fill_value))


def gaussian_blur(images, kernel_size=(3, 3), sigma=(1.0, 1.0), data_format=None):
    images = convert_to_tensor(images)
    _check_rank(images)
    return _core.gaussian_blur(
        images,
        (int(kernel_size[0]), int(kernel_size[1])),
        convert_to_tensor(sigma[0]),
        convert_to_tensor(sigma[1]),
        standardize_data_format(data_format),
    )


def elastic_transform(
    images,
    alpha=20.0,
    sigma=5.0,
    interpolation="bilinear",
    fill_mode="reflect",
    fill_value=0.0,
    seed=None,
    data_format=None,
):
    data_format = standardize_data_format(data_format)
    _check_choice("interpolation", interpolation, set(AFFINE_TRANSFORM_INTERPOLATIONS))
    _check_choice("fill_mode", fill_mode, AFFINE_TRANSFORM_FILL_MODES)
    images = convert_to_tensor(images)
    _check_rank(images)
    return _core.elastic_transform(
        images,
        cast(convert_to_tensor(draw_seed(seed)), "uint32"),
        alpha=convert_to_tensor(alpha),
        sigma=convert_to_tensor(sigma),
        interpolation=interpolation,
        fill_mode=fill_mode,
        fill_value=float(fill_value),
        data_format=data_format,
    )


def scale_and_translate(
    images,
    output_shape,
    scale,
    translation,
    spatial_dims,
    method,
    antialias=True,
):
    _check_choice("method", method, SCALE_AND_TRANSLATE_METHODS)
    return _core.scale_and_translate(
        convert_to_tensor(images),
        tuple(output_shape),
        convert_to_tensor(scale),
        convert_to_tensor(translation),
        tuple(int(dim) for dim in spatial_dims),
        method,
        antialias,
    )


def sobel_edges(images, data_format=None):
    images = convert_to_tensor(images)
    if images.ndim != 4:
        raise ValueError(
            "Invalid images rank: expected rank 4 (batch of images). "
            f"Received: images.shape={images.shape}"
        )
    if standardize_data_format(data_format) == "channels_last":
        return _core.sobel_edges(images)
    edges = _core.sobel_edges(_core.moveaxis(images, 1, -1))
    return _core.moveaxis(edges, -2, 1)
