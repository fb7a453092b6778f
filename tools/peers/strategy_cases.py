#!/usr/bin/env python3
"""Writes small cases of kind `distribute`, computed by tf_keras under tf.distribute.MirroredStrategy on virtual CPU devices, for
antler_conformance. Needs tensorflow and tf_keras.

    strategy_cases.py FOLDER
    antler_conformance FOLDER

A case is a fit under a strategy (`steps`, as in kind `fit`), a custom training loop (`loop`), or a table of single calls
(`table`, `rows`).
"""
import json
import os
import pathlib
import sys
import zipfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TF_USE_LEGACY_KERAS"] = "1"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
import numpy as np
import tensorflow as tf
import tf_keras as keras

L = keras.layers
DEVICES = ["CPU:0", "CPU:1", "CPU:2", "CPU:3"]
EVENTS = ["train_begin", "train_end", "epoch_begin", "epoch_end", "train_batch_begin", "train_batch_end", "test_begin", "test_end",
          "test_batch_begin", "test_batch_end"]


def plain(logs):
    return {k: float(v) for k, v in (logs or {}).items()}


class EpochRecorder(keras.callbacks.Callback):
    """Without hooks of batches, which parameter servers do not call."""

    def __init__(self):
        super().__init__()
        self.events = []


class Recorder(EpochRecorder):
    pass


def recording(name):
    def indexed(self, index, logs=None):
        self.events.append([name, index, sorted(logs or {}), plain(logs)])

    def whole(self, logs=None):
        indexed(self, None, logs)

    return indexed if "epoch" in name or "batch" in name else whole


for event in EVENTS:
    setattr(Recorder if "batch" in event else EpochRecorder, "on_" + event, recording("on_" + event))


def make_strategy(replicas):
    # The default on CPUs, collective ops, fails now and then if a step has several of them.
    return tf.distribute.MirroredStrategy(DEVICES[:replicas], cross_device_ops=tf.distribute.ReductionToOneDevice())


def dense():
    return keras.Sequential([keras.Input((3,)), L.Dense(5, activation="tanh"), L.Dense(1)])


def penalized():
    return keras.Sequential([keras.Input((3,)), L.Dense(5, activation="tanh", kernel_regularizer=keras.regularizers.L2(0.1)), L.Dense(1)])


def normalized(synchronized):
    return keras.Sequential([keras.Input((3,)), L.Dense(4), L.BatchNormalization(momentum=0.7, synchronized=synchronized), L.Dense(1)])


def plain_normalized():
    return normalized(False)


def synchronized_normalized():
    return normalized(True)


SGD = ("SGD", {"learning_rate": 0.1, "momentum": 0.9})
ADAM = ("Adam", {"learning_rate": 0.05})
# name: (model, replicas, rows, batch, options). Cases with uneven parts request TensorFlow's weighting.
FITS = {
    "even": (dense, 2, 8, 4, {"metrics": ["mae"]}),
    "even_four_replicas": (dense, 4, 16, 8, {"optimizer": ADAM}),
    "uneven": (dense, 2, 11, 4, {"metrics": ["mae"]}),
    "uneven_four_replicas": (dense, 4, 13, 7, {"optimizer": ADAM}),
    "empty_replica": (dense, 2, 9, 4, {}),
    "empty_replica_penalty": (penalized, 2, 9, 4, {}),
    "batch_of_one": (dense, 2, 3, 1, {}),
    "sample_weights": (dense, 2, 8, 4, {"weights": True, "weighted_metrics": ["mae"]}),
    "sample_weights_uneven": (dense, 2, 11, 4, {"weights": True, "weighted_metrics": ["mae"]}),
    "batch_normalization": (plain_normalized, 2, 12, 6, {}),
    "batch_normalization_uneven": (plain_normalized, 2, 11, 6, {}),
    "synchronized_batch_normalization": (synchronized_normalized, 2, 12, 6, {}),
    "steps_per_execution": (dense, 2, 20, 4, {"steps_per_execution": 2, "metrics": ["mae"]}),
    "sum_loss": (dense, 2, 8, 4, {"loss": ("MeanSquaredError", {"reduction": "sum"}), "optimizer": ("SGD", {"learning_rate": 0.01})}),
    "sum_loss_uneven": (dense, 2, 11, 4, {"loss": ("MeanSquaredError", {"reduction": "sum"}), "optimizer": ("SGD", {"learning_rate": 0.01})}),
}


def write(folder, case, arrays, weights=None):
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in arrays.items():
        assert np.isfinite(value).all(), (folder.name, name)
    np.savez(folder / "data.npz", **arrays)
    if weights is not None:
        np.savez(folder / "final_weights.npz", **{f"w{j}": w for j, w in enumerate(weights)})
    case = {"id": f"distribute/{folder.name}", "kind": "distribute", "title": folder.name.replace("_", " ")} | case
    case |= {"arrays": {k: [str(v.dtype), list(v.shape)] for k, v in arrays.items()}, "keras_version": keras.__version__,
             "generated_with": f"tensorflow {tf.__version__}", "tolerance": {"rtol": 1e-4, "atol": 1e-5}}
    (folder / "case.json").write_text(json.dumps(case, indent=1) + "\n")
    print(folder.name, flush=True)


def keras_json(module, made):
    return {"module": f"keras.{module}", "class_name": made[0], "config": made[1], "registered_name": None}


def make_data(rows, seed):
    g = np.random.default_rng(seed)
    x = g.standard_normal((rows, 3)).astype("float32")
    return {"x": x, "y": np.sin(x.sum(1, keepdims=True)).astype("float32"), "sw": g.uniform(0.2, 2, rows).astype("float32")}


def is_uneven(rows, batch, replicas):
    return any(n % replicas for n in {batch, rows % batch})


def write_synchronized(model, path):
    """Adds the option `synchronized` to the configuration in a file: tf_keras leaves it out."""
    with zipfile.ZipFile(path) as file:
        entries = {name: file.read(name) for name in file.namelist()}
    config = json.loads(entries["config.json"])
    for layer in config["config"]["layers"]:
        if layer["class_name"] == "BatchNormalization":
            layer["config"]["synchronized"] = model.get_layer(layer["config"]["name"]).synchronized
    entries["config.json"] = json.dumps(config).encode()
    with zipfile.ZipFile(path, "w") as file:
        for name, data in entries.items():
            file.writestr(name, data)


def write_mirrored(name, folder):
    make, replicas, rows, batch, options = FITS[name]
    keras.utils.set_random_seed(list(FITS).index(name) + 1)
    described = {"strategy": {"class": "MirroredStrategy", "replicas": replicas}}
    if is_uneven(rows, batch, replicas):
        described["weighting"] = "tensorflow"
    arrays = make_data(rows, len(name))
    if not options.get("weights"):
        del arrays["sw"]
    write_fit(folder, make_strategy(replicas), described, make, arrays, batch, options)


def write_fit(folder, strategy, described, make, arrays, batch, options, policy=None, writes=True, only_epochs=False):
    """Runs compile, fit, evaluate and predict. With `policy`, the arrays are given as data sets that are sharded by it."""
    optimizer, loss = options.get("optimizer", SGD), options.get("loss")
    given = {k: options[k] for k in ("metrics", "weighted_metrics", "steps_per_execution") if k in options}
    with strategy.scope():
        model = make()
        folder.mkdir(parents=True, exist_ok=True)
        model.save(folder / "model.keras")
        write_synchronized(model, folder / "model.keras")
        if options.get("placement"):
            described["expected_variables"] = placement(model)
        loss_object = "mse"
        if loss:
            loss_object = getattr(keras.losses, loss[0])(**loss[1])
        model.compile(getattr(keras.optimizers, optimizer[0])(**optimizer[1]), loss_object, **given)
    compiled = dict(given, optimizer=keras_json("optimizers", optimizer), loss=keras_json("losses", loss) if loss else "mse")
    recorder = EpochRecorder() if only_epochs else Recorder()
    common = {"batch_size": batch}
    weights = {"sample_weight": "@sw"} if "sw" in arrays else {}
    steps = {"steps_per_epoch": options["steps"]} if "steps" in options else {}

    def data(*names):
        if policy is None:
            return dict(zip(("x", "y", "sample_weight"), [arrays.get(name) for name in names]), **common)
        given = tuple(arrays[name] for name in names if name in arrays)
        rows = tf.data.Dataset.from_tensor_slices(given if len(given) > 1 else given[0]).batch(batch)
        chosen = tf.data.Options()
        chosen.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy[policy]
        return {"x": rows.with_options(chosen)}

    history = model.fit(**data("x", "y", "sw"), shuffle=False, epochs=3, verbose=0, callbacks=[recorder], **steps)
    fitted = {"history": {k: [float(v) for v in h] for k, h in history.history.items()}, "epoch": history.epoch,
              "stop_training": bool(model.stop_training), "events": recorder.events}
    result = model.evaluate(**data("x", "y", "sw"), verbose=0, return_dict=True, **({"steps": options["steps"]} if steps else {}))
    arrays["s3_predict0"] = model.predict(**data("x"), verbose=0)
    steps = [{"op": "compile", "args": compiled},
             {"op": "fit", "args": {"x": "@x", "y": "@y", "epochs": 3, "shuffle": False} | common | weights | steps},
             {"op": "evaluate", "args": {"x": "@x", "y": "@y"} | common | weights | ({"steps": options["steps"]} if steps else {})},
             {"op": "predict", "args": {"x": "@x"} | common}]
    variables = described.pop("expected_variables", None)
    case = described | {"model": "model.keras", "steps": steps}
    case["expected"] = {"steps": [{}, fitted, {"result_dict": plain(result)}, {"structure": "array"}],
                        "optimizer_iterations": int(model.optimizer.iterations.numpy())}
    if variables:
        case["expected"]["variables"] = variables
    case["expected_arrays"] = ["s3_predict0"]
    final = [np.concatenate([p.numpy() for p in parts]) if len(parts) > 1 else parts[0].numpy() for parts in logical_weights(model)]
    if writes:
        write(folder, case, arrays, final)


def logical_weights(model):
    """The parts of each weight, in the order of the weights."""
    groups = {}
    for weight in model.weights:
        groups.setdefault(weight.name.split("/part_")[0], []).append(weight)
    return list(groups.values())


def placement(model):
    """For each weight the shapes of its parts on each parameter server."""
    servers = {}
    for parts in logical_weights(model):
        path = parts[0].name.split("/part_")[0].split(":")[0]
        for part in parts:
            task = part.device.split("/task:")[1].split("/")[0]
            servers.setdefault(path, {}).setdefault(f"ps:{task}", []).append(part.shape.as_list())
    return servers


def write_loop(folder):
    """A linear model, trained by strategy.run with compute_average_loss and apply_gradients."""
    strategy = make_strategy(2)
    arrays = make_data(12, 5)
    del arrays["sw"]
    arrays["kernel"] = np.array([[0.3], [-0.2], [0.5]], "float32")
    batch, losses = 4, []
    with strategy.scope():
        kernel = tf.Variable(arrays["kernel"])
        optimizer = keras.optimizers.SGD(0.1, momentum=0.9)
        optimizer.build([kernel])
    data = tf.data.Dataset.from_tensor_slices((arrays["x"], arrays["y"])).batch(batch)

    def step(x, y):
        with tf.GradientTape() as tape:
            errors = tf.reduce_sum(tf.square(x @ kernel - y), 1)
            loss = tf.nn.compute_average_loss(errors, global_batch_size=batch)
            loss += tf.nn.scale_regularization_loss(0.01 * tf.reduce_sum(tf.square(kernel)))
        optimizer.apply_gradients([(tape.gradient(loss, kernel), kernel)])
        return loss

    run = tf.function(lambda *part: strategy.run(step, args=part))
    for _ in range(2):
        for part in strategy.experimental_distribute_dataset(data):
            losses.append(float(strategy.reduce("SUM", run(*part), axis=None)))
    arrays["final_kernel"] = kernel.numpy()
    write(folder, {"strategy": {"class": "MirroredStrategy", "replicas": 2}, "expected": {"losses": losses}, "expected_arrays": ["final_kernel"],
                   "loop": {"batch_size": batch, "epochs": 2, "learning_rate": 0.1, "momentum": 0.9, "penalty": 0.01}}, arrays)


def write_variables(folder):
    strategy = make_strategy(2)
    rows, expected = [], []
    for synchronization in ["AUTO", "ON_WRITE", "ON_READ", "NONE"]:
        for aggregation in ["NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA"]:
            for where in ["replica", "cross"]:
                for op in ["assign", "assign_add", "assign_sub"]:
                    row = {"synchronization": synchronization, "aggregation": aggregation, "where": where, "op": op, "initial": 10.0}
                    rows.append(row)
                    expected.append(variable_row(strategy, **row))
    # The behaviour of replicas without an aggregation differs between releases: the copies diverge, or there is an
    # error.
    keep = [i for i, row in enumerate(rows)
            if row["aggregation"] != "NONE" or row["synchronization"] == "NONE" or
            (row["synchronization"] != "ON_READ" and row["where"] == "cross")]
    write(folder, {"strategy": {"class": "MirroredStrategy", "replicas": 2}, "table": "variables", "rows": [rows[i] for i in keep],
                   "expected": {"rows": [expected[i] for i in keep]}}, {})


def variable_row(strategy, synchronization, aggregation, where, op, initial):
    """Replicas assign or add 1 and 2; ordinary code 6."""
    try:
        with strategy.scope():
            v = tf.Variable(initial, trainable=False, synchronization=tf.VariableSynchronization[synchronization],
                            aggregation=tf.VariableAggregation[aggregation])

        def change():
            replica = tf.distribute.get_replica_context().replica_id_in_sync_group
            getattr(v, op)(tf.cast(replica, tf.float32) + 1)

        if where == "replica":
            strategy.run(change)
        else:
            with strategy.scope():
                getattr(v, op)(6.0)
        copies = [float(c) for c in strategy.experimental_local_results(strategy.run(lambda: v.read_value()))]
        with strategy.scope():
            return {"copies": copies, "read": float(v.read_value())}
    except ValueError as error:
        return {"error": type(error).__name__}


def write_values(folder):
    strategy = make_strategy(2)
    rows = []
    pairs = [[[1.0, 2.0], [3.0, 6.0]], [[1.0, 2.0, 3.0], [10.0]], [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]]]
    for op in ["SUM", "MEAN"]:
        rows += [{"what": "reduce", "op": op, "axis": axis, "values": values} for values in pairs for axis in (0, 1, -1)]
        rows += [{"what": "reduce", "op": op, "axis": None, "values": pairs[0]}]
        # This release rejects the sum of a plain value; other releases multiply it by the number of replicas.
        rows += [{"what": "reduce", "op": op, "axis": axis, "value": [1.0, 2.0]} for axis in ((0,) if op == "SUM" else (None, 0))]
    rows += [{"what": "gather", "axis": axis, "values": values} for values in pairs for axis in (0, 1)]
    rows += [{"what": "gather", "axis": 1, "values": [[[1.0], [2.0]], [[3.0, 4.0], [5.0, 6.0]]]}]
    rows += [{"what": "split", "rows": n, "batch": b} for n, b in [(4, 4), (3, 3), (1, 1), (7, 4), (2, 1), (9, 4)]]
    write(folder, {"strategy": {"class": "MirroredStrategy", "replicas": 2}, "table": "values", "rows": rows,
                   "expected": {"rows": [value_row(strategy, **row) for row in rows]}}, {})


def value_row(strategy, what, values=None, value=None, **args):
    try:
        if what == "split":
            data = strategy.experimental_distribute_dataset(tf.data.Dataset.range(args["rows"]).batch(args["batch"]))
            return {"parts": [[p.numpy().tolist() for p in strategy.experimental_local_results(part)] for part in data]}
        given = tf.constant(value) if values is None else strategy.experimental_distribute_values_from_function(
            lambda context: tf.constant(values[context.replica_id_in_sync_group]))
        result = strategy.gather(given, args["axis"]) if what == "gather" else strategy.reduce(args["op"], given, axis=args["axis"])
        return {"result": result.numpy().tolist()}
    except (ValueError, TypeError, tf.errors.InvalidArgumentError) as error:
        # In TensorFlow a missing axis is an error of a kernel.
        return {"error": "ValueError" if isinstance(error, tf.errors.InvalidArgumentError) else type(error).__name__}


def main(root):
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * len(DEVICES))
    folder = pathlib.Path(root) / "distribute"
    for name in FITS:
        write_mirrored(name, folder / name)
    write_loop(folder / "custom_loop")
    write_variables(folder / "variables")
    write_values(folder / "values")


if __name__ == "__main__":
    main(sys.argv[1])
