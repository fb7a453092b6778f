"""Antler: tensors, variables, gradient tapes and functions that are traced and compiled.

The operations have the names of those in `keras.ops`. Errors are Python's own classes, plus some of
TensorFlow's classes (`NotFoundError`, `ResourceExhaustedError`, ...).
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
    # The operations are attributes of _core, so that they need not be listed a second time.
    if name == "ops":
        return _core
    raise AttributeError(f"module 'antler' has no attribute {name!r}")
