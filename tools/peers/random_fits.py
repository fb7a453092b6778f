#!/usr/bin/env python3
"""Writes random cases of kind `fit`, computed by real Keras (3.x), for antler_conformance.

    KERAS_BACKEND=torch|tensorflow|jax random_fits.py FOLDER [COUNT [FIRST_SEED]]
    antler_conformance FOLDER

The cases combine features that other tests check separately: masks, reduced precision, gradient accumulation, moving averages of
weights, several steps per execution with a short last one, several fits of one model, callbacks that change weights or the learning
rate.
"""
import json
import os
import pathlib
import random
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy as np
from keras import layers as L

EVENTS = ["train_begin", "train_end", "epoch_begin", "epoch_end", "train_batch_begin", "train_batch_end", "test_begin", "test_end",
          "test_batch_begin", "test_batch_end"]


def plain(logs):
    return {k: float(v) for k, v in (logs or {}).items()}


class Recorder(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.events = []


def recording(name):
    def indexed(self, index, logs=None):
        self.events.append([name, index, sorted(logs or {}), plain(logs)])

    def whole(self, logs=None):
        indexed(self, None, logs)

    return indexed if "epoch" in name or "batch" in name else whole


for event in EVENTS:
    setattr(Recorder, "on_" + event, recording("on_" + event))


def dense_model(r):
    x = keras.Input((4,))
    y = L.Dense(6, activation=r.choice(["tanh", "gelu"]))(x)
    if r.random() < 0.4:
        y = L.BatchNormalization(momentum=0.8)(y)
    return keras.Model(x, L.Dense(1, dtype="float32")(y)), "regression"


def token_model(r):
    x = keras.Input((6,), dtype="int32")
    y = L.Embedding(9, 5, mask_zero=True)(x)
    kind = r.choice(["lstm", "gru", "pool", "attention", "bidirectional"])
    if kind == "lstm":
        y = L.LSTM(4)(y)
    elif kind == "gru":
        y = L.GRU(4, reset_after=r.random() < 0.5)(y)
    elif kind == "bidirectional":
        y = L.Bidirectional(L.LSTM(3))(y)
    elif kind == "attention":
        y = L.GlobalAveragePooling1D()(L.MultiHeadAttention(2, 3)(y, y))
    else:
        y = L.GlobalAveragePooling1D()(y)
    return keras.Model(x, L.Dense(3, activation="softmax", dtype="float32")(y)), "classes"


def sequence_model(r):
    x = keras.Input((6, 3))
    y = L.Masking()(x)
    y = r.choice([L.SimpleRNN, L.LSTM, L.GRU])(4, return_sequences=True)(y)
    return keras.Model(x, L.TimeDistributed(L.Dense(1, dtype="float32"))(y)), "sequence"


def make_data(model_kind, rows, g):
    if model_kind == "regression":
        x = g.standard_normal((rows, 4)).astype("float32")
        return x, np.sin(x.sum(1, keepdims=True)).astype("float32")
    if model_kind == "classes":
        x = g.integers(1, 9, (rows, 6)).astype("int32")
        for row, length in enumerate(g.integers(2, 7, rows)):
            x[row, length:] = 0
        return x, (x[:, :1] % 3).astype("int32")
    x = g.standard_normal((rows, 6, 3)).astype("float32")
    for row, length in enumerate(g.integers(2, 7, rows)):
        x[row, length:] = 0
    return x, x.sum(2, keepdims=True).astype("float32")


def make_optimizer(r, policy):
    ema = r.random() < 0.6
    options = {"use_ema": ema}
    if ema:
        options |= {"ema_momentum": r.choice([0.5, 0.9]), "ema_overwrite_frequency": r.choice([None, None, 2, 3])}
    if r.random() < 0.6:
        options["gradient_accumulation_steps"] = r.choice([2, 3])
    if r.random() < 0.3:
        options[r.choice(["clipnorm", "global_clipnorm", "clipvalue"])] = 0.5
    if r.random() < 0.3:
        options["weight_decay"] = 0.01
    cls, rate = r.choice([(keras.optimizers.SGD, 0.1), (keras.optimizers.Adam, 0.01), (keras.optimizers.AdamW, 0.01),
                          (keras.optimizers.RMSprop, 0.01)])
    if cls is keras.optimizers.AdamW:
        options.setdefault("weight_decay", 0.01)
    if cls is keras.optimizers.SGD and r.random() < 0.5:
        options["momentum"] = 0.9
    if r.random() < 0.2:
        rate = keras.optimizers.schedules.ExponentialDecay(rate, 4, 0.5, staircase=r.random() < 0.5)
    return cls(learning_rate=rate, **options), ema


def make_callbacks(r, ema, has_validation):
    found = []
    if ema and r.random() < 0.6:
        found.append(("SwapEMAWeights", {"swap_on_epoch": r.random() < 0.6}))
    if r.random() < 0.25:
        found.append(("EarlyStopping", {"monitor": "val_loss" if has_validation else "loss", "patience": 0, "restore_best_weights": True}))
    return found


def run(case_seed, folder):
    r = random.Random(case_seed)
    g = np.random.default_rng(case_seed)
    keras.utils.set_random_seed(case_seed)
    keras.backend.clear_session()
    policy = r.choice(["float32", "float32", "float32", "mixed_float16", "mixed_bfloat16"])
    keras.config.set_dtype_policy(policy)
    model, kind = r.choice([dense_model, token_model, sequence_model])(r)
    folder.mkdir(parents=True, exist_ok=True)
    keras.config.set_dtype_policy("float32")
    model.save(folder / "model.keras")
    model = keras.models.load_model(folder / "model.keras", compile=False)
    keras.config.set_dtype_policy(policy)
    optimizer, ema = make_optimizer(r, policy)
    rows, batch = r.choice([13, 16, 18, 21]), r.choice([3, 4, 5])
    x, y = make_data(kind, rows, g)
    vx, vy = make_data(kind, 7, g)
    arrays = {"x": x, "y": y, "vx": vx, "vy": vy}
    loss = "sparse_categorical_crossentropy" if kind == "classes" else r.choice(["mse", "mae"])
    compile_args = {"optimizer": optimizer, "loss": loss, "steps_per_execution": r.choice([1, 2, 3, 4])}
    if keras.backend.backend() == "torch":  # which does not support more
        compile_args["steps_per_execution"] = 1
    metric = "accuracy" if kind == "classes" else "mae"
    weighted = r.random() < 0.4
    if r.random() < 0.7:
        compile_args["weighted_metrics" if weighted else "metrics"] = [metric]
    if weighted:
        arrays["sw"] = g.uniform(0, 2, (rows, 6) if kind == "sequence" else (rows,)).astype("float32")
    model.compile(**compile_args)
    written = dict(compile_args, optimizer=keras.saving.serialize_keras_object(optimizer))
    steps, expected = [{"op": "compile", "args": written}], [{}]
    start = 0
    for _ in range(r.choice([1, 2, 2])):
        has_validation = r.random() < 0.5
        args = {"shuffle": False, "batch_size": batch, "epochs": start + r.choice([1, 2, 3])}
        if r.random() < 0.3 and start > 0:
            args["initial_epoch"] = start
        elif start:
            args["epochs"] -= start
        real = dict(args, x=x, y=y, sample_weight=arrays.get("sw"), validation_data=(vx, vy) if has_validation else None)
        args |= {"x": "@x", "y": "@y"}
        if weighted:
            args["sample_weight"] = "@sw"
        if has_validation:
            args["validation_data"] = ["@vx", "@vy"]
        callbacks = make_callbacks(r, ema, has_validation)
        recorder = Recorder()
        objects = [getattr(keras.callbacks, name)(**config) for name, config in callbacks]
        history = model.fit(**real, verbose=0, callbacks=[*objects, recorder])
        steps.append({"op": "fit", "args": args, "callbacks": [{"class_name": n, "config": c} for n, c in callbacks]})
        expected.append({"history": {k: [float(v) for v in h] for k, h in history.history.items()}, "epoch": history.epoch,
                         "stop_training": bool(model.stop_training), "events": recorder.events})
        start = args["epochs"]
        if r.random() < 0.5:
            result = model.evaluate(vx, vy, batch_size=batch, verbose=0, return_dict=True)
            steps.append({"op": "evaluate", "args": {"x": "@vx", "y": "@vy", "batch_size": batch}})
            expected.append({"result_dict": plain(result)})
        if r.random() < 0.3:
            result = model.train_on_batch(x[:batch], y[:batch], return_dict=True)
            arrays |= {"bx": x[:batch], "by": y[:batch]}
            steps.append({"op": "train_on_batch", "args": {"x": "@bx", "y": "@by"}})
            expected.append({"result_dict": plain(result)})
    arrays[f"s{len(steps)}_predict0"] = np.asarray(model.predict(vx, verbose=0))
    steps.append({"op": "predict", "args": {"x": "@vx"}})
    expected.append({"structure": "array"})
    for name, value in arrays.items():
        assert np.isfinite(value).all(), name
    tolerance = {"float32": [1e-3, 2e-5], "mixed_float16": [2e-2, 4e-3], "mixed_bfloat16": [8e-2, 3e-2]}[policy]
    weights = [keras.ops.convert_to_numpy(w) for w in model.weights]
    np.savez(folder / "final_weights.npz", **{f"w{j}": w for j, w in enumerate(weights)})
    np.savez(folder / "data.npz", **arrays)
    options = {k: v for k, v in optimizer.get_config().items()
               if k in ("use_ema", "ema_overwrite_frequency", "gradient_accumulation_steps", "clipnorm", "weight_decay") and v}
    title = f"{policy} {kind} {optimizer.name} {options} spe {compile_args['steps_per_execution']} rows {rows} batch {batch}"
    case = {"id": f"random/{case_seed}", "kind": "fit", "title": title, "model": "model.keras", "steps": steps,
            "expected": {"steps": expected, "weight_paths": [w.path for w in model.weights],
                         "optimizer_iterations": int(keras.ops.convert_to_numpy(optimizer.iterations))},
            "expected_arrays": [f"s{len(steps) - 1}_predict0"], "tolerance": {"rtol": tolerance[0], "atol": tolerance[1]},
            "generated_with": keras.backend.backend()}
    (folder / "case.json").write_text(json.dumps(case))
    return title


def main():
    root = pathlib.Path(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    for seed in range(first, first + count):
        try:
            print(seed, run(seed, root / f"{seed:04d}"), flush=True)
        except Exception as error:  # Keras does not support this combination
            (root / f"{seed:04d}" / "case.json").unlink(missing_ok=True)
            print(seed, "skipped:", type(error).__name__, str(error).splitlines()[0][:200], flush=True)


if __name__ == "__main__":
    main()
