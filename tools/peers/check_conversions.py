#!/usr/bin/env python3
"""Converts models between all pairs of formats of `antler convert` and compares the predictions of the results.

usage: check_conversions.py path/to/antler [MODEL ...]

Needs keras and a backend from PyPI; onnxruntime and tensorflow to check that they can read ONNX files and SavedModels.

Each of Keras's .keras files is converted to each format with weights, and the result to each other format:
  whole models     `antler predict` reads the result
  weights only     `--weights` loads the result into the same architecture with other weights, then `antler predict`
  architectures    .json with the weights of the source
  graphs           ONNX Runtime reads ONNX; TensorFlow and Antler read SavedModels
"""
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
import keras
import numpy as np
from keras import layers as L

WHOLE = ["keras", "h5", "hdf5", "savedmodel"]
WEIGHTS = ["weights.h5", "npz", "safetensors", "ckpt"]
GRAPHS = ["onnx", "savedmodel"]
TOLERANCE = 2e-6


def sequential(shape, *layers):
    return keras.Sequential([keras.Input(shape), *layers])


def functional():
    a, b = keras.Input((4,), name="a"), keras.Input((3,), name="b")
    inner = keras.Sequential([keras.Input((4,)), L.Dense(3, "tanh"), L.BatchNormalization()], name="inner")
    y = L.Concatenate()([inner(a), b])
    return keras.Model([a, b], [L.Dense(2, name="one")(y), L.Dense(1, "sigmoid", name="two")(y)])


MODELS = {
    "dense": lambda: sequential((6,), L.Dense(8, "relu"), L.BatchNormalization(), L.Dense(3, "softmax")),
    "conv": lambda: sequential((8, 8, 3), L.Conv2D(4, 3, activation="relu", padding="same"), L.MaxPooling2D(), L.SeparableConv2D(5, 2), L.Flatten(), L.Dense(2)),
    "lstm": lambda: sequential((5, 3), L.LSTM(4, return_sequences=True), L.Bidirectional(L.GRU(3)), L.Dense(2)),
    "functional": functional,
}


class Conversions:
    def __init__(self, antler, name, folder):
        self.antler, self.folder, self.failed, self.count = antler, pathlib.Path(folder), [], 0
        self.x = None
        # For each model, so that a failure comes again if the model is checked alone.
        self.rng = np.random.default_rng(0)
        keras.utils.set_random_seed(1)
        expected = self.make(name, "first.keras")
        self.make(name, "other.keras")
        self.expected = expected

    def make(self, name, file):
        # Resets the counters of automatic names, because .npz and .safetensors match by name.
        keras.utils.clear_session()
        model = MODELS[name]()
        for w in model.weights:
            if "seed" not in w.path:
                w.assign(np.asarray(keras.ops.convert_to_numpy(w)) + 0.2 * np.abs(self.rng.standard_normal(w.shape)))
        if self.x is None:
            self.x = {t.name: self.rng.standard_normal((4, *t.shape[1:])).astype("float32") for t in model.inputs}
            if len(self.x) > 1:
                np.savez(self.folder / "x.npz", **self.x)
            else:
                np.save(self.folder / "x.npy", *self.x.values())
        model.save(self.folder / file)
        values = list(self.x.values())
        outputs = model(values if len(values) > 1 else values[0], training=False)
        return [keras.ops.convert_to_numpy(y) for y in (outputs if isinstance(outputs, (list, tuple)) else [outputs])]

    def run(self, *arguments):
        done = subprocess.run([self.antler, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip() or done.stdout.strip())

    def predicted(self, model):
        several = len(self.expected) > 1
        out = "p.npz" if several else "p.npy"
        self.run("predict", model, "x.npz" if len(self.x) > 1 else "x.npy", "--out", out)
        found = np.load(self.folder / out)
        return [found[n] for n in found.files] if several else [found]

    def by_onnxruntime(self, model):
        import onnxruntime
        session = onnxruntime.InferenceSession(str(self.folder / model))
        return session.run(None, dict(zip([i.name for i in session.get_inputs()], self.x.values())))

    def by_tensorflow(self, model):
        import tensorflow as tf
        serve = tf.saved_model.load(str(self.folder / model)).signatures["serving_default"]
        names = list(serve.structured_input_signature[1])
        # The name of a single input may differ.
        x = self.x if len(self.x) > 1 else dict(zip(names, self.x.values()))
        outputs = {k: v.numpy() for k, v in serve(**{k: tf.constant(v) for k, v in x.items()}).items()}
        return [outputs[k] for k in sorted(outputs)]

    def part(self, what, predictions):
        self.count += 1
        try:
            for got, expected in zip(predictions(), self.expected, strict=True):
                error = float(np.max(np.abs(got - expected)))
                if not error <= TOLERANCE:
                    raise ValueError(f"predictions differ by {error:.1e}")
        except ImportError:
            self.count -= 1
        except Exception as error:
            self.failed.append(f"{what}: {type(error).__name__}: {str(error)[:400]}")

    def converted(self, source, target, *more):
        self.run("convert", source, target, *more)
        return target

    def all(self):
        for kind in WHOLE + WEIGHTS:
            self.part(f"keras to {kind}", lambda: self.converted("first.keras", f"from.{kind}") and self.expected)
        for source, target in itertools.product(WHOLE, WHOLE):
            self.part(f"{source} to {target}", lambda: self.predicted(self.converted(f"from.{source}", f"to_{source}.{target}")))
        # A SavedModel is a graph. Its weights can be loaded with --weights, see below.
        sources = [s for s in WHOLE if s != "savedmodel"]
        for source, target in itertools.product(sources, WEIGHTS):
            self.part(f"{source} to {target}", lambda: self.converted(f"from.{source}", f"to_{source}.{target}") and self.predicted(
                self.converted("other.keras", "mixed.keras", "--weights", f"to_{source}.{target}")))
        for source in sources:
            self.part(f"{source} to json", lambda: self.converted(f"from.{source}", f"to_{source}.json") and self.predicted(
                self.converted(f"to_{source}.json", "mixed.keras", "--weights", "from.weights.h5")))
        for weights, target in itertools.product(WEIGHTS + ["savedmodel"], WHOLE + WEIGHTS):
            whole = target in WHOLE
            self.part(f"json and {weights} to {target}", lambda: self.converted("to_keras.json", f"joined.{target}", "--weights", f"from.{weights}") and self.predicted(
                f"joined.{target}" if whole else self.converted("other.keras", "mixed.keras", "--weights", f"joined.{target}")))
        for source in WHOLE:
            self.part(f"{source} to onnx", lambda: self.by_onnxruntime(self.converted(f"from.{source}", f"to_{source}.onnx")))
            self.part(f"{source} to savedmodel, by TensorFlow", lambda: self.by_tensorflow(f"to_{source}.savedmodel"))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    failures = 0
    for name in sys.argv[2:] or MODELS:
        with tempfile.TemporaryDirectory() as folder:
            check = Conversions(os.path.abspath(sys.argv[1]), name, folder)
            check.all()
        print(f"{'FAIL' if check.failed else 'ok  '} {name}: {check.count - len(check.failed)} of {check.count} conversions", flush=True)
        for failure in check.failed:
            print(f"       {failure}", flush=True)
        failures += len(check.failed)
    sys.exit(f"{failures} failed" if failures else 0)


if __name__ == "__main__":
    main()
