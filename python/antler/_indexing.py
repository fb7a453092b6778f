"""Indexing by arrays, as in NumPy. Numbers, slices, None and `...` are handled in C++."""

import numpy as np

from antler import _core


def get_item(x, key):
    """x[key] where `key` has at least one array, list, mask or tensor."""
    entries = []
    for entry in key if isinstance(key, tuple) else (key,):
        entries.extend(_standard(entry))
    entries = _without_ellipsis(entries, x.ndim)
    # Slices and new axes first; axes with an array stay whole.
    basic = []
    arrays = {}
    for entry in entries:
        if _is_array(entry):
            arrays[len(basic)] = entry
            basic.append(slice(None))
        else:
            basic.append(entry)
    x = x[tuple(basic)] if basic else x
    axes = sorted(arrays)
    contiguous = axes[-1] - axes[0] == len(axes) - 1
    others = [axis for axis in range(x.ndim) if axis not in arrays]
    front = _core.transpose(x, axes + others)
    indices = [_within(_core.convert_to_tensor(arrays[a], "int32"), x.shape[a]) for a in axes]
    shape = np.broadcast_shapes(*[index.shape for index in indices])
    indices = [_core.broadcast_to(index, shape) for index in indices]
    result = _core.gather_nd(front, _core.stack(indices, -1))
    if not contiguous or axes[0] == 0:
        return result
    # The dimensions of adjacent arrays stay at the place of the first array.
    order = list(range(result.ndim))
    rank, first = len(shape), axes[0]
    return _core.transpose(result, order[rank : rank + first] + order[:rank] + order[rank + first :])


def _is_array(entry):
    return isinstance(entry, (_core.Tensor, np.ndarray))


def _standard(entry):
    """Entries that are slices, None, `...`, or arrays of integers."""
    if entry is None or entry is Ellipsis or isinstance(entry, slice):
        return [_static_slice(entry) if isinstance(entry, slice) else entry]
    if hasattr(entry, "__antler_tensor__"):
        entry = entry.__antler_tensor__()
    if isinstance(entry, (int, np.integer)) and not isinstance(entry, bool):
        return [np.asarray(entry, "int32")]
    if not isinstance(entry, _core.Tensor):
        entry = np.asarray(entry)
    if str(entry.dtype) != "bool":
        if "int" not in str(entry.dtype) and entry.size:
            raise IndexError(f"Arrays used as indices must be integers or booleans, not {entry.dtype}.")
        return [entry]
    if isinstance(entry, _core.Tensor) and entry.is_traced:
        raise ValueError(
            "A mask that depends on the arguments of a traced function cannot be an index, because "
            "the size of the result is unknown. Use `ops.where`, or run eagerly."
        )
    return list(np.nonzero(np.asarray(entry)))


def _static_slice(entry):
    def bound(value):
        return None if value is None else int(value)

    return slice(bound(entry.start), bound(entry.stop), bound(entry.step))


def _without_ellipsis(entries, rank):
    used = sum(entry is not None and entry is not Ellipsis for entry in entries)
    result = []
    for entry in entries:
        if entry is Ellipsis:
            result.extend([slice(None)] * (rank - used))
        else:
            result.append(entry)
    return result


def _within(index, size):
    """Negative indices count from the end."""
    return _core.where(_core.less(index, 0), _core.add(index, size), index)
