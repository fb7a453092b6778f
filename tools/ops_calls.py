#!/usr/bin/env python3
"""Writes tests/data/ops_calls.json: what real Keras (3.x, backend JAX) computes for operations of keras.ops.

    KERAS_BACKEND=jax python3 tools/ops_calls.py

A case has an operation in Keras's form (module, class name, configuration), its arguments and its results. The test also
checks gradients of floating-point arguments by finite differences, except for cases with `smooth=False`.
"""
import functools
import importlib
import json
import math
import os

os.environ.setdefault("KERAS_BACKEND", "jax")
import numpy as np  # noqa: E402

from golden import DATA  # noqa: E402

MODULES = ("numpy", "math", "linalg", "nn", "image", "core")
# Operations that are called as functions because their classes have bugs: Histogram imports from the wrong module,
# ConvTranspose swaps arguments, the others ignore `method`.
FUNCTIONS = {"Histogram": "histogram", "ConvTranspose": "conv_transpose", "Quantile": "quantile",
             "Percentile": "percentile", "Nanquantile": "nanquantile", "Nanpercentile": "nanpercentile"}
CASES = []
RNG = np.random.default_rng(7)
NAN = float("nan")
INF = float("inf")


def floats(*shape, low=-2.0, high=2.0):
    """Random numbers that depend only on the shape, not on the cases before."""
    rng = np.random.default_rng(sum((i + 1) * n for i, n in enumerate(shape)) + len(shape))
    return np.round(rng.uniform(low, high, shape), 3).astype("float32")


def ints(*shape, low=0, high=10):
    rng = np.random.default_rng(sum((i + 1) * n for i, n in enumerate(shape)) + 100)
    return rng.integers(low, high, shape).astype("int32")


def f32(values):
    return np.array(values, "float32")


def i32(values):
    return np.array(values, "int32")


def case(name, *arguments, smooth=True, tolerance=None, absolute=False, **config):
    """Adds a call. Lists among the arguments are lists of arrays. `absolute`: the signs of the results are not compared."""
    CASES.append((name, arguments, config, smooth, tolerance, absolute))


def numpy_cases():
    x = floats(3, 4)
    special = f32([NAN, INF, -INF, 0.0, -0.0, 1.5, -2.5, 3.0])
    for name in ("Abs", "Fabs", "Cbrt", "Exp2", "Deg2rad", "Rad2deg", "Sinc", "I0", "Copy"):
        case(name, x)
    case("Sinc", f32([0, 0.5, 1]))
    case("I0", floats(5, low=-9, high=9))
    case("Fabs", ints(3, low=-5))
    case("Angle", x, smooth=False)
    for name in ("Signbit", "Isneginf", "Isposinf", "Isreal", "Real", "Imag", "Conj", "Conjugate"):
        case(name, special, smooth=False)
    case("Signbit", ints(4, low=-5))
    case("NanToNum", special, smooth=False)
    case("NanToNum", special, smooth=False, nan=7.0, posinf=8.0, neginf=-8.0)
    y = floats(4, low=0.5)
    for name in ("Hypot", "Logaddexp2", "Fmax", "Fmin", "Heaviside"):
        case(name, x, y, smooth=name != "Heaviside")
    case("Hypot", f32([0, 3e20, INF, NAN]), f32([0, 4e20, 1, 1]), smooth=False)
    case("Fmod", x, y, smooth=False)
    case("Fmod", ints(6, low=-9), i32([2, 3, 4, -3, -4, 5]))
    case("Fmax", special, f32([1, 2, 3, 4, 5, 6, NAN, NAN]), smooth=False)
    case("Fmin", special, f32([1, 2, 3, 4, 5, 6, NAN, NAN]), smooth=False)
    case("Heaviside", special, f32(0.5), smooth=False)
    case("Ldexp", x, i32([1, -2, 3, 0]), smooth=False)
    case("Nextafter", f32([0, 1, -1, 1, 2, -3]), f32([1, 2, -2, 0, 2, NAN]), smooth=False)
    case("Gcd", i32([12, -18, 0, 7, 0]), i32([8, 27, 5, 0, 0]))
    case("Lcm", i32([12, -18, 0, 7, 0]), i32([8, 27, 5, 0, 0]))
    case("Isclose", f32([1, INF, NAN, 1]), f32([1.000001, INF, NAN, 2]), smooth=False)
    case("Isclose", f32([1, INF, NAN, 1]), f32([1.000001, INF, NAN, 2]), smooth=False, equal_nan=True)
    case("AllClose", f32([1, 2]), f32([1, 2.1]), smooth=False, rtol=0.1)
    for name in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
        case(name, ints(5, high=255), i32([3, 7, 8, 100, 129]))
    for name in ("BitwiseLeftShift", "LeftShift", "BitwiseRightShift", "RightShift"):
        case(name, ints(3, low=-100, high=255), i32([1, 2, 3]))
    case("BitwiseNot", ints(5, low=-9))
    case("BitwiseInvert", ints(5, low=-9))
    case("Select", [x > 1, x > 0], [x, x * 2], f32(5), smooth=False)
    case("SaturateCast", f32([-1e10, -5.5, 3.7, 300, 1e10]), smooth=False, dtype="uint8")
    case("SaturateCast", f32([-1e10, -5.5, 3.7, 300, 1e10]), smooth=False, dtype="int32")
    case("View", f32([1, -2]), smooth=False, dtype="int32")
    case("View", f32([1, -2]), smooth=False, dtype="uint16")
    case("View", i32([65537, 3]).view("int16"), smooth=False, dtype="int32")
    case("Array", x, smooth=False, dtype="int32")
    case("Full", f32(2.5), shape=[2, 3], smooth=False)
    case("FullLike", x, f32(2.5), smooth=False)
    case("Arange", 3, 17, 4, dtype="int32")
    case("Linspace", f32(-1), f32(2), num=7)
    case("Linspace", f32([0, 1]), f32([3, 5]), num=4, endpoint=False, axis=1)
    case("Linspace", f32(0), f32(9), num=5, dtype="int32", smooth=False)
    case("Linspace", f32([0, 1]), f32([3, 5]), num=4, retstep=True)
    case("Linspace", f32(1), f32(3), num=4, endpoint=False, retstep=True)
    case("Logspace", f32(-1), f32(2), num=5, tolerance=1e-4)
    case("Logspace", f32(0), f32(3), num=4, base=2.0)
    case("Geomspace", f32(1), f32(64), num=4)
    case("Geomspace", f32(-2), f32(-1000), num=5, tolerance=1e-4)
    case("Meshgrid", f32([1, 2, 3]), f32([4, 5]))
    case("Meshgrid", f32([1, 2, 3]), f32([4, 5]), f32([6, 7]), indexing="ij")
    case("UnravelIndex", i32([[0, 5], [11, 7]]), shape=[3, 4])
    for k in (0, 2, -1):
        case("Diag", f32([1, 2, 3]), k=k)
        case("Diag", x, k=k)
        case("Diagonal", floats(2, 3, 4), offset=k, axis1=2, axis2=1)
    case("Diagonal", x, offset=9)
    case("Diagflat", f32([[1, 2], [3, 4]]), k=1)
    case("Trace", floats(3, 4, 2), offset=1)
    case("Vander", f32([1, -2, 3]))
    case("Vander", f32([1, -2, 3]), N=2, increasing=True)
    case("Append", x, floats(2))
    case("Append", x, floats(2, 4), axis=0)
    for name in ("Hstack", "Vstack", "Dstack"):
        case(name, [f32([1, 2]), f32([3, 4])])
        case(name, [floats(2, 3), floats(2, 3)])
    case("ArraySplit", floats(7), indices_or_sections=3)
    case("ArraySplit", x, indices_or_sections=[1, 3], axis=1)
    case("Hsplit", x, indices_or_sections=2)
    case("Vsplit", x, indices_or_sections=[2])
    case("Dsplit", floats(2, 2, 4), indices_or_sections=2)
    for k in (1, 2, 3, -1):
        case("Rot90", x, k=k)
    case("Rot90", floats(2, 3, 2), k=1, axes=[0, 2])
    case("Fliplr", x)
    case("Flipud", x)
    case("Ravel", x)
    case("Diff", x)
    case("Diff", x, n=2, axis=0)
    case("Roll", x, shift=3)
    for mode in ("reflect", "symmetric"):
        case("Pad", x, pad_width=[[1, 2], [3, 0]], mode=mode)
        case("Pad", f32([1, 2, 3]), pad_width=[[7, 4]], mode=mode)
    case("Dot", x, floats(4, 2))
    case("Dot", floats(2, 3, 4), floats(4))
    case("Inner", x, floats(2, 4))
    case("Outer", floats(3), floats(2, 2))
    case("Vdot", x, floats(3, 4))
    case("Kron", floats(2, 3), floats(3, 2))
    case("Kron", floats(2), floats(2, 2))
    case("Cross", floats(2, 3), floats(3))
    case("Cross", floats(2, 2), floats(2, 2))
    case("Cross", floats(3, 2), floats(2), axisa=-1)
    case("Cross", floats(3, 4), floats(3, 4), axis=0)
    for mode in ("valid", "same", "full"):
        case("Correlate", floats(5), floats(3), mode=mode)
        case("Correlate", floats(6), floats(4), mode=mode)
        case("Correlate", floats(3), floats(6), mode=mode)
    case("Einsum", x, floats(4, 2), floats(2), subscripts="ij,jk,k->i")
    case("Einsum", floats(2, 3, 3), subscripts="...ii->...i")
    case("Einsum", x, subscripts="ij->j")
    case("Einsum", x, floats(3, 4), subscripts="ij,ij")
    case("Tensordot", floats(2, 3, 4), floats(4, 3, 2), axes=[[1, 2], [1, 0]])


def statistics_cases():
    x = floats(3, 4)
    holes = x.copy()
    holes[0, 1] = holes[2, 1] = holes[2, 2] = NAN
    empty = holes.copy()
    empty[1] = NAN
    case("Average", x, axis=1)
    case("Average", x, f32([1, 2, 3, 4]), axis=1)
    case("Average", x, floats(3, 4, low=0.5))
    case("CountNonzero", i32([[0, 1, 2], [0, 0, 5]]), axis=1)
    for axis in (None, 0, 1):
        case("Median", x, axis=axis)
        case("Ptp", x, axis=axis)
        for name in ("Nansum", "Nanprod", "Nanmax", "Nanmin", "Nanmean", "Nanvar", "Nanstd", "Nanmedian", "Nancumsum",
                     "Nancumprod"):
            case(name, holes, axis=axis, smooth=False)
        case("Nanargmax", holes, axis=axis, smooth=False)
        case("Nanargmin", holes, axis=axis, smooth=False)
    case("Median", floats(2, 3, 3), axis=[0, 2], keepdims=True)
    case("Median", holes, axis=0, smooth=False)
    for name in ("Nansum", "Nanmax", "Nanmean", "Nanargmax", "Nanmedian"):
        case(name, empty, axis=1, smooth=False)
    for method in ("linear", "lower", "higher", "midpoint", "nearest"):
        case("Quantile", x, f32([0.1, 0.5, 0.8]), axis=1, method=method, smooth=False)
    case("Quantile", floats(2, 3, 4), f32(0.3), axis=[0, 2], keepdims=True, smooth=False)
    case("Percentile", x, f32([10, 90]), axis=0, smooth=False)
    case("Nanquantile", holes, f32([0.1, 0.6]), axis=1, smooth=False)
    case("Nanpercentile", holes, f32(30), smooth=False)
    case("Corrcoef", x, tolerance=1e-4)
    case("Corrcoef", floats(4))
    case("Trapezoid", x)
    case("Trapezoid", x, dx=0.5, axis=0)
    for side in ("left", "right"):
        case("SearchSorted", f32([1, 2, 2, 3, 5]), f32([[0, 1, 2], [2.5, 5, 9]]), side=side, smooth=False)
    case("Digitize", f32([0.2, 6.4, 3.0, 1.6]), f32([0.0, 1.0, 2.5, 4.0, 10.0]), smooth=False)
    case("Bincount", i32([1, 1, 3, 0, 5]))
    case("Bincount", i32([[1, 1, 3], [0, 2, 2]]), minlength=6)
    case("Bincount", i32([1, 1, 3]), weights=[0.5, 1.5, 2.0])
    case("Histogram", floats(20), bins=4, smooth=False)
    case("Histogram", floats(20), bins=5, range=[-1.0, 1.5], smooth=False)
    case("IsIn", i32([[1, 2], [3, 4]]), i32([2, 4, 9]))
    case("IsIn", i32([[1, 2], [3, 4]]), i32([2, 4, 9]), invert=True)
    case("Unique", i32([[3, 1], [2, 1]]), return_index=True, return_inverse=True, return_counts=True)
    case("Unique", i32([3, 1, 2, 1]), size=5, return_counts=True)
    case("Unique", i32([3, 1, 2, 1]), size=2, fill_value=9)
    rows = i32([[3, 1, 2], [1, 5, 0], [3, 1, 2], [1, 2, 9]])
    case("Unique", rows, axis=0, return_index=True, return_inverse=True, return_counts=True)
    case("Unique", rows[:, [0, 1, 0]], axis=1, size=4, fill_value=7, return_counts=True)
    case("Nonzero", f32([[0, 1, 0], [2, 0, 3]]), smooth=False)
    case("InTopK", i32([2, 0, 1]), f32([[1, 2, 3], [1, 2, 3], [1, 5, 5]]), smooth=False, k=2)
    ids = i32([0, 2, 0, 3])
    for name in ("SegmentSum", "SegmentMax", "SegmentMin", "SegmentProd"):
        case(name, floats(4, 2), ids, num_segments=5, smooth=name != "SegmentProd")
        case(name, ints(4), ids, num_segments=3)


def math_cases():
    case("Erfc", f32([-3, -0.5, 0, 0.7, 3, 6]), tolerance=1e-5)
    case("CDist", floats(3, 2), floats(4, 2))
    case("CDist", floats(2, 3, 2), floats(2, 4, 2))
    case("ExtractSequences", floats(2, 8), sequence_length=4, sequence_stride=2)


def linalg_cases():
    x = floats(3, 3)
    positive = x @ x.T + np.eye(3, dtype="float32")
    batch = np.stack([positive, positive * 2 + np.eye(3, dtype="float32")]).astype("float32")
    for a in (positive, batch):
        case("Cholesky", a, tolerance=1e-5)
        case("Inv", a, tolerance=1e-4)
        case("Det", a, tolerance=1e-4)
        case("Logdet", a, tolerance=1e-4)
        case("Eigh", a, tolerance=1e-4, absolute=True)
        case("Solve", a, floats(*a.shape[:-1], 2), tolerance=1e-4)
    case("Cholesky", positive, upper=True, tolerance=1e-5)
    case("CholeskyInverse", np.linalg.cholesky(positive).astype("float32"), tolerance=1e-4)
    case("CholeskyInverse", np.linalg.cholesky(positive).T.astype("float32"), upper=True, tolerance=1e-4)
    case("Slogdet", x, tolerance=1e-4)
    case("Solve", positive, floats(3), tolerance=1e-4)
    case("SolveTriangular", positive, floats(3, 2), tolerance=1e-4)
    case("SolveTriangular", positive, floats(3, 2), lower=True, tolerance=1e-4)
    case("LuFactor", x, smooth=False, tolerance=1e-5)
    case("LuFactor", floats(2, 4, 3), smooth=False, tolerance=1e-5)
    case("Qr", floats(4, 3), tolerance=1e-5)
    case("Qr", floats(3, 4), smooth=False, tolerance=1e-5)
    case("Qr", floats(4, 3), mode="complete", smooth=False, tolerance=1e-5)
    case("Eig", f32([[1, 2], [3, 4]]), smooth=False, tolerance=1e-5, absolute=True)
    for shape in ((4, 3), (3, 4)):
        case("SVD", floats(*shape), full_matrices=False, tolerance=1e-4, absolute=True)
        case("SVD", floats(*shape), smooth=False, tolerance=1e-4, absolute=True)
        case("SVD", floats(*shape), compute_uv=False, tolerance=1e-4)
        case("Pinv", floats(*shape), tolerance=1e-4)
        case("Lstsq", floats(*shape), floats(shape[0]), tolerance=1e-4)
    case("Lstsq", floats(4, 3), floats(4, 2), tolerance=1e-4)
    case("MatrixRank", f32([[1, 2], [2, 4]]), smooth=False)
    case("MatrixRank", x, smooth=False)
    for order in (None, 0, 1, 2, 3):
        case("Norm", floats(2, 3), ord=order, axis=1, smooth=order != 0, tolerance=1e-5)
    for order in (None, "fro", "nuc", 1, -1, 2, -2):
        case("Norm", x, ord=order, axis=None if order is None else [0, 1], tolerance=1e-4)
    case("Norm", floats(2, 3, 3), ord=2, axis=[0, 2], keepdims=True, tolerance=1e-4)
    for n in (1, 8, 6, 7):
        case("FFT", (floats(2, n), floats(2, n, low=-1)), tolerance=1e-4)
    case("FFT2", (floats(3, 4), floats(3, 4, low=-1)), tolerance=1e-4)
    case("IFFT2", (floats(3, 4), floats(3, 4, low=-1)), tolerance=1e-4)
    case("RFFT", floats(2, 9), tolerance=1e-4)
    case("RFFT", floats(9), fft_length=12, tolerance=1e-4)
    case("RFFT", floats(9), fft_length=5, tolerance=1e-4)
    case("IRFFT", (floats(2, 5), floats(2, 5, low=-1)), tolerance=1e-4)
    case("IRFFT", (floats(5), floats(5, low=-1)), fft_length=7, tolerance=1e-4)
    for center in (True, False):
        case("STFT", floats(20), sequence_length=6, sequence_stride=3, fft_length=8, center=center, tolerance=1e-4)
        case("ISTFT", (floats(6, 5), floats(6, 5, low=-1)), sequence_length=6, sequence_stride=3, fft_length=8,
             center=center, tolerance=1e-3, smooth=False)
    case("STFT", floats(2, 20), sequence_length=8, sequence_stride=4, fft_length=8, window="hamming", tolerance=1e-4)
    case("STFT", floats(20), sequence_length=6, sequence_stride=3, fft_length=8, window=None, tolerance=1e-4)
    case("ISTFT", (floats(6, 5), floats(6, 5, low=-1)), sequence_length=8, sequence_stride=4, fft_length=8, length=15,
         tolerance=1e-3, smooth=False)


def nn_cases():
    image = floats(2, 5, 6, 3)
    for config in ({}, {"strides": 2, "padding": "same"}, {"dilation_rate": 2}):
        case("Conv", image, floats(2, 3, 3, 2), tolerance=1e-5, **config)
        case("DepthwiseConv", image, floats(2, 3, 3, 2), tolerance=1e-5, **config)
    case("Conv", floats(1, 3, 7), floats(2, 3, 4), data_format="channels_first", tolerance=1e-5)
    case("SeparableConv", image, floats(2, 2, 3, 2), floats(1, 1, 6, 4), padding="same", tolerance=1e-5)
    for config in ({}, {"strides": 2, "padding": "same"}, {"strides": 3, "output_padding": 1}):
        case("ConvTranspose", floats(1, 3, 4, 2), floats(2, 3, 3, 2), tolerance=1e-5, **config)
    case("AdaptiveMaxPool", image, output_size=[2, 3])
    case("AdaptiveAveragePool", image, output_size=[2, 4], tolerance=1e-5)
    case("DepthToSpace", floats(1, 2, 3, 8), block_size=2)
    case("SpaceToDepth", floats(1, 4, 6, 2), block_size=2)
    case("Unfold", floats(1, 2, 5, 6), kernel_size=[2, 3], stride=[2, 1], padding=1)
    case("Unfold", floats(1, 2, 5, 6), kernel_size=2, dilation=2)
    case("Fold", floats(1, 12, 18), output_size=[5, 6], kernel_size=[2, 3], stride=[2, 1], padding=1)
    for order in (1, 2, 3):
        case("Normalize", floats(3, 4), order=order, axis=1, tolerance=1e-5)
    case("Normalize", f32([[0, 0], [3, 4]]), smooth=False)
    case("RMSNorm", floats(3, 4), floats(4), tolerance=1e-5)
    case("RMSNorm", floats(2, 3, 4), axis=[1, 2], tolerance=1e-5)
    case("LayerNorm", floats(3, 4), floats(4), floats(4), tolerance=1e-5)
    case("LayerNorm", floats(2, 3, 4), floats(3), axis=[1], epsilon=1e-3, tolerance=1e-5)
    case("LayerNorm", floats(3, 4), floats(4), rms_scaling=True, tolerance=1e-5)
    case("Moments", floats(3, 4), axes=[0], tolerance=1e-5)
    case("BatchNorm", floats(3, 4), floats(4), floats(4, low=0.5), floats(4), floats(4), axis=-1, tolerance=1e-5)
    p = floats(2, 3, low=0.1, high=0.9)
    case("BinaryCrossentropy", f32([[0, 1, 1], [1, 0, 0]]), p, tolerance=1e-5)
    case("CategoricalCrossentropy", f32([[0, 1, 0], [1, 0, 0]]), p, from_logits=True, tolerance=1e-5)
    case("SparseCategoricalCrossentropy", i32([2, 0]), p, tolerance=1e-5)
    target, logits = i32([[1, 2, 2], [3, 1, 0]]), floats(2, 7, 4)
    case("CTCLoss", target, logits, i32([3, 2]), i32([7, 5]), tolerance=1e-4)
    case("CTCLoss", i32([[1, 2, 2], [0, 1, 0]]), logits, i32([3, 2]), i32([7, 7]), mask_index=3, tolerance=1e-4)
    for merge in (True, False):
        case("CTCDecode", logits, i32([7, 5]), merge_repeated=merge, smooth=False, tolerance=1e-5)
    for width, paths in ((100, 3), (3, 2), (1, 1)):
        case("CTCDecode", logits, i32([7, 5]), strategy="beam_search", beam_width=width, top_paths=paths, mask_index=1,
             smooth=False, tolerance=1e-5)
    case("CTCDecode", floats(1, 1, 3), i32([1]), strategy="beam_search", top_paths=5, smooth=False, tolerance=1e-5)
    case("PSNR", image, image * 0.9, max_val=2.0, tolerance=1e-5)
    case("MultiHot", i32([[0, 2], [1, 1]]), num_classes=4)
    case("MultiHot", i32([0, 2]), num_classes=4)


def image_cases():
    image = floats(2, 5, 6, 3)
    case("CropImages", image, top_cropping=1, left_cropping=2, target_height=3, target_width=2)
    case("CropImages", floats(5, 6, 3), bottom_cropping=1, right_cropping=2, target_height=3, target_width=2)
    case("PadImages", image, top_padding=1, left_padding=2, target_height=9, target_width=9)
    case("PadImages", image, top_padding=1, left_padding=2, bottom_padding=0, right_padding=3)
    case("ExtractPatches", image, size=2)
    case("ExtractPatches", image, size=[2, 3], strides=[1, 2], padding="same")
    case("ExtractPatches", floats(3, 4, 4, 2), size=[2, 2, 2])
    case("SobelEdges", image, tolerance=1e-5)
    pixels = floats(2, 12, 13, 2, low=0.0, high=1.0)
    case("SSIM", pixels, pixels * 0.8, tolerance=1e-4, smooth=False)
    case("SSIM", pixels, 1 - pixels, max_val=2.0, filter_size=5, tolerance=1e-4, smooth=False)
    resampling_cases()
    colors = floats(1, 3, 4, 3, low=0.05, high=1.0)
    case("RGBToGrayscale", colors, tolerance=1e-5)
    case("RGBToGrayscale", ints(3, 2, 2, high=255).astype("uint8"), data_format="channels_first")
    case("RGBToHSV", colors, tolerance=1e-5)
    case("RGBToHSV", f32([[[0, 0, 0], [1, 1, 1], [0.2, 0.2, 0.1]]]), smooth=False, tolerance=1e-5)
    case("HSVToRGB", colors, tolerance=1e-5)
    case("HSVToRGB", floats(3, 2, 2), data_format="channels_first", smooth=False, tolerance=1e-5)


def resampling_cases():
    image = floats(1, 4, 3, 2)
    for config in ({}, {"antialias": True}, {"crop_to_aspect_ratio": True},
                   {"pad_to_aspect_ratio": True, "fill_value": 0.5}, {"interpolation": "nearest"}):
        case("Resize", image, size=[3, 5], tolerance=1e-5, **config)
    for interpolation in ("bicubic", "lanczos3", "lanczos5"):  # TensorFlow computes bicubic weights from a table
        case("Resize", floats(2, 4, 3), size=[8, 6], interpolation=interpolation, data_format="channels_first",
             tolerance=1e-4)
    case("Resize", image, size=[2, 2], interpolation="bicubic", antialias=True, tolerance=1e-4)
    case("Resize", i32([[[0], [255], [3], [8]]]).astype("uint8"), size=[1, 7])
    turn = f32([0.8, -0.4, 0.75, 0.45, 0.7, -0.3, 0, 0])
    for mode in ("constant", "nearest", "reflect", "mirror"):
        case("AffineTransform", image, f32([turn * 2.1 - 0.55]) * f32([1] * 6 + [0, 0]), fill_mode=mode, fill_value=0.3,
             tolerance=1e-4, smooth=mode in ("constant", "mirror"))
    case("AffineTransform", image[0], turn, interpolation="nearest", smooth=False)
    case("AffineTransform", floats(2, 2, 4, 3), f32([turn, turn * 0.9]), data_format="channels_first", tolerance=1e-4,
         smooth=False)
    corners = f32([[0, 0], [2, 0], [0, 3], [2, 3]])
    moved = corners + f32([[0.3, 0.1], [-0.2, 0.4], [0.15, -0.35], [-0.1, -0.2]])
    case("PerspectiveTransform", image, f32([corners]), f32([moved]), fill_value=0.7, tolerance=1e-4)
    case("PerspectiveTransform", image[0], moved, corners[[1, 3, 2, 0]], tolerance=1e-4, smooth=False)
    case("PerspectiveTransform", image, corners, moved, interpolation="nearest", smooth=False)
    places = f32([[-5.3, -2.2, -0.7, 0.2, 1.6, 2.3, 3.4, 6.1], [0.3, 1.2, -1.4, 2.6, 4.7, -3.2, 7.8, 1.1]])
    for mode in ("constant", "nearest", "wrap", "mirror", "reflect"):
        for order in (0, 1):
            case("MapCoordinates", floats(4, 3), places, order=order, fill_mode=mode, fill_value=-1.5, tolerance=1e-4,
                 smooth=order == 1 and mode != "constant")
    case("MapCoordinates", floats(2, 3, 2), f32([[[0.4]], [[1.3]], [[0.7]]]), order=1, tolerance=1e-5)
    case("MapCoordinates", ints(5), f32([[0.5, 1.3, 3.6]]), order=1)
    case("GaussianBlur", image, tolerance=1e-5)
    case("GaussianBlur", floats(2, 4, 3), kernel_size=[2, 5], sigma=[0.8, 1.3], data_format="channels_first",
         tolerance=1e-5)
    stretch, shift = f32([1.7, 0.7]), f32([-0.3, 0.42])
    for method in ("linear", "cubic", "lanczos3", "lanczos5"):
        case("ScaleAndTranslate", floats(4, 3), (5, 3), stretch, shift, spatial_dims=[0, 1], method=method,
             tolerance=1e-4)
    case("ScaleAndTranslate", floats(4, 3, 2), (4, 3, 3), stretch, shift, spatial_dims=[2, 1], method="bilinear",
         antialias=False, tolerance=1e-4, smooth=False)


def core_cases():
    x = floats(3, 4)
    case("SliceUpdate", x, i32([1, 2]), floats(2, 2))
    case("Scatter", i32([[0], [2], [0]]), floats(3, 2), shape=[4, 2])
    for reduction in (None, "add", "max", "min", "mul"):
        case("ScatterUpdate", x, i32([[0, 1], [2, 3]]), floats(2), reduction=reduction)
    # Lists of numbers instead of tensors.
    case("Take", floats(3, 4), [0, 2], axis=1)
    case("Add", floats(2, 2), [[1, 2], [3, 4]])


def find(name):
    for module in MODULES:
        found = getattr(importlib.import_module("keras.src.ops." + module), name, None)
        if found is not None and found.__module__.endswith("." + module):
            return module, found
    raise KeyError(name)


def number(value, digits):
    value = float(value)
    if math.isnan(value) or math.isinf(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if value == 0 and math.copysign(1, value) < 0:
        return -0.0
    return int(value) if value == int(value) and abs(value) < 2**53 else float(f"{value:.{digits}g}")


def array(value, digits=9):
    value = np.asarray(value, "int32") if isinstance(value, int) else np.asarray(value)
    return {"dtype": str(value.dtype), "shape": list(value.shape), "values": [number(v, digits) for v in value.ravel()]}


def argument(value):
    return [argument(v) for v in value] if isinstance(value, (list, tuple)) else array(value)


def tensor(value):
    """NumPy arrays as tensors of the backend."""
    from keras import ops

    if isinstance(value, (list, tuple)):
        return type(value)(tensor(v) for v in value)
    return ops.convert_to_tensor(value) if isinstance(value, np.ndarray) else value


def results(value, digits):
    """The arrays of a result, flattened; complex ones as real and imaginary part."""
    if isinstance(value, (list, tuple)):
        return [r for v in value for r in results(v, digits)]
    value = np.asarray(value)
    if np.iscomplexobj(value):
        return [array(value.real, digits), array(value.imag, digits)]
    return [array(value, digits)]


def main():
    import keras

    for cases in (numpy_cases, statistics_cases, math_cases, linalg_cases, nn_cases, image_cases, core_cases):
        cases()
    rows = []
    failed = []
    for name, arguments, config, smooth, tolerance, absolute in CASES:
        module, op_class = find(name)
        as_python = {k: tuple(v) if isinstance(v, list) and not isinstance(v[0], list) else v for k, v in config.items()}
        try:
            op = op_class(**as_python)
            if hasattr(op, "data_format") and op.data_format is None:
                op.data_format = "channels_last"  # some backends do not resolve None
            if isinstance(getattr(op, "axis", None), list):
                op.axis = tuple(op.axis)  # JAX does not accept lists
            if isinstance(getattr(op, "weights", None), tuple):
                op.weights = f32(op.weights)
            if name in FUNCTIONS:
                op = functools.partial(getattr(keras.ops, FUNCTIONS[name]), **as_python)
            out = op(*[tensor(a) for a in arguments])
        except Exception as error:  # all failures are reported at the end
            failed.append(f"{name} {config}: {error}")
            continue
        row = {"module": "keras.src.ops." + module, "class_name": name, "config": config,
               "arguments": [argument(a) for a in arguments], "results": results(out, 9 if tolerance is None else 7)}
        if not smooth:
            row["smooth"] = False
        if absolute:
            row["absolute"] = True
        if tolerance is not None:
            row["tolerance"] = tolerance
        rows.append(row)
    lines = ",\n".join(json.dumps(row, allow_nan=False) for row in rows)
    (DATA / "ops_calls.json").write_text('{"keras_version": "%s", "cases": [\n%s\n]}\n' % (keras.__version__, lines))
    print(len(rows), "cases")
    if failed:
        raise SystemExit("failed in Keras:\n" + "\n".join(failed))


if __name__ == "__main__":
    main()
