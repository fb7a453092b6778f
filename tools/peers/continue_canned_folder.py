#!/usr/bin/env python3
"""Loads the model_dir of examples/estimator/census_wide_and_deep.cpp into TensorFlow's DNNLinearCombinedClassifier, evaluates
the model and continues its training. The example can then be run again with the same folder and more epochs.

usage: continue_canned_folder.py MODEL_DIR [STEPS]      needs TensorFlow 2.15, the last one with tf.estimator
"""
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
fc = tf.feature_column

EDUCATIONS = ["school", "college", "bachelors", "masters", "doctorate"]
OCCUPATIONS = ["craft", "sales", "farming", "clerical", "tech", "service", "manager", "transport"]


def people(rows, seed):
    """As in the example, with different random numbers."""
    random = np.random.default_rng(seed)
    education, occupation = random.integers(0, 5, rows), random.integers(0, 8, rows)
    age, hours = random.integers(18, 78, rows), random.integers(20, 60, rows)
    pair = np.where((education * 3 + occupation) % 5 == 0, 1.5, -0.3)
    score = 1 - np.abs(age - 50) / 25 + 0.5 * (education - 2) + (hours - 40) / 20 + pair + random.normal(0, 0.5, rows)
    columns = {"age": age.astype(np.float32), "hours_per_week": hours.astype(np.float32),
               "education": np.array(EDUCATIONS)[education], "occupation": np.array(OCCUPATIONS)[occupation]}
    return columns, (score > 0).astype(np.int64)


def classifier(model_dir):
    age_buckets = fc.bucketized_column(fc.numeric_column("age"), [25, 30, 35, 40, 45, 50, 55, 60, 65])
    education = fc.categorical_column_with_vocabulary_list("education", EDUCATIONS)
    occupation = fc.categorical_column_with_hash_bucket("occupation", 100)
    return v1.estimator.DNNLinearCombinedClassifier(
        model_dir,
        linear_feature_columns=[age_buckets, education, occupation,
                                fc.crossed_column(["education", "occupation"], 1000)],
        dnn_feature_columns=[fc.numeric_column("age", normalizer_fn=lambda x: (x - 48) / 30),
                             fc.numeric_column("hours_per_week", normalizer_fn=lambda x: (x - 40) / 20),
                             fc.indicator_column(education), fc.embedding_column(occupation, 8)],
        dnn_optimizer=v1.train.AdagradOptimizer(0.05), dnn_hidden_units=[32, 16])


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    v1.disable_eager_execution()
    estimator = classifier(sys.argv[1])
    evaluate = lambda: v1.data.Dataset.from_tensor_slices(people(5000, 1)).batch(64)
    print("before", estimator.evaluate(evaluate))
    examples = lambda: v1.data.Dataset.from_tensor_slices(people(20000, 2)).shuffle(1000).repeat().batch(64)
    estimator.train(examples, steps=int(sys.argv[2]) if len(sys.argv) > 2 else 100)
    print("after", estimator.evaluate(evaluate))


main()
