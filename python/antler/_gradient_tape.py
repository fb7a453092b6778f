import enum

from antler import _core
from antler._structure import Structure


class UnconnectedGradients(enum.Enum):
    """What `gradient` returns for a source that does not influence the target."""

    NONE = "none"
    ZERO = "zero"


class GradientTape:
    """Like TensorFlow's tape: records the operations in a `with` block, eager or traced.

    Reads of trainable variables are watched unless `watch_accessed_variables` is false. Without
    `persistent`, `gradient` can be called once.
    """

    def __init__(self, persistent=False, watch_accessed_variables=True):
        self._tape = _core.Tape(persistent, watch_accessed_variables)

    def __enter__(self):
        self._tape.enter()
        return self

    def __exit__(self, *exception):
        self._tape.exit()

    def watch(self, tensor):
        """Makes tensors or variables sources of gradients."""
        for leaf in Structure(tensor).leaves:
            variable = _variable(leaf)
            if variable is not None:
                self._tape.watch_variable(variable)
            else:
                self._tape.watch(leaf)

    def gradient(
        self,
        target,
        sources,
        output_gradients=None,
        unconnected_gradients=UnconnectedGradients.NONE,
    ):
        """The gradient of the sum of `target` for each source, in the structure of `sources`.

        Sources are tensors or variables. The gradient is None, or zeros with
        `UnconnectedGradients.ZERO`, if a source does not influence the target. Raises RuntimeError
        on the second call unless the tape is persistent.
        """
        structure = Structure(sources)
        leaves = structure.leaves
        targets = [_core.convert_to_tensor(leaf) for leaf in Structure(target).leaves]
        zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        variables = [_variable(leaf) for leaf in leaves]
        if output_gradients is None and len(targets) == 1 and None not in variables:
            return structure.pack(self._tape.gradient_of_variables(targets[0], variables, zero))
        if output_gradients is not None:
            output_gradients = [
                _core.convert_to_tensor(leaf) for leaf in Structure(output_gradients).leaves
            ]
        if any(v is not None for v in variables):
            raise TypeError(
                "`sources` must be tensors, or variables of one target without output gradients."
            )
        return structure.pack(self._tape.gradient(targets, leaves, output_gradients, zero))

    def jacobian(self, target, source):
        """d target[i] / d source[j], of shape target.shape + source.shape."""
        return self._tape.jacobian(target, source)

    def watched_variables(self):
        return self._tape.watched_variables()

    def reset(self):
        """Discards what was recorded."""
        self._tape.reset()


def _variable(leaf):
    """The Variable behind `leaf`, or None."""
    if isinstance(leaf, _core.Variable):
        return leaf
    return getattr(leaf, "antler_variable", None)
