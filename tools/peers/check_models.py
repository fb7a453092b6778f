#!/usr/bin/env python3
"""Exchanges models with all kinds of layers between Keras and Antler, and continues training on both sides.

usage: KERAS_BACKEND=tensorflow|jax|torch check_models.py path/to/antler [MODEL ...]

Keras first trains each model for an epoch, so that its optimizer has state:
  Antler's file      `antler convert` reads Keras's .keras; Keras reads the .keras, .weights.h5 and .h5 that it writes:
                     equal predictions, and equal results of another epoch
  Keras's file       `antler predict` reads Keras's file: equal predictions
  training           `antler fit` on Keras's file without shuffling: history, weights and optimizer state equal those of
                     Keras's fit; Keras reads the result
The models of `antler new` are checked in the same way.
"""
import contextlib
import json
import os
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
import keras
import numpy as np
from keras import layers as L
from keras import ops, optimizers

PREDICTION = 2e-5
TRAINING = 1e-4
ROWS, BATCH = 32, 8


def sequential(shape, *layers, dtype=None):
    return keras.Sequential([keras.Input(shape, dtype=dtype), *layers])


def compiled(model, optimizer="adam", loss="mse", metrics=None, **more):
    # Compiling with XLA would take most of the time.
    model.compile(optimizer=optimizer, loss=loss, metrics=metrics, jit_compile=False, **more)
    return model


def transformer():
    x = keras.Input((6, 8))
    y = L.LayerNormalization()(L.Add()([L.MultiHeadAttention(2, 4)(x, x), x]))
    y = L.LayerNormalization()(y + L.Dense(8)(L.Dense(12, "gelu")(y)))
    return compiled(keras.Model(x, L.Dense(2)(L.GlobalAveragePooling1D()(y))), "adamw")


def attentions():
    query, value = keras.Input((4, 6), name="query"), keras.Input((5, 6), name="value")
    y = L.Concatenate()([L.Attention(use_scale=True)([query, value]), L.AdditiveAttention()([query, value])])
    return compiled(keras.Model([query, value], L.Dense(2)(L.Flatten()(y))))


def grouped_attention():
    x = keras.Input((6, 8))
    y = L.GroupQueryAttention(head_dim=4, num_query_heads=4, num_key_value_heads=2)(x, x)
    return compiled(keras.Model(x, L.Dense(1)(L.GlobalMaxPooling1D()(y))), optimizers.Adam(amsgrad=True))


def siamese():
    a, b = keras.Input((5,), name="a"), keras.Input((5,), name="b")
    tower = keras.Sequential([L.Dense(6, "relu"), L.Dense(4)], name="tower")
    shared = L.Dense(3, "tanh", name="shared")
    y = L.Concatenate()([tower(a), tower(b), shared(a), shared(b)])
    return compiled(keras.Model([a, b], L.Dense(1, "sigmoid")(y)), "rmsprop", "binary_crossentropy", ["accuracy"])


def nested():
    def inner(name):
        x = keras.Input((4,))
        return keras.Model(x, L.Add()([L.Dense(4, "relu")(x), x]), name=name)
    block = keras.Sequential([L.Dense(4), L.BatchNormalization(), inner("inside")], name="block")
    twice = inner("twice")
    x = keras.Input((4,))
    return compiled(keras.Model(x, L.Dense(2)(twice(block(twice(x))))), optimizers.SGD(0.05, momentum=0.9))


def two_ends():
    left, right = keras.Input((4,), name="left"), keras.Input((3,), name="right")
    a, b = L.Dense(5, "relu")(left), L.Dense(5, "tanh")(right)
    outputs = [L.Dense(2, name="one")(L.Multiply()([a, b])), L.Dense(3, "softmax", name="two")(L.Average()([a, b]))]
    return compiled(keras.Model([left, right], outputs), "nadam", {"one": "mae", "two": "sparse_categorical_crossentropy"},
                    {"one": ["mse"], "two": ["accuracy"]}, loss_weights={"one": 0.5, "two": 2.0})


def table():
    x = keras.Input((3,))
    normal = L.Normalization()
    normal.adapt(np.random.default_rng(1).standard_normal((50, 3)) * 4 + 2)
    bins = L.Discretization(bin_boundaries=[-1.0, 0.0, 1.0], output_mode="one_hot")(x[:, :1])
    y = L.Concatenate()([normal(x), bins])
    return compiled(keras.Model(x, L.Dense(1)(L.Dense(8, "relu")(y))), "adagrad", "huber")


def lookup():
    x = keras.Input((5,), dtype="int32")
    y = L.Embedding(9, 4)(L.IntegerLookup(vocabulary=[1, 2, 4, 6, 7, 9], num_oov_indices=2)(x))
    y = L.Concatenate()([L.Flatten()(y), L.CategoryEncoding(11, output_mode="multi_hot")(x)])
    # Not Adam: on TensorFlow, Keras squares the gradients of repeated indices before it sums them.
    return compiled(keras.Model(x, L.Dense(3)(y)), "sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))


def operations():
    x = keras.Input((6, 4))
    y = ops.relu(L.Dense(4)(x) * 2.0 - 0.5) + x[:, ::-1]
    z = ops.concatenate([ops.mean(y, axis=1), ops.max(y, axis=1), ops.sum(ops.square(x), axis=[1, 2], keepdims=False)[:, None]], axis=-1)
    z = ops.where(z > 0, z, ops.exp(-ops.abs(z))) / (1.0 + ops.sqrt(ops.abs(z)))
    w = ops.matmul(ops.transpose(y, (0, 2, 1)), x) ** 2
    return compiled(keras.Model(x, L.Dense(2)(ops.concatenate([z, ops.reshape(w, (-1, 16))], axis=1))))


def merges():
    x = keras.Input((4, 5))
    a, b = L.Dense(5, "tanh")(x), L.Dense(5, "softsign")(x)
    y = L.Concatenate()([L.Subtract()([a, b]), L.Maximum()([a, b]), L.Minimum()([a, b]), L.Dot(axes=2)([a, b])])
    return compiled(keras.Model(x, L.Dense(2)(L.Flatten()(y))), "adadelta")


def classifier():
    model = sequential((6,), L.Dense(8, "relu"), L.Dense(1, "sigmoid"))
    return compiled(model, "adam", keras.losses.BinaryFocalCrossentropy(gamma=1.5),
                    [keras.metrics.AUC(), keras.metrics.Precision(thresholds=0.4), keras.metrics.Recall(), "binary_accuracy"])


def frozen():
    base = keras.Sequential([keras.Input((5,)), L.Dense(6, "relu"), L.BatchNormalization()], name="base")
    base.trainable = False
    x = keras.Input((5,))
    return compiled(keras.Model(x, L.Dense(2)(base(x))), "adam")


def ema():
    schedule = optimizers.schedules.ExponentialDecay(0.02, 3, 0.8, staircase=True)
    optimizer = optimizers.SGD(schedule, momentum=0.8, nesterov=True, clipnorm=0.5, weight_decay=0.01, use_ema=True, ema_momentum=0.9)
    return compiled(sequential((4,), L.Dense(6, "elu"), L.Dense(2)), optimizer, "log_cosh")


def regularized():
    model = sequential(
        (6,), L.Dense(8, "relu", kernel_regularizer=keras.regularizers.L1L2(1e-3, 1e-2), bias_constraint="non_neg",
                      kernel_initializer=keras.initializers.Orthogonal(seed=1)),
        L.ActivityRegularization(l2=0.01), L.Dense(4, activity_regularizer="l1", kernel_constraint=keras.constraints.MaxNorm(0.8)),
        L.Dense(3, "softmax", use_bias=False))
    return compiled(model, "adamax", "kl_divergence", ["categorical_accuracy"])


def recurrent_cells():
    x = keras.Input((5, 3))
    cells = L.RNN([L.LSTMCell(4), L.GRUCell(3, reset_after=False), L.SimpleRNNCell(3)], return_sequences=True)(x)
    lstm, h, c = L.LSTM(3, return_state=True)(cells)
    y = L.GRU(3)(cells, initial_state=h)
    return compiled(keras.Model(x, L.Dense(1)(L.Concatenate()([lstm, c, y]))), optimizers.RMSprop(0.01, momentum=0.5, centered=True))


MODELS = {
    "mlp": lambda: compiled(sequential((6,), L.Dense(8, "gelu"), L.BatchNormalization(), L.Dense(4, "selu"), L.Dense(3, "softmax")),
                            "adam", "categorical_crossentropy", ["accuracy", keras.metrics.TopKCategoricalAccuracy(2)]),
    "cnn": lambda: compiled(sequential(
        (9, 9, 2), L.Conv2D(4, 3, padding="same", strides=2, activation="relu"), L.BatchNormalization(), L.MaxPooling2D(2),
        L.Flatten(), L.Dense(3)), optimizers.SGD(0.05, momentum=0.9, nesterov=True),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True), ["sparse_categorical_accuracy"]),
    "separable": lambda: compiled(sequential(
        (8, 8, 4), L.SeparableConv2D(6, 3, padding="same"), L.DepthwiseConv2D(3, depth_multiplier=2), L.Conv2D(4, 3, groups=2),
        L.AveragePooling2D(2, padding="same"), L.GlobalAveragePooling2D(), L.Dense(2, "tanh")), "rmsprop"),
    "decoder": lambda: compiled(sequential(
        (4, 4, 2), L.Conv2DTranspose(3, 3, strides=2, padding="same"), L.UpSampling2D(2, interpolation="bilinear"), L.ZeroPadding2D(1),
        L.Conv2D(2, 3, dilation_rate=2), L.Cropping2D(1)), "adamw", "mean_absolute_error"),
    "line": lambda: compiled(sequential(
        (10, 3), L.Conv1D(4, 3, padding="causal", activation="swish"), L.MaxPooling1D(2), L.SeparableConv1D(4, 2), L.Conv1DTranspose(3, 2, strides=2),
        L.GlobalMaxPooling1D(), L.Dense(2, "softplus")), "nadam", "mean_squared_logarithmic_error"),
    "volume": lambda: compiled(sequential((4, 5, 6, 2), L.Conv3D(3, 2, padding="same", activation="elu"), L.AveragePooling3D(2),
                                          L.Conv3DTranspose(2, 2), L.GlobalMaxPooling3D(), L.Dense(2)), "adagrad"),
    "lstm": lambda: compiled(sequential((5, 3), L.LSTM(4, return_sequences=True), L.LSTM(3), L.Dense(2, "sigmoid")),
                             optimizers.Adam(amsgrad=True), "binary_crossentropy"),
    "gru": lambda: compiled(sequential((5, 3), L.GRU(4, return_sequences=True, go_backwards=True), L.GRU(3, reset_after=False), L.Dense(2)), "adadelta"),
    "bidirectional": lambda: compiled(sequential((5, 3), L.Bidirectional(L.LSTM(3, return_sequences=True), merge_mode="sum"),
                                                 L.Bidirectional(L.SimpleRNN(3)), L.Dense(2)), "adamax"),
    "text": lambda: compiled(sequential((7,), L.Embedding(11, 4, mask_zero=True), L.LSTM(4), L.Dense(3, "log_softmax"), dtype="int32"), "ftrl"),
    "conv_lstm": lambda: compiled(sequential((3, 5, 5, 2), L.ConvLSTM2D(3, 2, padding="same"), L.Flatten(), L.Dense(2)), "lion"),
    "distributed": lambda: compiled(sequential((4, 6, 6, 1), L.TimeDistributed(L.Conv2D(2, 3, activation="relu")), L.TimeDistributed(L.Flatten()),
                                               L.Masking(0.0), L.GRU(3), L.Dense(1)), "adam"),
    "recurrent_cells": recurrent_cells,
    "transformer": transformer,
    "attentions": attentions,
    "grouped_attention": grouped_attention,
    "siamese": siamese,
    "nested": nested,
    "two_ends": two_ends,
    "table": table,
    "lookup": lookup,
    "images": lambda: compiled(sequential((10, 10, 3), L.Rescaling(0.5, -0.1), L.Resizing(8, 8), L.CenterCrop(6, 6), L.RandomFlip(seed=1),
                                          L.RandomContrast(0.2), L.Conv2D(2, 3), L.Flatten(), L.Dense(2))),
    "drops": lambda: compiled(sequential((6, 4), L.SpatialDropout1D(0.2), L.GaussianNoise(0.1), L.Dense(5, "relu"), L.GaussianDropout(0.2),
                                         L.AlphaDropout(0.1), L.Dropout(0.3, seed=3), L.Flatten(), L.Dense(2))),
    "operations": operations,
    "norms": lambda: compiled(sequential((6, 4), L.GroupNormalization(2), L.SpectralNormalization(L.Dense(6)), L.RMSNormalization(), L.UnitNormalization(),
                                         L.LayerNormalization(axis=[1, 2]), L.Flatten(), L.Dense(2)), "adam", "cosine_similarity"),
    "einsum": lambda: compiled(sequential((4, 6), L.EinsumDense("abc,cd->abd", (None, 5), bias_axes="d"), L.Permute((2, 1)), L.Reshape((10, 2)),
                                          L.Flatten(), L.RepeatVector(3), L.Cropping1D(1), L.ZeroPadding1D((0, 1)), L.UpSampling1D(2), L.Dense(2)),
                               "sgd"),
    "activations": lambda: compiled(sequential((5,), L.Dense(6), L.PReLU(), L.Dense(6), L.LeakyReLU(0.2), L.Dense(6), L.ELU(0.7), L.Dense(6, "mish"),
                                               L.Activation("hard_sigmoid"), L.ReLU(max_value=2.0, negative_slope=0.1), L.Dense(3), L.Softmax()),
                                    "adam", "categorical_focal_crossentropy"),
    "merges": merges,
    "classifier": classifier,
    "frozen": frozen,
    "ema": ema,
    "regularized": regularized,
    "adaptive": lambda: compiled(sequential((7, 9, 2), L.AdaptiveAveragePooling2D((3, 4)), L.Conv2D(3, 2), L.AdaptiveMaxPooling2D(2), L.Flatten(),
                                            L.Dense(2)), optimizers.Adam(3e-3, global_clipnorm=0.3)),
    "mixed": lambda: compiled(keras.Sequential([keras.Input((6,)), L.Dense(8, "relu", dtype="mixed_bfloat16"), L.Dense(4, dtype="float32")]), "adam"),
}
# Models that draw random numbers while training, which differ between libraries.
RANDOM = {"images", "drops", "new_convnet"}
# Models that compute in bfloat16.
COARSE = {"mixed": 5e-2}
# Kinds of `antler new`, with the shape of a sample.
NEW = {"new_mlp": ("mlp", (6,)), "new_convnet": ("convnet", (12, 12, 1)), "new_resnet": ("resnet", (16, 16, 3))}


def listed(value):
    return list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, (list, tuple)) else [value]


def samples(rng, shape, dtype):
    if "int" in str(dtype):
        return rng.integers(0, 9, (ROWS, *shape)).astype("int32")
    return rng.standard_normal((ROWS, *shape)).astype("float32")


def targets(rng, model, predictions):
    losses = listed(model.loss) if not isinstance(model.loss, dict) else [model.loss[n] for n in model.output_names]
    made = []
    for loss, prediction in zip(losses, predictions, strict=True):
        name = (loss if isinstance(loss, str) else type(loss).__name__).lower()
        classes = prediction.shape[-1]
        if "sparse" in name:
            made.append(rng.integers(0, classes, ROWS).astype("int32"))
        elif "categorical" in name or "kl_" in name:
            made.append(np.eye(classes, dtype="float32")[rng.integers(0, classes, ROWS)])
        elif "binary" in name:
            made.append(rng.integers(0, 2, prediction.shape).astype("float32"))
        else:
            made.append(rng.random(prediction.shape).astype("float32"))
    return made


class Check:
    def __init__(self, antler, name, folder):
        self.antler, self.name, self.folder, self.failures = antler, name, folder, []
        self.rng = np.random.default_rng(0)  # of its own, so that a failure comes again if the model is checked alone
        self.figures = {}

    def path(self, file):
        return f"{self.folder}/{self.name}_{file}"

    def run(self, *arguments):
        done = subprocess.run([self.antler, *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"antler {arguments[0]}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def equal(self, what, a, b, tolerance):
        if len(a) != len(b):
            self.failures.append(f"{what}: {len(a)} arrays against {len(b)}")
            return
        error = 0.0
        for x, y in zip(a, b):
            if np.shape(x) != np.shape(y):
                self.failures.append(f"{what}: shapes {np.shape(x)} and {np.shape(y)}")
                return
            x, y = np.asarray(x, "float64"), np.asarray(y, "float64")
            scale = max(1.0, float(np.max(np.abs(y), initial=0.0)))
            error = max(error, float(np.max(np.abs(x - y), initial=0.0)) / scale)
        self.figures[what] = error
        if not error <= tolerance:
            self.failures.append(f"{what}: differ by {error:.1e}")

    @contextlib.contextmanager
    def part(self, what):
        try:
            yield
        except Exception as error:
            self.failures.append(f"{what}: {type(error).__name__}: {str(error)[:600]}")

    def all(self):
        if self.name in NEW:
            kind, shape = NEW[self.name]
            y = self.rng.integers(0, 3, ROWS).astype("int64")
            np.savez(self.path("data.npz"), x=samples(self.rng, shape, "float32"), y=y)
            self.run("new", self.path("made.keras"), self.path("data.npz"), "--kind", kind)
            model = keras.models.load_model(self.path("made.keras"))
        else:
            model = MODELS[self.name]()
        self.model = model
        inputs = [samples(self.rng, t.shape[1:], t.dtype) for t in model.inputs]
        predict = lambda m: [np.asarray(ops.convert_to_numpy(ops.cast(p, "float32"))) for p in listed(m(inputs if len(inputs) > 1 else inputs[0], training=False))]
        y = [y] if self.name in NEW else targets(self.rng, model, predict(model))
        single = lambda v: v if len(v) > 1 else v[0]

        def fit(m):
            m.jit_compile = False
            return m.fit(single(inputs), single(y), batch_size=BATCH, epochs=1, shuffle=False, verbose=0).history

        input_names = [t.name for t in model.inputs]
        names = (input_names, list(model.output_names)) if len(inputs) + len(y) > 2 else (["x"], ["y"])
        data = dict(zip(names[0] + names[1], inputs + y, strict=True))
        np.savez(self.path("data.npz"), **data)
        fit(model)
        model.save(self.path("keras.keras"))
        expected, state = predict(model), self.state(model)
        tolerance = COARSE.get(self.name, PREDICTION)

        with self.part("keras file, predicted by antler"):
            got = self.predicted(self.path("keras.keras"), len(y))
            self.equal("keras file, predicted by antler", got, expected, tolerance)
        loaded = None
        with self.part("antler .keras"):
            self.run("convert", self.path("keras.keras"), self.path("antler.keras"))
            loaded = keras.models.load_model(self.path("antler.keras"))
            self.equal("antler .keras", predict(loaded), expected, tolerance)
            self.equal("its weights", [ops.convert_to_numpy(w) for w in loaded.get_weights()], [ops.convert_to_numpy(w) for w in model.get_weights()], 0)
            self.equal("its optimizer", self.state(loaded), state, 0)
        with self.part("antler .weights.h5"):
            self.run("convert", self.path("keras.keras"), self.path("antler.weights.h5"))
            clone = keras.models.load_model(self.path("keras.keras"))
            for w in clone.weights:
                if "seed_generator_state" not in w.path:
                    w.assign(ops.zeros(w.shape, w.dtype))
            clone.load_weights(self.path("antler.weights.h5"))
            self.equal("antler .weights.h5", predict(clone), expected, tolerance)
            self.equal("optimizer of antler .weights.h5", self.state(clone), state, 0)
        with self.part("antler .h5"):
            self.run("convert", self.path("keras.keras"), self.path("antler.h5"))
            if self.keras_reads_h5():
                old = keras.models.load_model(self.path("antler.h5"))
                self.equal("antler .h5", predict(old), expected, tolerance)
                # From .h5, Keras restores only the iterations and the learning rate.
                found = self.state(old)[:2]
                self.equal("optimizer of antler .h5", found, state[: len(found)], 0)
        history = fit(model)
        model.save(self.path("further.keras"))
        trained = TRAINING if self.name not in COARSE else COARSE[self.name]
        with self.part("keras goes on"):
            if loaded is not None and self.name not in RANDOM:
                fit(loaded)
                self.equal("keras continues with antler's file", loaded.get_weights(), model.get_weights(), trained)
            got = self.predicted(self.path("further.keras"), len(y))
            self.equal("further trained keras file, predicted by antler", got, predict(model), tolerance)
        with self.part("antler fit"):
            self.run("fit", self.path("keras.keras"), self.path("data.npz"), "--no-shuffle", "--batch-size", str(BATCH), "--epochs", "1",
                     "--out", self.path("fitted.keras"), "--history", self.path("history.json"), "--json")
            fitted = keras.models.load_model(self.path("fitted.keras"))
            if self.name not in RANDOM:
                own = json.load(open(self.path("history.json")))["history"]
                if set(own) != set(history):
                    self.failures.append(f"history: {sorted(own)} against {sorted(history)}")
                else:
                    self.equal("history", [own[k] for k in sorted(history)], [history[k] for k in sorted(history)], trained)
                self.equal("weights of antler fit", fitted.get_weights(), model.get_weights(), trained)
                self.equal("optimizer of antler fit", self.state(fitted), self.state(model), trained)
        return self

    def keras_reads_h5(self):
        """Whether Keras can read its own .h5 file of the model; it does not find the classes of some layers."""
        try:
            loss = self.model.loss
            self.model.loss = None
            self.model.save(self.path("own.h5"))
            keras.models.load_model(self.path("own.h5"), compile=False)
            return True
        except (TypeError, ValueError):
            return False
        finally:
            self.model.loss = loss

    @staticmethod
    def state(model):
        return [np.asarray(ops.convert_to_numpy(v)) for v in model.optimizer.variables]

    def predicted(self, path, outputs):
        self.run("predict", path, self.path("data.npz"), "--out", self.path("predictions.npz"))
        arrays = np.load(self.path("predictions.npz"))
        return [arrays[k] for k in arrays.files]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    failed = 0
    names = sys.argv[2:] or [*MODELS, *NEW]
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            keras.utils.set_random_seed(1)
            keras.backend.clear_session()
            check = Check(sys.argv[1], name, folder)
            with check.part("model"):
                check.all()
            failed += bool(check.failures)
            worst = max(check.figures.values(), default=float("nan"))
            print(f"{'FAIL' if check.failures else 'ok  '} {keras.backend.backend()} {name}: largest difference {worst:.1e}", flush=True)
            for failure in check.failures:
                print("       " + failure.replace("\n", "\n       "), flush=True)
    print(f"{len(names) - failed} of {len(names)} models")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
