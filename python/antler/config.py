"""Process-wide settings. Those about code and devices are read when a program is compiled."""

from antler._core import deterministic as deterministic
from antler._core import device as device
from antler._core import run_functions_eagerly as run_functions_eagerly
from antler._core import set_deterministic as set_deterministic
from antler._core import set_device as set_device
from antler._core import set_dump_sink as set_dump_sink
from antler._core import set_threads as set_threads
from antler._core import threads as threads
