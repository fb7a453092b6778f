#!/usr/bin/env python3
"""Writes a case for antler_conformance: how real Keras (3.x) reacts to invalid configurations.

    KERAS_BACKEND=jax python3 tools/wrong_configurations.py FOLDER [--values [KEY ...]]

For every class with a known configuration, removes each required key, adds an unknown key and, with --values, replaces
each value (or only those of KEY) by values of other types. FOLDER/case.json has each class's configuration and the
exception of each change: null if Keras accepts it (or if only from_config() requires the key), "TypeError", "ValueError",
or "Error" for any other. It is the exception of the constructor, because from_config() of most layers turns every
exception into a TypeError.
"""
import copy
import inspect
import json
import pathlib
import sys

import keras

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Values of every JSON type except null, which means the default in Keras 2; they are rarely valid by accident.
VALUES = ["no_such_thing", -7, [], {}, [1.5, "a"]]
MODULES = {"loss": keras.losses, "metric": keras.metrics, "optimizer": keras.optimizers,
           "schedule": keras.optimizers.schedules, "initializer": keras.initializers,
           "regularizer": keras.regularizers, "constraint": keras.constraints, "layer": keras.layers}
BASES = {"loss": keras.losses.Loss, "metric": keras.metrics.Metric, "optimizer": keras.optimizers.Optimizer,
         "schedule": keras.optimizers.schedules.LearningRateSchedule, "initializer": keras.initializers.Initializer,
         "regularizer": keras.regularizers.Regularizer, "constraint": keras.constraints.Constraint,
         "layer": keras.layers.Layer}
# Values for arguments without a default.
REQUIRED = {"specificity": 0.5, "sensitivity": 0.5, "recall": 0.5, "precision": 0.5, "num_classes": 3,
            "target_class_ids": [0], "initial_learning_rate": 0.1, "decay_steps": 10, "decay_rate": 0.9, "alpha": 0.1,
            "boundaries": [3], "values": [0.1, 0.2], "first_decay_steps": 5}
# Arguments of Keras 3 that have a default in Keras 2.
KERAS2_DEFAULTS = {"pool_size"}


def classes():
    """Yields (kind, class, configuration) of all classes that can be constructed."""
    for kind, module in MODULES.items():
        for name in sorted(dir(module)):
            cls = getattr(module, name)
            if not (isinstance(cls, type) and issubclass(cls, BASES[kind])) or cls.__name__ != name or cls is BASES[kind]:
                continue
            if kind == "layer":
                continue
            needed = [p.name for p in inspect.signature(cls.__init__).parameters.values()
                      if p.default is p.empty and p.kind == p.POSITIONAL_OR_KEYWORD and p.name != "self"]
            try:
                yield kind, cls, cls(**{k: REQUIRED[k] for k in needed}).get_config()
            except Exception as error:
                print("skipped:", name, repr(error)[:100], file=sys.stderr)
    seen = set()
    for file in ("layer_calls", "sequence_layer_calls", "calibrated_layer_calls"):
        for case in json.loads((ROOT / f"tests/data/{file}.json").read_text())["cases"]:
            name, config = case.get("class_name"), case.get("config")
            cls = getattr(keras.layers, name or "", None)
            if cls is None or config is None or name in seen:
                continue
            seen.add(name)
            yield "layer", cls, config


def outcome(cls, config, of_constructor=False):
    """None, "TypeError", "ValueError" or "Error": the exception that from_config() or the constructor raises."""
    try:
        cls.from_config(copy.deepcopy(config))
    except Exception as error:
        while of_constructor and error.__context__ is not None and "Error when deserializing" in str(error):
            error = error.__context__
        return type(error).__name__ if type(error) in (TypeError, ValueError) else "Error"
    return None


def changes(cls, config, keys):
    """{"missing": {key: exception}, "unknown": exception, "values": {key: [exceptions]}}"""
    def without(key):
        return {k: v for k, v in config.items() if k != key}

    parameters = inspect.signature(cls.__init__).parameters
    needed = [k for k in config if k in parameters and parameters[k].default is inspect.Parameter.empty and k not in KERAS2_DEFAULTS]
    found = {"missing": {k: e for k in needed if (e := outcome(cls, without(k), of_constructor=True))},
             "unknown": outcome(cls, {**config, "no_such_option": 1}, of_constructor=True)}
    if issubclass(cls, keras.layers.Layer):
        found["unknown"] = "ValueError"  # constructors without **kwargs raise Python's TypeError
    values = {k: [outcome(cls, {**config, k: v}, of_constructor=True) for v in VALUES] for k in config if k in keys or keys == ["*"]}
    if values:
        found["values"] = values
    return found


def main():
    folder = pathlib.Path(sys.argv[1])
    keys = []
    if "--values" in sys.argv:
        keys = sys.argv[sys.argv.index("--values") + 1:] or ["*"]
    rows = []
    for kind, cls, config in classes():
        config = json.loads(json.dumps(keras.saving.serialize_keras_object(config)))
        if outcome(cls, config) is not None:
            print("skipped:", cls.__name__, outcome(cls, config), file=sys.stderr)
            continue
        rows.append({"kind": kind, "class_name": keras.saving.serialize_keras_object(cls.from_config(copy.deepcopy(config)))["class_name"],
                     "config": config, **changes(cls, config, keys)})
    case = {"id": "configurations", "kind": "configurations", "title": "configurations that Keras rejects",
            "keras_version": keras.__version__, "values": VALUES, "rows": rows}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "case.json").write_text(json.dumps(case, separators=(",", ":")) + "\n")
    print(sum(len(r["missing"]) + 1 + len(VALUES) * len(r.get("values", {})) for r in rows), "configurations of", len(rows), "classes")


if __name__ == "__main__":
    main()
