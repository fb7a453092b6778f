#!/usr/bin/env python3
"""Reads files that Antler has written with the programs they are meant for: tf_keras, Keras and TensorBoard.

usage: check_files.py path/to/antler      needs tensorflow, keras, tf_keras and tensorboard from PyPI

  .h5               `antler convert` writes a model with nested models to .h5; Keras and tf_keras read it, and Antler reads
                    the .h5 of tf_keras: equal predictions
  checkpoints       Keras and tf_keras restore weights and optimizer from a .ckpt of `antler convert`, and `antler convert
                    --weights` reads Keras's checkpoint
  event files       `antler fit` with the TensorBoard callback: scalars, histograms, graph and embeddings, read by TensorBoard
"""
import json
import os
import subprocess
import sys
import tempfile

os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
import keras
import numpy as np
import tensorflow as tf
import tf_keras

failures = []


def check(what, good):
    print(f"{'ok  ' if good else 'FAIL'} {what}")
    if not good:
        failures.append(what)


def near(a, b):
    a = a if isinstance(a, (list, tuple)) else [a]
    b = b if isinstance(b, (list, tuple)) else [b]
    return len(a) == len(b) and all(np.allclose(np.asarray(x), np.asarray(y), atol=1e-5) for x, y in zip(a, b))


def models_in_models(k, rng):
    """The same model for both versions of Keras: each nested model is called twice and is an output."""
    left = k.Sequential([k.layers.InputLayer((4,)), k.layers.Dense(3), k.layers.BatchNormalization(), k.layers.Dense(4)], name="left")
    x = k.Input((4,), name="x")
    right = k.Model(x, k.layers.Dense(4, name="inner")(x), name="right")
    a, b = k.Input((4,), name="a"), k.Input((4,), name="b")
    once = right(left(a))
    total = k.layers.Add(name="total")([once, left(b)])
    model = k.Model([a, b], [total, right(total), left(once)], name="outer")
    for w in model.weights:
        w.assign(np.asarray(w) + 0.1 * np.abs(rng.standard_normal(w.shape)))
    return model


def older_hdf5(antler, folder):
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal((5, 4)).astype("float32") for _ in range(2)]
    model = models_in_models(keras, rng)
    expected = model(arrays)
    model.save(f"{folder}/nested.keras")
    subprocess.run([antler, "convert", f"{folder}/nested.keras", f"{folder}/nested.h5"], check=True)
    for k in (keras, tf_keras):
        check(f"{k.__name__} opens models in models in .h5", near(k.models.load_model(f"{folder}/nested.h5", compile=False)(arrays), expected))
    old = models_in_models(tf_keras, rng)
    old.save(f"{folder}/old.h5")
    subprocess.run([antler, "convert", f"{folder}/old.h5", f"{folder}/new.keras"], check=True)
    check("models in models of tf_keras's .h5", near(keras.models.load_model(f"{folder}/new.keras", compile=False)(arrays), old(arrays)))


def optimizer(k, name):
    return getattr(k.optimizers, name)(**({"momentum": 0.9} if name == "SGD" else {}))


def trained(k, name):
    model = k.Sequential([k.layers.InputLayer((3,)), k.layers.Dense(4, "tanh"), k.layers.BatchNormalization(), k.layers.Dense(2)])
    model.compile(optimizer(k, name), "mse")
    model.fit(np.ones((8, 3), "float32"), np.ones((8, 2), "float32"), epochs=2, verbose=0)
    return model


def slots(model):
    """The optimizer's slots by attribute name, which is the same in both versions of Keras."""
    return {
        name.lstrip("_"): [np.asarray(v) for v in getattr(model.optimizer, name)]
        for name in ("_momentums", "momentums", "_velocities", "_accumulators", "_accumulated_grads", "_m", "_u", "_linears")
        if getattr(model.optimizer, name, None)
    }


def checkpoints(antler, folder, name):
    x = np.ones((2, 3), "float32")
    model = trained(keras, name)
    model.save(f"{folder}/{name}.keras")
    subprocess.run([antler, "convert", f"{folder}/{name}.keras", f"{folder}/{name}.ckpt"], check=True)
    for k in (keras, tf_keras):
        other = trained(k, name)
        if k is keras:
            tf.train.Checkpoint(other).restore(f"{folder}/{name}.ckpt").expect_partial()
        else:
            other.load_weights(f"{folder}/{name}.ckpt").expect_partial()
        same = near(other(x), model(x)) and slots(other).keys() == slots(model).keys()
        same = same and all(near(slots(other)[key], slots(model)[key]) for key in slots(model))
        check(f"{k.__name__} restores .ckpt with {name}", same)
    tf.train.Checkpoint(model=model).write(f"{folder}/{name}-own")
    fresh = keras.Sequential.from_config(model.get_config())
    fresh.compile(optimizer(keras, name), "mse")
    fresh.optimizer.build(fresh.trainable_variables)
    fresh.save(f"{folder}/fresh.keras")
    subprocess.run([antler, "convert", f"{folder}/fresh.keras", f"{folder}/back.keras", "--weights", f"{folder}/{name}-own"], check=True)
    back = keras.models.load_model(f"{folder}/back.keras")
    check(f"Keras's own checkpoint with {name}", near(back(x), model(x)) and near(back.optimizer.variables, model.optimizer.variables))


def event_files(antler, folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.backend.event_processing.plugin_event_multiplexer import EventMultiplexer
    from tensorboard.plugins import base_plugin
    from tensorboard.plugins.projector.projector_plugin import ProjectorPlugin

    words = keras.Input((3,), dtype="int32")
    model = keras.Model(words, keras.layers.Dense(1)(keras.layers.Flatten()(keras.layers.Embedding(6, 4, name="words")(words))))
    model.compile("adam", "mse")
    model.save(f"{folder}/words.keras")
    np.savez(f"{folder}/words.npz", x=np.random.default_rng(0).integers(0, 6, (16, 3)).astype("int32"), y=np.ones((16, 1), "float32"))
    logs = f"{folder}/logs"
    callback = f"tensor_board:log_dir={logs},histogram_freq=1,embeddings_freq=1,embeddings_metadata=words.tsv"
    subprocess.run([antler, "fit", f"{folder}/words.keras", f"{folder}/words.npz", "--epochs", "2", "--verbose", "0", "--out",
                    f"{folder}/trained.keras", "--history", f"{folder}/history.json", "--callback", callback], check=True, stdout=subprocess.DEVNULL)
    events = EventAccumulator(f"{logs}/train", size_guidance={"tensors": 0})
    events.Reload()
    losses = [tf.make_ndarray(e.tensor_proto).item() for e in events.Tensors("epoch_loss")]
    check("TensorBoard reads epoch_loss", near(losses, json.load(open(f"{folder}/history.json"))["history"]["loss"]))
    tags = events.Tags()["tensors"]
    check("TensorBoard lists the histograms and the model", any(t.endswith("/histogram") for t in tags) and "keras" in tags)
    multiplexer = EventMultiplexer().AddRunsFromDirectory(logs)
    multiplexer.Reload()
    context = base_plugin.TBContext(logdir=logs, multiplexer=multiplexer, data_provider=None)
    plugin = ProjectorPlugin(context)
    plugin._update_configs()
    embeddings = {e.tensor_name: e for e in plugin._configs["."].embeddings} if "." in plugin._configs else {}
    name = "layer_with_weights-0/embeddings/.ATTRIBUTES/VARIABLE_VALUE"
    found = embeddings.get(name)
    check("TensorBoard's projector knows the embedding", found is not None and found.metadata_path == "words.tsv" and list(found.tensor_shape) == [6, 4])
    tensor = plugin._get_reader_for_run(".").get_tensor(name) if found is not None else None
    check("TensorBoard's projector reads it", found is not None and near(tensor, keras.models.load_model(f"{folder}/trained.keras").get_layer("words").get_weights()[0]))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        older_hdf5(sys.argv[1], folder)
        for name in ("Adam", "SGD", "Adamax", "Lion"):
            checkpoints(sys.argv[1], folder, name)
        event_files(sys.argv[1], folder)
    sys.exit(f"failed: {', '.join(failures)}" if failures else 0)


if __name__ == "__main__":
    main()
