import functools

from antler import _core
from antler._structure import Structure


class Function:
    """A Python function over trees of tensors that is traced and compiled once per signature.

    Like TensorFlow's `tf.function`. A signature consists of the structure of the arguments, the
    dtypes and shapes of tensors, and the values of all other arguments. Reads and assignments of
    variables become part of the program. The GIL is released while the program runs.
    """

    def __init__(self, body, name=None, jit_compile=True, run_eagerly=False):
        self._body = body
        self._options = {
            "name": name or getattr(body, "__name__", "function"),
            "jit_compile": jit_compile,
            "run_eagerly": run_eagerly,
        }
        self._by_structure = {}
        functools.update_wrapper(self, body, updated=())

    def __call__(self, *args, **kwargs):
        arguments = Structure((args, kwargs))
        leaves = [_core.convert_to_tensor(leaf) for leaf in arguments.leaves]
        entry = self._by_structure.get(arguments)
        if entry is None:
            entry = self._by_structure[arguments] = _Traced(self._body, arguments, self._options)
        return entry(leaves)

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        # One function per instance, because each instance has its own variables.
        bound = Function(self._body.__get__(instance, owner), **self._options)
        setattr(instance, self._body.__name__, bound)
        return bound

    @property
    def trace_count(self):
        """How many times the Python function was traced."""
        return sum(entry.function.trace_count for entry in self._by_structure.values())


class _Traced:
    """A function for one structure of arguments."""

    def __init__(self, body, arguments, options):
        self._body = body
        self._arguments = arguments
        self._results = {}
        self.function = _core.Function(self._trace, **options)
        # The structure is kept, but must not keep its first arguments alive.
        arguments.leaves = None

    def __call__(self, leaves):
        results = self.function(leaves)
        return self._results[_signature(leaves)].pack(results)

    def _trace(self, leaves):
        args, kwargs = self._arguments.pack(leaves)
        results = Structure(self._body(*args, **kwargs))
        self._results[_signature(leaves)] = results
        leaves = [_core.convert_to_tensor(leaf) for leaf in results.leaves]
        results.leaves = None
        return leaves


def _signature(leaves):
    return tuple((leaf.dtype, leaf.shape) for leaf in leaves)


def function(body=None, *, jit_compile=True, run_eagerly=False, **options):
    """Decorator: `@function`, or `@function(jit_compile=False)`. See `Function`."""
    if body is None:
        return lambda f: Function(f, jit_compile=jit_compile, run_eagerly=run_eagerly, **options)
    return Function(body, jit_compile=jit_compile, run_eagerly=run_eagerly, **options)
