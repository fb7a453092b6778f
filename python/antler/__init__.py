"""Antler: tensors, variables, gradient tapes and functions that are traced and compiled.

The operations are those of `keras.ops` and take the same names. Errors are Python's own classes, and
those of TensorFlow that Python lacks (`NotFoundError`, `ResourceExhaustedError`, ...).
"""

from antler import _core
from antler._core import (
    AbortedError,
    CancelledError,
    DeadlineExceededError,
    InternalError,
    NotFoundError,
    OutOfRangeError,
    ResourceExhaustedError,
    StepsPerExecution,
    StepsPerExecutionTuner,
    Tensor,
    UnavailableError,
    Variable,
    __version__,
    asarray,
)
from antler import config
from antler._function import Function, function
from antler._gradient_tape import GradientTape, UnconnectedGradients

__all__ = [
    "AbortedError",
    "CancelledError",
    "DeadlineExceededError",
    "Function",
    "GradientTape",
    "InternalError",
    "NotFoundError",
    "OutOfRangeError",
    "ResourceExhaustedError",
    "StepsPerExecution",
    "StepsPerExecutionTuner",
    "Tensor",
    "UnavailableError",
    "UnconnectedGradients",
    "Variable",
    "__version__",
    "asarray",
    "config",
    "function",
    "ops",
]


def __getattr__(name):
    # Operations are looked up where they are bound, so that nothing lists them twice.
    if name == "ops":
        return _core
    raise AttributeError(f"module 'antler' has no attribute {name!r}")
