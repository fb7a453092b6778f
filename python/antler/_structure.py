"""Trees of tensors: lists, tuples, named tuples and dictionaries."""

from antler import _core


class Structure:
    """A tree without its tensors. Equal structures compare equal; other leaves are part of them."""

    def __init__(self, tree):
        self.leaves = []
        self._spec = self._flatten(tree)

    def _flatten(self, node):
        if isinstance(node, dict):
            return (dict, tuple((key, self._flatten(node[key])) for key in sorted(node)))
        if isinstance(node, (list, tuple)):
            return (type(node), tuple(self._flatten(part) for part in node))
        if _is_tensor(node):
            self.leaves.append(node)
            return _LEAF
        return ("constant", node)

    def pack(self, leaves):
        """The tree with these tensors."""
        leaves = iter(leaves)
        return self._pack(self._spec, leaves)

    def _pack(self, spec, leaves):
        if spec is _LEAF:
            return next(leaves)
        kind, parts = spec
        if kind == "constant":
            return parts
        if kind is dict:
            return {key: self._pack(part, leaves) for key, part in parts}
        values = [self._pack(part, leaves) for part in parts]
        return kind(*values) if hasattr(kind, "_fields") else kind(values)

    def __eq__(self, other):
        return self._spec == other._spec

    def __hash__(self):
        try:
            return hash(self._spec)
        except TypeError:
            raise TypeError(
                "Arguments of a function must be tensors, arrays, or constants that can be hashed."
            ) from None


_LEAF = ("leaf", None)


def _is_tensor(value):
    return (
        isinstance(value, (_core.Tensor, _core.Variable))
        or hasattr(value, "__antler_tensor__")
        or hasattr(value, "__array_interface__")
    )
