"""Devices and layouts of `keras.distribution`.

Devices are those of a plug-in, or virtual devices of the CPU. One program computes the parts of all
devices, so a step sees the whole batch, as in Keras. The rows of the batch, and the variables and
tensors with a layout, are divided over the devices.
"""

from antler import _core
from keras.src.backend.common import global_state

from keras_antler.core import convert_to_tensor


def list_devices(device_type=None):
    return _core.list_devices(device_type or "")


def get_device_count(device_type=None):
    return len(list_devices(device_type))


def initialize(job_addresses, num_processes, process_id):
    """Describes this process. Raises RuntimeError for several processes, which the package cannot
    connect."""
    _core.initialize_processes(job_addresses, num_processes, process_id)


def num_processes():
    return 1


def process_id():
    return 0


def distribute_tensor(tensor, layout):
    distribution = global_state.get_global_attribute("distribution")
    batch_dim_name = None if distribution is None else distribution.batch_dim_name
    return distribute_data_input(tensor, layout, batch_dim_name)


def distribute_data_input(per_process_batch, layout, batch_dim_name):
    """In a traced function: the batch with its rows divided over the devices. A batch whose rows do
    not divide evenly stays whole."""
    layout = getattr(layout, "backend_layout", layout)
    batch = convert_to_tensor(per_process_batch)
    return _core.distribute_tensor(batch, layout, batch_dim_name or "")


def distribute_rows(tensor):
    """A tensor of a batch, in the layout that the current distribution gives to data."""
    distribution = global_state.get_global_attribute("distribution")
    if distribution is None or tensor is None or len(tensor.shape) == 0:
        return tensor
    layout = distribution.get_data_layout(tensor.shape)
    return distribute_data_input(tensor, layout, distribution.batch_dim_name)


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
