#!/usr/bin/env python3
"""Prints the results of TensorFlow's canned estimators for fixed initial values: the numbers in
tests/estimator/canned_test.cpp. Needs TensorFlow 2.15, the last version with tf.compat.v1.estimator."""
import logging
import tempfile

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
canned = v1.estimator
fc = tf.feature_column

WORDS = fc.categorical_column_with_vocabulary_list("word", ["a", "b", "c"])
IDS = fc.categorical_column_with_identity("id", 5)
V2 = fc.numeric_column("v2", shape=[2])
LINEAR = [V2, fc.bucketized_column(fc.numeric_column("age"), [20, 40]), WORDS, IDS]
DENSE = [V2, fc.indicator_column(WORDS), fc.embedding_column(IDS, 3)]

FEATURES = {
    "age": np.array([10, 30, 50, 25], np.float32),
    "v2": np.arange(8, dtype=np.float32).reshape(4, 2) / 8,
    "word": np.array(["a", "c", "b", "x"]),
    "id": np.array([0, 4, 2, 2]),
    "w": np.array([1, 2, 0.5, 1], np.float32),
}
TWO = np.array([0, 1, 1, 0])
THREE = np.array([0, 2, 1, 2])
NUMBERS = np.array([1, 2, 3, 4], np.float32)
STRINGS = np.array(["no", "yes", "yes", "no"])


def examples(labels, times):
    return lambda: tf.data.Dataset.from_tensor_slices((FEATURES, labels)).repeat(times).batch(4)


class SinValues(v1.train.SessionRunHook):
    """Gives the trainable variables the values sin(1) / 2, sin(2) / 2, ..."""

    def begin(self):
        self.assignments = []
        for variable in v1.trainable_variables():
            count = int(np.prod(variable.shape))
            values = np.sin(np.arange(count) + 1.0).astype(np.float32) * 0.5
            self.assignments.append(variable.assign(values.reshape(variable.shape)))

    def after_create_session(self, session, coord):
        session.run(self.assignments)


def rounded(values):
    return [float(f"{value:.7g}") for value in np.asarray(values, np.float64).ravel()]


def show(name, make, labels):
    estimator = make(tempfile.mkdtemp())
    estimator.train(examples(labels, 3), steps=3, hooks=[SinValues()])
    print(name)
    for variable in estimator.get_variable_names():
        print("  ", variable, rounded(estimator.get_variable_value(variable)))
    metrics = estimator.evaluate(examples(labels, 1))
    print("   metrics", {key: float(f"{value:.7g}") for key, value in sorted(metrics.items())})
    second = list(estimator.predict(examples(labels, 1)))[1]
    print("   second prediction", {key: value if value.dtype == object else rounded(value) for key, value in second.items()})


def main():
    logging.getLogger("tensorflow").setLevel(logging.ERROR)
    show("linear, two classes, weights",
         lambda d: canned.LinearClassifier(LINEAR, model_dir=d, weight_column="w"), TWO)
    show("linear, strings",
         lambda d: canned.LinearClassifier(LINEAR, model_dir=d, label_vocabulary=["no", "yes"]), STRINGS)
    show("linear, three classes", lambda d: canned.LinearClassifier(LINEAR, model_dir=d, n_classes=3), THREE)
    show("linear, numbers", lambda d: canned.LinearRegressor(LINEAR, model_dir=d, weight_column="w"), NUMBERS)
    show("deep, two classes", lambda d: canned.DNNClassifier([4, 3], DENSE, model_dir=d), TWO)
    show("deep, numbers, batch normalization",
         lambda d: canned.DNNRegressor([4], DENSE, model_dir=d, batch_norm=True, optimizer="Adam"), NUMBERS)
    show("wide and deep", lambda d: canned.DNNLinearCombinedClassifier(
        d, linear_feature_columns=LINEAR, dnn_feature_columns=DENSE, dnn_hidden_units=[4]), TWO)
    show("baseline", lambda d: canned.BaselineClassifier(d, n_classes=3), THREE)


if __name__ == "__main__":
    main()
