#!/usr/bin/env python3
"""Reads a model_dir that Antler's Estimator wrote, and SavedModels that it exported, with TensorFlow's own tools.

usage: check_estimator_folder.py MODEL_DIR [EXPORT_DIR ...]      needs tensorflow from PyPI (2.15 has tf.estimator)
"""
import glob
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.python.tools import saved_model_utils

v1 = tf.compat.v1


def check(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


def check_checkpoint(model_dir):
    """The values by name, the same by tf.train.Saver through the .meta file."""
    prefix = tf.train.latest_checkpoint(model_dir)
    check(prefix, f"{model_dir} has no checkpoint")
    reader = tf.train.load_checkpoint(prefix)
    values = {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}
    check("global_step" in values, "the checkpoint has no global_step")
    step = int(values["global_step"])
    check(prefix.endswith(f"-{step}"), f"{prefix} has the global step {step}")
    if os.path.exists(prefix + ".meta"):
        with tf.Graph().as_default(), v1.Session() as session:
            v1.train.import_meta_graph(prefix + ".meta").restore(session, prefix)
            variables = v1.global_variables()
            check({v.op.name for v in variables} == set(values), "the variables of .meta are not those of the checkpoint")
            for variable, value in zip(variables, session.run(variables)):
                np.testing.assert_array_equal(value, values[variable.op.name])
    return values


def check_graph(model_dir):
    path = os.path.join(model_dir, "graph.pbtxt")
    if not os.path.exists(path):
        return
    graph = text_format.Parse(open(path).read(), v1.GraphDef())
    with tf.Graph().as_default():
        tf.import_graph_def(graph, name="")


def check_events(model_dir):
    """Counts the values of all event files of the folder and those below it."""
    values, graphs = 0, 0
    for path in glob.glob(os.path.join(model_dir, "**", "*.tfevents.*"), recursive=True):
        for event in v1.train.summary_iterator(path):
            values += len(event.summary.value)
            if event.HasField("graph_def"):
                v1.GraphDef.FromString(event.graph_def)
                graphs += 1
            if event.HasField("meta_graph_def"):
                v1.MetaGraphDef.FromString(event.meta_graph_def)
    check(values > 0, f"{model_dir} has no summaries")
    return values, graphs


def feed_for(spec):
    if spec.dtype == tf.string:
        return None
    return tf.zeros([2 if size is None else size for size in spec.shape], spec.dtype)


def check_export(folder):
    """Loads each graph of a SavedModel and runs its signatures, except those that take strings."""
    ran = 0
    for meta_graph in saved_model_utils.read_saved_model(folder).meta_graphs:
        tags = list(meta_graph.meta_info_def.tags)
        loaded = tf.saved_model.load(folder, tags=tags)
        for name, signature in loaded.signatures.items():
            specs = signature.structured_input_signature[1]
            feeds = {key: feed_for(spec) for key, spec in specs.items()}
            if any(value is None for value in feeds.values()):
                continue
            results = signature(**feeds)
            for key, info in meta_graph.signature_def[name].outputs.items():
                check(results[key].dtype.as_datatype_enum == info.dtype, f"{name}/{key} has another dtype")
            ran += 1
    check(ran > 0, f"no signature of {folder} could be run")
    return ran


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    values = check_checkpoint(sys.argv[1])
    check_graph(sys.argv[1])
    summaries, graphs = check_events(sys.argv[1])
    print(f"{len(values)} variables, {summaries} summaries, {graphs} graphs in events")
    for folder in sys.argv[2:]:
        print(f"{folder}: {check_export(folder)} signatures ran")


main()
