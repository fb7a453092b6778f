"""`model.export` with Antler's writers: SavedModel and ONNX."""

import inspect
import os

from antler import _core
from keras.src import tree
from keras.src.backend.common import KerasVariable
from keras.src.backend.common import standardize_dtype
from keras.src.export.export_utils import get_input_signature
from keras.src.export.export_utils import make_input_spec
from keras.src.layers import InputSpec
from keras.src.layers import Layer
from keras.src.utils import io_utils

from keras_antler.core import convert_to_tensor


class _Endpoint:
    """A function and the specs of its inputs: InputSpecs, or any objects with a shape and a dtype.

    The writers trace it, together with the variables that it uses.
    """

    def __init__(self, function, input_signature):
        if not isinstance(input_signature, (list, tuple)):
            raise ValueError(
                "`input_signature` must be a list or a tuple with an item for each argument. "
                f"Received: input_signature={input_signature}"
            )
        self._function = function
        self.inputs = tuple(tree.map_structure(_to_spec, argument) for argument in input_signature)
        self._specs = tree.flatten(self.inputs)
        self.parameters = _parameters(function, len(self.inputs))
        self.outputs = None
        specs = [
            _core.spec_only(dtype, [2 if size is None else size for size in shape])
            for dtype, shape in self.shapes
        ]
        _core.output_specs(self.call, specs)  # sets `outputs`

    @property
    def shapes(self):
        return [(standardize_dtype(spec.dtype), tuple(spec.shape)) for spec in self._specs]

    @property
    def input_names(self):
        """The names as in TensorFlow: those of the specs, or else of the parameters."""
        names = []
        for parameter, argument in zip(self.parameters, self.inputs):
            names += [spec.name or parameter for spec in tree.flatten(argument)]
        return _unique(names)

    @property
    def output_names(self):
        if isinstance(self.outputs, dict) and not any(map(tree.is_nested, self.outputs.values())):
            return sorted(self.outputs)
        return [f"output_{i}" for i in range(len(tree.flatten(self.outputs)))]

    def call(self, tensors):
        arguments = tree.pack_sequence_as(self.inputs, tensors)
        results = tree.map_structure(convert_to_tensor, self._function(*arguments))
        self.outputs = tree.map_structure(lambda _: None, results)
        return tree.flatten(results)


def _to_spec(x):
    # tf.TensorSpec, without importing TensorFlow.
    if hasattr(x, "shape") and hasattr(x, "dtype") and type(x).__name__ == "TensorSpec":
        return InputSpec(dtype=standardize_dtype(x.dtype), shape=tuple(x.shape), name=x.name)
    return make_input_spec(x)


def _parameters(function, count):
    """The names of a function's first parameters, as a caller in Python may use them."""
    if isinstance(function, Layer):
        function = function.call
    # A layer's `__call__` has the parameters of its `call`.
    elif getattr(function, "__name__", None) == "__call__" and isinstance(
        getattr(function, "__self__", None), Layer
    ):
        function = function.__self__.call
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind in positional
    ][:count]
    return _unique(names + [f"args_{i}" for i in range(len(names), count)])


def _unique(names):
    return [
        name if name not in names[:i] else f"{name}_{names[:i].count(name)}"
        for i, name in enumerate(names)
    ]


class AntlerExportArchive:
    """`keras.export.ExportArchive`, written without TensorFlow."""

    def __init__(self):
        self._endpoints = {}
        self._collections = {}
        self._layers = []

    @property
    def variables(self):
        return self._tracked("variables")

    @property
    def trainable_variables(self):
        return self._tracked("trainable_variables")

    @property
    def non_trainable_variables(self):
        return self._tracked("non_trainable_variables")

    def _tracked(self, kind):
        return [variable for layer in self._layers for variable in getattr(layer, kind)]

    def track(self, resource):
        if not isinstance(resource, Layer):
            raise ValueError(
                "Invalid resource type. Expected a Keras `Layer` or `Model`. "
                f"Received object {resource} of type '{type(resource)}'."
            )
        if not resource.built:
            raise ValueError(
                "The layer provided has not yet been built. It must be built before export."
            )
        if resource not in self._layers:
            self._layers.append(resource)

    def add_endpoint(self, name, fn, input_signature=None, **kwargs):
        if name in self._endpoints:
            raise ValueError(f"Endpoint name '{name}' is already taken.")
        if kwargs:
            raise ValueError(f"The antler backend takes no such arguments: {sorted(kwargs)}")
        if input_signature is None:
            raise ValueError(
                "With the antler backend, you must provide an `input_signature` argument to specify "
                "the shape and dtype of the function arguments."
            )
        self._endpoints[name] = _Endpoint(fn, input_signature)
        return fn

    def track_and_add_endpoint(self, name, resource, input_signature, **kwargs):
        self.track(resource)
        return self.add_endpoint(name, resource.__call__, input_signature, **kwargs)

    def add_variable_collection(self, name, variables):
        if not isinstance(variables, (list, tuple, set)):
            raise ValueError(
                "Expected `variables` to be a list/tuple/set. "
                f"Received instead object of type '{type(variables)}'."
            )
        if not all(isinstance(variable, KerasVariable) for variable in variables):
            raise ValueError(
                "Expected all elements in `variables` to be `keras.Variable` instances. Found "
                f"instead the following types: {list(set(map(type, variables)))}"
            )
        self._collections[name] = list(variables)

    def write_out(self, filepath, options=None, verbose=True):
        if options is not None:
            raise ValueError("The antler backend takes no `options` of TensorFlow.")
        if not self._endpoints:
            raise ValueError("No endpoints have been set yet. Call add_endpoint().")
        archive = _core.SavedModelArchive()
        for kind in ("variables", "trainable_variables", "non_trainable_variables"):
            archive.add_variables(kind, _stored(self._tracked(kind)))
        for name, variables in self._collections.items():
            archive.add_variables(name, _stored(variables))
        for name, endpoint in self._endpoints.items():
            archive.add_endpoint(
                name,
                endpoint.call,
                endpoint.shapes,
                endpoint.parameters,
                endpoint.inputs,
                endpoint.input_names,
                endpoint.outputs,
                endpoint.output_names,
            )
        archive.save(os.fspath(filepath))
        if verbose:
            endpoints = "\n".join(
                f"* Endpoint '{name}': {', '.join(endpoint.input_names)} -> "
                f"{', '.join(endpoint.output_names)}"
                for name, endpoint in self._endpoints.items()
            )
            io_utils.print_msg(
                f"Saved artifact at '{filepath}'. The following endpoints are available:\n\n"
                f"{endpoints}"
            )


def _stored(variables):
    return [variable.antler_variable for variable in variables]


def export_onnx(
    model, filepath, verbose=None, input_signature=None, opset_version=None, **kwargs
):
    """Writes `model` as an ONNX file (opset 17)."""
    if opset_version not in (None, 17):
        raise ValueError(f"The antler backend writes opset 17. Received: {opset_version}")
    if input_signature is None:
        input_signature = get_input_signature(model)
    endpoint = _Endpoint(lambda *inputs: model(*inputs, training=False), input_signature)
    names = [
        getattr(spec, "name", None) or f"input_{i}"
        for i, spec in enumerate(tree.flatten(endpoint.inputs))
    ]
    outputs = [f"output_{i}" for i in range(len(tree.flatten(endpoint.outputs)))]
    _core.export_onnx(
        endpoint.call, endpoint.shapes, names, outputs, model.name, os.fspath(filepath)
    )
    if verbose in (None, True):
        io_utils.print_msg(f"Saved artifact at '{filepath}'.")
