#!/usr/bin/env python3
"""Writes tests/data/feature_columns.json: results of tf_keras's DenseFeatures and SequenceFeatures.

    python3 tools/feature_column_calls.py

Element i of an embedding table is ((7 i) mod 11 - 5) / 10. Missing elements of sequences, which TensorFlow leaves out of
its sparse tensors, are written as null (NaN), -1 or "".
"""
import json
import os
import pathlib
import tempfile

os.environ["CUDA_VISIBLE_DEVICES"] = ""
import tensorflow as tf
import tf_keras

from golden import DATA, make_weight

fc = tf.feature_column

FEATURES = {
    "price": [[1.5, 2], [-3, 0.25], [0, 40]],
    "age": [[17.0], [18], [64.5]],
    "id": [[1, 3, 1], [-1, 9, 0], [-1, -1, -1]],
    "one": [2, 0, 4],
    "color": [["r", "g"], ["x", ""], ["b", "yy"]],
    "word": [["a", "b"], ["", "c"], ["", ""]],
    "number": [[10, 30], [-1, 77], [20, 10]],
    "weight": [[0.5, 1, 2], [0, 3, -1], [0, 0, 0]],
}
SEQUENCES = {
    "steps": [[1.5, 2, None], [3, None, None]],
    "token": [["a", "z", ""], ["b", "", ""]],
    "place": [[1, 2, -1], [0, -1, -1]],
}


def indicator(column):
    return fc.indicator_column(column)


def cases(vocabulary_file):
    ident = fc.categorical_column_with_identity
    words = fc.categorical_column_with_vocabulary_list
    hashed = fc.categorical_column_with_hash_bucket
    age = fc.bucketized_column(fc.numeric_column("age"), [18.0, 30.0, 64.5])
    price = fc.numeric_column("price", shape=(2,))
    yield "numeric", [price, fc.numeric_column("age")]
    yield "bucketized", [age, fc.bucketized_column(price, [0.0, 2.0])]
    yield "identity", [indicator(ident("id", 5)), indicator(ident("one", 5))]
    yield "identity_default", [indicator(ident("id", 5, default_value=4))]
    yield "vocabulary", [indicator(words("color", ["r", "g", "b"]))]
    yield "vocabulary_default", [indicator(words("color", ["r", "g", "b"], default_value=1))]
    yield "vocabulary_oov", [indicator(words("color", ["r", "g", "b"], num_oov_buckets=3))]
    yield "vocabulary_integers", [indicator(words("number", [10, 20], num_oov_buckets=4))]
    yield "vocabulary_file", [indicator(fc.categorical_column_with_vocabulary_file(
        "color", vocabulary_file, vocabulary_size=2, num_oov_buckets=1))]
    yield "hashed", [indicator(hashed("word", 6)), indicator(hashed("number", 5, dtype=tf.int64))]
    yield "crossed", [indicator(fc.crossed_column(["word", "color"], 7)),
                      indicator(fc.crossed_column([age, ident("id", 10)], 9)),
                      indicator(fc.crossed_column(["number", fc.crossed_column(["word", age], 5)], 8, hash_key=17))]
    yield "weighted", [indicator(fc.weighted_categorical_column(ident("id", 10), "weight"))]
    for combiner in ("mean", "sqrtn", "sum"):
        yield "embedding_" + combiner, [
            fc.embedding_column(fc.weighted_categorical_column(ident("id", 10), "weight"), 3, combiner),
            fc.embedding_column(hashed("word", 6), 2, combiner, max_norm=0.3)]
    yield "embedding_bins", [fc.embedding_column(age, 2, trainable=False)]
    yield "sequence", [fc.sequence_numeric_column("steps"),
                       indicator(fc.sequence_categorical_column_with_identity("place", 3)),
                       fc.embedding_column(fc.sequence_categorical_column_with_vocabulary_list(
                           "token", ["a", "b"], num_oov_buckets=1), 2)]


def sparse(values):
    rows = [[(i, k, v) for k, v in enumerate(row) if v not in (None, -1, "")] for i, row in enumerate(values)]
    flat = [e for row in rows for e in row]
    return tf.sparse.SparseTensor([[i, k] for i, k, _ in flat], [v for *_, v in flat], [len(values), len(values[0])])


def main():
    vocabulary = pathlib.Path(tempfile.mkdtemp()) / "colors.txt"
    vocabulary.write_text("g\nr\nb\n")
    lines = []
    for case_id, columns in cases(str(vocabulary)):
        sequence = case_id == "sequence"
        layer = (tf_keras.experimental.SequenceFeatures if sequence else tf_keras.layers.DenseFeatures)(columns)
        inputs = {k: sparse(v) for k, v in SEQUENCES.items()} if sequence else {
            k: tf.constant(v) for k, v in FEATURES.items()}
        layer(inputs)
        for w in layer.weights:
            w.assign(make_weight(0, w.shape))
        out = layer(inputs)
        config = layer.get_config()
        found = {"id": case_id, "feature_columns": json.loads(json.dumps(config["feature_columns"])),
                 "weights": [list(w.shape) for w in layer.weights], "trainable": len(layer.trainable_weights)}
        values, lengths = out if sequence else (out, None)
        found["shape"] = list(values.shape)
        found["output"] = values.numpy().ravel().tolist()
        if sequence:
            found["lengths"] = lengths.numpy().tolist()
        lines.append(json.dumps(found, separators=(",", ":")).replace(str(vocabulary), "colors.txt"))
    head = json.dumps({"source": f"tf_keras {tf_keras.__version__}, TensorFlow", "features": FEATURES,
                       "sequences": SEQUENCES})[:-1]
    (DATA / "feature_columns.json").write_text(head + ',"cases":[\n' + ",\n".join(lines) + "\n]}\n")


if __name__ == "__main__":
    main()
