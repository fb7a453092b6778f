#!/usr/bin/env python3
"""Trains many kinds of models in Antler, Keras's backends and PyTorch, and prints a table of milliseconds per step.

usage: bench_models.py path/to/antler --venvs DIR [--wrapper COMMAND] [MODEL ...]

DIR has the virtual environments tf (Keras, TensorFlow), jx (Keras, JAX) and th (PyTorch). Keras trains the same model file as Antler
on the same arrays with ten steps per execution, and reports the best of three epochs. PyTorch's models are in torch_models.py.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time

PEERS = {"tensorflow": "tf", "jax": "jx", "torch": "th"}


def sequential(*layers):
    import keras
    return keras.Sequential(list(layers))


def repeated(count, *layers):
    return [layer() for _ in range(count) for layer in layers]


def build(name):
    """(model, batch shape, kind of data)"""
    import keras
    from keras import Input, Model, layers as L

    def blocks(x, *pieces):
        for piece in pieces:
            x = piece(x)
        return x

    if name == "vgg":
        stack = []
        for filters in (32, 64, 128):
            stack += repeated(2, lambda: L.Conv2D(filters, 3, padding="same", use_bias=False), L.BatchNormalization, L.ReLU)
            stack.append(L.MaxPooling2D(2))
        return sequential(Input((32, 32, 3)), *stack, L.Flatten(), L.Dense(128, "relu"), L.Dropout(0.3), L.Dense(10)), (64, 32, 32, 3), "classes"
    if name == "mobilenet":
        i = Input((32, 32, 3))
        x = L.Conv2D(32, 3, strides=2, padding="same", activation="relu")(i)
        for filters, stride in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1)):
            x = blocks(x, L.DepthwiseConv2D(3, strides=stride, padding="same", use_bias=False), L.BatchNormalization(), L.ReLU(6.0),
                       L.Conv2D(filters, 1, use_bias=False), L.BatchNormalization(), L.ReLU(6.0))
        return Model(i, blocks(x, L.GlobalAveragePooling2D(), L.Dense(10))), (64, 32, 32, 3), "classes"
    if name == "unet":
        i = Input((32, 32, 3))
        a = L.Conv2D(32, 3, padding="same", activation="relu")(i)
        b = blocks(a, L.MaxPooling2D(2), L.Conv2D(64, 3, padding="same", activation="relu"), L.Conv2DTranspose(32, 2, strides=2))
        x = blocks(L.Concatenate()([b, a]), L.Conv2D(32, 3, padding="same", activation="relu"), L.Conv2D(3, 1, activation="sigmoid"))
        return Model(i, x), (32, 32, 32, 3), "same"
    if name == "autoencoder":
        return sequential(
            Input((32, 32, 3)), L.Conv2D(32, 3, strides=2, padding="same", activation="relu"),
            L.Conv2D(64, 3, strides=2, padding="same", activation="relu"), L.Flatten(), L.Dense(64), L.Dense(4096, "relu"), L.Reshape((8, 8, 64)),
            L.Conv2DTranspose(64, 3, strides=2, padding="same", activation="relu"), L.Conv2DTranspose(32, 3, strides=2, padding="same", activation="relu"),
            L.Conv2D(3, 3, padding="same", activation="sigmoid")), (64, 32, 32, 3), "same"
    if name == "alexnet":
        return sequential(
            Input((64, 64, 3)), L.Conv2D(32, 5, strides=2, activation="relu"), L.MaxPooling2D(3, 2), L.Conv2D(64, 5, padding="same", activation="relu"),
            L.MaxPooling2D(3, 2), L.Conv2D(96, 3, padding="same", activation="relu"), L.Flatten(), L.Dropout(0.5), L.Dense(256, "relu"),
            L.Dense(10)), (32, 64, 64, 3), "classes"
    if name == "separable":
        x = i = Input((32, 32, 3))
        x = L.Conv2D(32, 3, padding="same")(x)
        for filters in (64, 128):
            x = blocks(x, L.SeparableConv2D(filters, 3, padding="same", activation="relu"), L.LayerNormalization(), L.AveragePooling2D(2))
        return Model(i, blocks(x, L.Flatten(), L.Dense(10))), (32, 32, 32, 3), "classes"
    if name == "squeeze":
        x = i = Input((16, 16, 32))
        for _ in range(3):
            y = blocks(x, L.Conv2D(32, 3, padding="same"), L.GroupNormalization(8), L.Activation("swish"))
            s = blocks(y, L.GlobalAveragePooling2D(), L.Dense(8, "relu"), L.Dense(32, "sigmoid"), L.Reshape((1, 1, 32)))
            x = L.Add()([x, L.Multiply()([y, s])])
        return Model(i, blocks(x, L.AveragePooling2D(2), L.Flatten(), L.Dense(10))), (64, 16, 16, 32), "classes"
    if name == "conv3d":
        return sequential(Input((16, 16, 16, 1)), L.Conv3D(16, 3, activation="relu"), L.MaxPooling3D(2), L.Conv3D(32, 3, activation="relu"),
                          L.Flatten(), L.Dense(64, "relu"), L.Dense(10)), (32, 16, 16, 16, 1), "classes"
    if name == "convlstm":
        return sequential(Input((8, 16, 16, 1)), L.ConvLSTM2D(16, 3, padding="same"), L.GlobalAveragePooling2D(), L.Dense(10)), (16, 8, 16, 16, 1), "classes"
    if name == "temporal":
        x = i = Input((128, 16))
        for dilation in (1, 2, 4, 8):
            conv = lambda: L.Conv1D(64, 3, padding="causal", dilation_rate=dilation, activation="relu")
            y = blocks(x, conv(), L.SpatialDropout1D(0.1), conv())
            x = L.Add()([y, L.Conv1D(64, 1)(x) if dilation == 1 else x])
        return Model(i, blocks(x, L.GlobalAveragePooling1D(), L.Dense(10))), (32, 128, 16), "classes"
    if name == "text conv":
        return sequential(Input((200,), dtype="int32"), L.Embedding(5000, 64), L.Conv1D(128, 5, activation="relu"), L.MaxPooling1D(2),
                          L.Conv1D(128, 5, activation="relu"), L.GlobalMaxPooling1D(), L.Dense(64, "relu"), L.Dense(10)), (32, 200), "words"
    if name == "bag of words":
        return sequential(Input((64,), dtype="int32"), L.Embedding(20000, 128), L.GlobalAveragePooling1D(), L.Dense(64, "relu"), L.Dense(10)), (128, 64), "words"
    if name == "gru":
        return sequential(Input((100,), dtype="int32"), L.Embedding(5000, 64), L.GRU(64, return_sequences=True), L.GRU(64), L.Dense(10)), (32, 100), "words"
    if name == "gru wide":
        return sequential(Input((60, 32)), L.GRU(256), L.Dense(10)), (32, 60, 32), "classes"
    if name == "lstm":
        return sequential(Input((50, 16)), L.LSTM(128), L.Dense(10)), (64, 50, 16), "classes"
    if name == "lstm small":
        return sequential(Input((100, 8)), L.LSTM(32, return_sequences=True), L.TimeDistributed(L.Dense(10))), (8, 100, 8), "steps"
    if name == "encoder":
        x = i = Input((64, 128))
        for _ in range(2):
            x = L.LayerNormalization()(L.Add()([x, L.MultiHeadAttention(4, 32, dropout=0.1)(x, x)]))
            y = blocks(x, L.Dense(512, "gelu"), L.Dense(128), L.Dropout(0.1))
            x = L.LayerNormalization()(L.Add()([x, y]))
        return Model(i, blocks(x, L.GlobalAveragePooling1D(), L.Dense(10))), (32, 64, 128), "classes"
    if name == "table":
        return sequential(Input((20,)), L.Dense(64, "relu"), L.Dense(64, "relu"), L.Dense(10)), (32, 20), "classes"
    if name == "table batchnorm":
        stack = repeated(3, lambda: L.Dense(256, use_bias=False), L.BatchNormalization, L.ReLU, lambda: L.Dropout(0.2))
        return sequential(Input((128,)), *stack, L.Dense(10)), (128, 128), "classes"
    if name == "wide":
        return sequential(Input((512,)), *repeated(3, lambda: L.Dense(1024, "gelu")), L.Dense(10)), (128, 512), "classes"
    if name == "large batch":
        return sequential(Input((64,)), *repeated(3, lambda: L.Dense(256, "relu")), L.Dense(10)), (2048, 64), "classes"
    if name == "vision transformer":
        i = Input((32, 32, 3))
        x = blocks(i, L.Conv2D(128, 4, strides=4), L.Reshape((64, 128)))
        for _ in range(3):
            y = L.LayerNormalization()(x)
            x = L.Add()([x, L.MultiHeadAttention(4, 32, dropout=0.1)(y, y)])
            x = L.Add()([x, blocks(x, L.LayerNormalization(), L.Dense(256, "gelu"), L.Dropout(0.1), L.Dense(128))])
        return Model(i, blocks(x, L.LayerNormalization(), L.GlobalAveragePooling1D(), L.Dense(10))), (32, 32, 32, 3), "classes"
    if name == "mixer":
        i = Input((32, 32, 3))
        x = blocks(i, L.Conv2D(128, 4, strides=4), L.Reshape((64, 128)))
        for _ in range(3):
            x = L.Add()([x, blocks(x, L.LayerNormalization(), L.Permute((2, 1)), L.Dense(64, "gelu"), L.Dense(64), L.Permute((2, 1)))])
            x = L.Add()([x, blocks(x, L.LayerNormalization(), L.Dense(256, "gelu"), L.Dense(128))])
        return Model(i, blocks(x, L.GlobalAveragePooling1D(), L.Dense(10))), (64, 32, 32, 3), "classes"
    if name == "convnext":
        i = Input((32, 32, 3))
        x = L.Conv2D(64, 2, strides=2)(i)
        for _ in range(3):
            x = L.Add()([x, blocks(x, L.DepthwiseConv2D(7, padding="same"), L.LayerNormalization(), L.Dense(256, "gelu"), L.Dense(64))])
        return Model(i, blocks(x, L.GlobalAveragePooling2D(), L.Dense(10))), (32, 32, 32, 3), "classes"
    if name == "squeeze and excite":
        i = Input((32, 32, 3))
        x = L.Conv2D(32, 3, padding="same", use_bias=False)(i)
        for filters, stride in ((32, 1), (64, 2), (128, 2)):
            y = blocks(x, L.Conv2D(filters, 3, strides=stride, padding="same", use_bias=False), L.BatchNormalization(), L.ReLU(),
                       L.Conv2D(filters, 3, padding="same", use_bias=False), L.BatchNormalization())
            gate = blocks(y, L.GlobalAveragePooling2D(), L.Dense(filters // 8, "relu"), L.Dense(filters, "sigmoid"), L.Reshape((1, 1, filters)))
            x = x if stride == 1 else L.Conv2D(filters, 1, strides=stride)(x)
            x = L.ReLU()(L.Add()([x, L.Multiply()([y, gate])]))
        return Model(i, blocks(x, L.GlobalAveragePooling2D(), L.Dense(10))), (64, 32, 32, 3), "classes"
    if name == "bottlenecks":
        i = Input((64, 64, 3))
        x = blocks(i, L.Conv2D(64, 7, strides=2, padding="same"), L.BatchNormalization(), L.ReLU(), L.MaxPooling2D(3, 2, "same"))
        for filters, stride, widens in ((64, 1, True), (64, 1, False), (128, 2, True), (128, 1, False)):
            y = blocks(x, L.Conv2D(filters, 1, strides=stride), L.BatchNormalization(), L.ReLU(), L.Conv2D(filters, 3, padding="same"),
                       L.BatchNormalization(), L.ReLU(), L.Conv2D(4 * filters, 1), L.BatchNormalization())
            shortcut = blocks(x, L.Conv2D(4 * filters, 1, strides=stride), L.BatchNormalization()) if widens else x
            x = L.ReLU()(L.Add()([shortcut, y]))
        return Model(i, blocks(x, L.GlobalAveragePooling2D(), L.Dense(10))), (32, 64, 64, 3), "classes"
    if name == "discriminator":
        stack = []
        for filters in (64, 128):
            stack += [L.Conv2D(filters, 5, strides=2, padding="same"), L.LeakyReLU(0.2), L.Dropout(0.3)]
        return sequential(Input((28, 28, 1)), *stack, L.Flatten(), L.Dense(10)), (64, 28, 28, 1), "classes"
    if name == "augmented":
        return sequential(
            Input((32, 32, 3)), L.RandomFlip("horizontal"), L.RandomTranslation(0.1, 0.1),
            L.Conv2D(32, 3, activation="relu"), L.MaxPooling2D(), L.Conv2D(64, 3, activation="relu"), L.MaxPooling2D(),
            L.Flatten(), L.Dense(64, "relu"), L.Dense(10)), (64, 32, 32, 3), "classes"
    if name == "dilated":
        i = Input((200, 16))
        x = L.Conv1D(64, 1)(i)
        for rate in (1, 2, 4, 8):
            x = L.Add()([x, blocks(x, L.Conv1D(64, 3, padding="causal", dilation_rate=rate, activation="relu"), L.SpatialDropout1D(0.1),
                                   L.Conv1D(64, 3, padding="causal", dilation_rate=rate, activation="relu"))])
        return Model(i, blocks(x, L.GlobalMaxPooling1D(), L.Dense(10))), (32, 200, 16), "classes"
    if name == "bidirectional":
        return sequential(
            Input((100,), dtype="int32"), L.Embedding(5000, 64, mask_zero=True), L.Bidirectional(L.GRU(64, return_sequences=True)),
            L.Bidirectional(L.GRU(32)), L.Dense(10)), (32, 100), "words"
    if name == "translation":
        return sequential(
            Input((40,), dtype="int32"), L.Embedding(5000, 128), L.LSTM(128), L.RepeatVector(20), L.LSTM(128, return_sequences=True),
            L.Dense(10)), (64, 40), "words to steps"
    if name == "deep and narrow":
        return sequential(Input((32,)), *repeated(20, lambda: L.Dense(32, "swish")), L.Dense(10)), (32, 32), "classes"
    if name == "tanh":
        return sequential(Input((16,)), *repeated(5, lambda: L.Dense(128, "tanh")), L.Dense(10)), (256, 16), "classes"
    if name == "normalized":
        return sequential(
            Input((256,)), *repeated(4, lambda: L.Dense(256), L.LayerNormalization, lambda: L.Activation("gelu"), lambda: L.Dropout(0.2)),
            L.Dense(10)), (128, 256), "classes"
    if name == "dense autoencoder":
        return sequential(
            Input((784,)), L.Dense(256, "relu"), L.Dense(32, "relu"), L.Dense(256, "relu"), L.Dense(784, "sigmoid")), (128, 784), "same"
    raise SystemExit(f"unknown model {name!r}; known: {', '.join(NAMES)}")


NAMES = ["vgg", "mobilenet", "unet", "autoencoder", "alexnet", "separable", "squeeze", "conv3d", "convlstm", "temporal", "text conv",
         "bag of words", "gru", "gru wide", "lstm", "lstm small", "encoder", "table", "table batchnorm", "wide", "large batch",
         "vision transformer", "mixer", "convnext", "squeeze and excite", "bottlenecks", "discriminator", "augmented", "dilated",
         "bidirectional", "translation", "deep and narrow", "tanh", "normalized", "dense autoencoder"]
# Models that torch_models.py has too.
NATIVE = set(NAMES[:NAMES.index("vision transformer")]) - {"convlstm", "lstm small"}
QUICK = {"table", "table batchnorm", "lstm small", "bag of words", "deep and narrow", "tanh", "normalized"}


def make(name, folder):
    import keras
    import numpy as np
    model, shape, kind = build(name)
    rng = np.random.default_rng(0)
    rows = shape[0] * (200 if name in QUICK else 30)
    x = rng.random((rows, *shape[1:]), dtype=np.float32)
    if kind.startswith("words"):
        x = rng.integers(0, 5000, x.shape).astype("int32")
    labels = {"steps": (rows, shape[1]), "words to steps": (rows, 20)}
    y = x if kind == "same" else rng.integers(0, 10, labels.get(kind, rows)).astype("int32")
    compile_for(model, kind)
    model.save(os.path.join(folder, "model.keras"))
    np.savez(os.path.join(folder, "data.npz"), x=x, y=y)
    with open(os.path.join(folder, "sizes.json"), "w", encoding="utf-8") as file:
        json.dump(dict(batch=shape[0], steps=rows // shape[0], kind=kind), file)


def compile_for(model, kind):
    import keras
    loss = "mse" if kind == "same" else keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, steps_per_execution=10)


def train(folder, batch, steps, kind):
    """Runs in a process with the peer's backend."""
    import keras
    import numpy as np
    model = keras.saving.load_model(os.path.join(folder, "model.keras"))
    compile_for(model, kind)  # again, so that defaults which depend on the backend do not come from the file
    data = np.load(os.path.join(folder, "data.npz"))
    x, y = data["x"], data["y"]
    seconds = []
    for _ in range(4):
        start = time.perf_counter()
        model.fit(x, y, batch_size=batch, verbose=0)
        seconds.append(time.perf_counter() - start)
    print(json.dumps(dict(ms=1e3 * min(seconds[1:]) / steps)))


def last_json(command, wrapper, **environment):
    done = subprocess.run(wrapper + command, capture_output=True, text=True, timeout=300, check=False, env={**os.environ, **environment})
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise SystemExit(f"failed: {' '.join(command)}\n{done.stderr[-600:]}")
    return json.loads(lines[-1])


def measure(name, options):
    python = {peer: os.path.join(options.venvs, venv, "bin/python") for peer, venv in PEERS.items()}
    python = {peer: path for peer, path in python.items() if os.path.exists(path)}
    wrapper = shlex.split(options.wrapper)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([next(iter(python.values())), __file__, options.antler, "--make", folder, name], check=True, capture_output=True)
        with open(os.path.join(folder, "sizes.json"), encoding="utf-8") as file:
            sizes = json.load(file)
        batch, steps = str(sizes["batch"]), str(sizes["steps"])
        ours = [options.antler, "bench", os.path.join(folder, "model.keras"), os.path.join(folder, "data.npz"), "--batch-size", batch, "--steps", steps, "--json"]
        runs = [1e3 / last_json(ours, wrapper)["steps_per_second"] for _ in range(3)]
        row = [min(runs)]
        for peer, path in python.items():
            if peer == "torch":
                native = os.path.join(os.path.dirname(__file__), "torch_models.py")
                row.append(last_json([path, native, name], wrapper)["ms"] if name in NATIVE else float("inf"))
                continue
            row.append(last_json([path, __file__, options.antler, "--train", folder, batch, steps, sizes["kind"]], wrapper, KERAS_BACKEND=peer)["ms"])
        print(f"| {name} | {row[0]:.3g} | " + " | ".join(f"{ms:.3g}" if ms < float("inf") else "-" for ms in row[1:]) + f" | {min(row[1:]) / row[0]:.2f} |", flush=True)


def main():
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("antler", help="path of the antler program")
    parser.add_argument("models", nargs="*", help=f"default: all of {', '.join(NAMES)}")
    parser.add_argument("--venvs", default="", help="folder of the peers' virtual environments")
    parser.add_argument("--wrapper", default="", help="command to run each measurement under")
    parser.add_argument("--make", metavar="FOLDER", help=argparse.SUPPRESS)
    parser.add_argument("--train", metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_intermixed_args()
    if options.make:
        return make(options.models[0], options.make)
    if options.train:
        return train(options.train, int(options.models[0]), int(options.models[1]), options.models[2])
    print(f"| model | Antler, ms per step | {' | '.join('PyTorch' if p == 'torch' else 'Keras on ' + p for p in PEERS)} | ratio to the best |")
    print("|---|---|" + "---|" * len(PEERS) + "---|")
    for name in options.models or NAMES:
        measure(name, options)


if __name__ == "__main__":
    sys.exit(main())
