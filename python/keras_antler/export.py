"""`model.export` by Antler's writers: SavedModel and ONNX."""

import os

from antler import _core
from keras.src import tree
from keras.src.backend.common import standardize_dtype

from keras_antler.core import convert_to_tensor


class _Endpoint:
    """A function and what it takes: InputSpecs, or whatever has a shape and a dtype."""

    def __init__(self, function, input_signature):
        self._function = function
        self._signature = input_signature
        self._specs = tree.flatten(input_signature)
        self._structure = None

    def write(self, path, format, name, verbose):
        inputs = [(standardize_dtype(s.dtype), tuple(s.shape)) for s in self._specs]
        names = [getattr(s, "name", None) or f"input_{i}" for i, s in enumerate(self._specs)]
        outputs = _core.output_specs(
            self._call,
            [_core.spec_only(d, [2 if n is None else n for n in shape]) for d, shape in inputs],
        )
        output_names = [f"output_{i}" for i in range(len(outputs))]
        _core.export_function(self._call, inputs, names, output_names, name, path, format)
        if verbose:
            print(f"Saved artifact at '{path}'.")

    def _call(self, tensors):
        arguments = tree.pack_sequence_as(self._signature, tensors)
        return [convert_to_tensor(leaf) for leaf in tree.flatten(self._function(*arguments))]


class AntlerExportArchive:
    """The parts of `keras.export.ExportArchive` for one endpoint, the signature `serving_default`.

    Weights are constants of the graph, so there is nothing to track.
    """

    def __init__(self):
        self._endpoint = None

    def track(self, resource):
        pass

    def add_endpoint(self, name, fn, input_signature=None, **kwargs):
        if kwargs:
            raise ValueError(f"The antler backend takes no such arguments: {sorted(kwargs)}")
        if input_signature is None:
            raise ValueError("The antler backend needs an `input_signature`.")
        if self._endpoint is not None:
            raise NotImplementedError("The antler backend exports one endpoint.")
        self._endpoint = _Endpoint(fn, input_signature)
        return fn

    def track_and_add_endpoint(self, name, resource, input_signature, **kwargs):
        return self.add_endpoint(
            name, lambda *inputs: resource(*inputs, training=False), input_signature, **kwargs
        )

    def add_variable_collection(self, name, variables):
        raise NotImplementedError("The antler backend exports weights as constants.")

    def write_out(self, filepath, options=None, verbose=True):
        if self._endpoint is None:
            raise ValueError("No endpoints have been set yet. Call add_endpoint().")
        self._endpoint.write(str(filepath), "tf_saved_model", "model", verbose)


def export_onnx(
    model, filepath, verbose=None, input_signature=None, opset_version=None, **kwargs
):
    """Writes `model` as an ONNX file (opset 17)."""
    from keras.src.export.export_utils import get_input_signature

    if opset_version not in (None, 17):
        raise ValueError(f"The antler backend writes opset 17. Received: {opset_version}")
    if input_signature is None:
        input_signature = get_input_signature(model)
    endpoint = _Endpoint(lambda *inputs: model(*inputs, training=False), input_signature)
    endpoint.write(os.fspath(filepath), "onnx", model.name, verbose in (None, True))
