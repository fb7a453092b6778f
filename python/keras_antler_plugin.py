"""Makes `KERAS_BACKEND=antler` known to a Keras without third-party backends.

Python runs `install` at startup (see keras_antler.pth). It only adds an entry to `sys.meta_path`;
nothing else is imported before Keras. A few modules of Keras choose their backend by a chain of
comparisons that ends in an error. If Keras is set to "antler", this adds one branch before the
error. A Keras with plug-ins (its RFC "Keras Pluggable Backends") has no such chains; then this
module does nothing.
"""

import importlib.abc
import importlib.machinery
import sys

# What each module imports if the backend is Antler.
BRANCHES = {
    "keras.src.backend": (
        "from keras_antler import *; from keras_antler.core import Variable as BackendVariable; "
        "from keras_antler import distribution_lib"
    ),
    "keras.src.layers.layer": "from keras_antler.layer import AntlerLayer as BackendLayer",
    "keras.src.models.model": "from keras_antler.trainer import AntlerTrainer as Trainer",
    "keras.src.export.saved_model": (
        "from keras_antler.export import AntlerExportArchive as BackendSavedModelExportArchive"
    ),
}


# Code that is appended to a module: a function in place of one whose chain is inside it, or a wrapper.
_REPLACEMENTS = {
    "keras.src.export.onnx": "from keras_antler.export import export_onnx",
    "keras.src.backend.config": """
_set_floatx = set_floatx
def set_floatx(value):
    _set_floatx(value)
    from antler import _core
    _core.set_default_float(_FLOATX)
set_floatx.__doc__ = _set_floatx.__doc__
""",
    # Preprocessing layers find their backend by name.
    "keras.src.utils.backend_utils": """
_by_name = DynamicBackend.__getattr__
def _getattr(self, name):
    if self._backend == "antler":
        import keras_antler
        return getattr(keras_antler, name)
    return _by_name(self, name)
DynamicBackend.__getattr__ = _getattr
""",
}


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads a module of Keras with one additional branch."""

    def source_to_code(self, data, path, *, _optimize=-1):
        return compile(_with_backend(data, self.name), path, "exec", dont_inherit=True)

    # Does not use or change Keras's cached bytecode.
    def get_code(self, fullname):
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def _with_backend(source, module):
    import ast

    tree = ast.parse(source)
    if module in _REPLACEMENTS:
        tree.body += ast.parse(_REPLACEMENTS[module]).body
        return tree
    for node in tree.body:
        # Finds the end of the chain: `if backend() == ...: ... else: raise ...`.
        while isinstance(node, ast.If) and node.orelse:
            if isinstance(node.orelse[0], ast.Raise) and "backend" in ast.unparse(node.test):
                branch = ast.parse(
                    f"from keras.src.backend.config import backend as antler_backend\n"
                    f"if antler_backend() == 'antler': {BRANCHES[module]}\n"
                    f"else: pass"
                ).body
                branch[1].orelse = node.orelse
                node.orelse = branch
                for added in branch:
                    for part in ast.walk(added):
                        ast.copy_location(part, node)
                return tree
            node = node.orelse[0]
    return tree


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname, path=None, target=None):
        if fullname not in BRANCHES and fullname not in _REPLACEMENTS:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or not _is_chosen():
            return spec
        loader = _Loader(fullname, spec.origin)
        spec.loader = loader
        return spec


def _is_chosen():
    """Whether Keras will read "antler" from the environment or its configuration file."""
    import json
    import os

    if backend := os.environ.get("KERAS_BACKEND"):
        return backend == "antler"
    home = os.environ.get("KERAS_HOME")
    if home is None:
        base = os.path.expanduser("~")
        home = os.path.join(base if os.access(base, os.W_OK) else "/tmp", ".keras")
    try:
        with open(os.path.join(home, "keras.json")) as file:
            return json.load(file).get("backend") == "antler"
    except (OSError, ValueError, AttributeError):
        return False


def install():
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
