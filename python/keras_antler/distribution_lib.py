"""Devices and layouts of `keras.distribution`.

The devices of a process are virtual: they compute in one program, which all threads of the CPU
share. So a step sees the whole batch, as Keras has it; variables and tensors with a layout are
divided, and computed in parts.
"""

from antler import _core
from keras_antler.core import convert_to_tensor


def list_devices(device_type=None):
    return _core.list_devices(device_type or "")


def get_device_count(device_type=None):
    return len(list_devices(device_type))


def initialize(job_addresses, num_processes, process_id):
    """Describes this process; with several, a RuntimeError: the package has no connection between
    processes."""
    _core.initialize_processes(job_addresses, num_processes, process_id)


def num_processes():
    return 1


def process_id():
    return 0


def distribute_tensor(tensor, layout):
    layout = getattr(layout, "backend_layout", layout)
    return _core.distribute_tensor(convert_to_tensor(tensor), layout)



def _to_backend_mesh(device_mesh):
    return _core.DeviceMesh(
        list(device_mesh.shape),
        list(device_mesh.axis_names),
        [str(device) for device in device_mesh.devices.flatten()],
    )


def _to_backend_layout(tensor_layout):
    if tensor_layout.device_mesh is None:
        raise ValueError("Cannot create sharding when device mesh is not set for TensorLayout.")
    return _core.TensorLayout(list(tensor_layout.axes), tensor_layout.device_mesh.backend_mesh)
