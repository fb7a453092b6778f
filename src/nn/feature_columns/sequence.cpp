// Columns of sequences.
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/feature_columns/column.h"

namespace antler::feature_column {

namespace {

/// Categories of each step.
struct SequenceCategoricalColumn : FeatureColumnImpl {
  ColumnPtr column;

  std::string name() const override { return column->name(); }
  std::string class_name() const override { return "SequenceCategoricalColumn"; }
  bool is_sequence() const override { return true; }
  int64_t num_buckets() const override { return column->num_buckets(); }
  Json get_config() const override {
    return {{"categorical_column", FeatureColumn(column).serialize()}};
  }
  Categories categories(const Nest& features) const override {
    return column->categories(features);
  }
  Tensor sequence_length(const Nest& features) const override {
    return length_of(ops::greater_equal(categories(features).ids, Tensor(0)));
  }
};

/// A number for each step.
struct SequenceNumericColumn : FeatureColumnImpl {
  std::string key;
  double default_value = 0;

  std::string name() const override { return key; }
  std::string class_name() const override { return "SequenceNumericColumn"; }
  bool is_sequence() const override { return true; }
  int64_t size() const override { return 1; }
  Json get_config() const override {
    return {{"key", key},
            {"shape", {1}},
            {"default_value", default_value},
            {"dtype", "float32"},
            {"normalizer_fn", nullptr}};
  }
  Tensor steps(const Nest& features) const {
    return ops::cast(feature_of(features, key), DType::float32);
  }
  Tensor dense(const Nest& features, const Tensor&) const override {
    const Tensor x = steps(features);
    return ops::expand_dims(ops::where(ops::isnan(x), ops::full_like(x, Tensor(default_value)), x),
                            -1);
  }
  Tensor sequence_length(const Nest& features) const override {
    return length_of(ops::logical_not(ops::isnan(steps(features))));
  }
};

FeatureColumn as_sequence(const FeatureColumn& categorical) {
  auto column = std::make_shared<SequenceCategoricalColumn>();
  column->column = categorical.shared();
  return FeatureColumn(column);
}

}  // namespace

FeatureColumn sequence_categorical_column_with_identity(const std::string& key, int64_t num_buckets,
                                                        std::optional<int64_t> default_value) {
  return as_sequence(categorical_column_with_identity(key, num_buckets, default_value));
}

FeatureColumn sequence_categorical_column_with_vocabulary_list(
    const std::string& key, std::vector<std::string> vocabulary_list,
    const VocabularyColumnOptions& options) {
  return as_sequence(
      categorical_column_with_vocabulary_list(key, std::move(vocabulary_list), options));
}

FeatureColumn sequence_categorical_column_with_vocabulary_file(
    const std::string& key, const std::string& vocabulary_file,
    std::optional<int64_t> vocabulary_size, const VocabularyColumnOptions& options) {
  return as_sequence(
      categorical_column_with_vocabulary_file(key, vocabulary_file, vocabulary_size, options));
}

FeatureColumn sequence_categorical_column_with_hash_bucket(const std::string& key,
                                                           int64_t hash_bucket_size) {
  return as_sequence(categorical_column_with_hash_bucket(key, hash_bucket_size));
}

FeatureColumn sequence_numeric_column(const std::string& key, double default_value) {
  auto column = std::make_shared<SequenceNumericColumn>();
  column->key = key;
  column->default_value = default_value;
  return FeatureColumn(column);
}

ColumnPtr sequence_categorical_from_config(const Json& config) {
  const FeatureColumn column = deserialize(config.at("categorical_column"));
  check_categorical(column.shared(), "SequenceCategoricalColumn");
  return as_sequence(column).shared();
}

ColumnPtr sequence_numeric_from_config(const Json& config) {
  if (const Json shape = config.value("shape", Json::array({1})); shape != Json::array({1})) {
    throw ValueError("A sequence_numeric_column has one number for each step. Received: shape={}",
                     shape.dump());
  }
  return sequence_numeric_column(config.at("key"), config.value("default_value", 0.0)).shared();
}

}  // namespace antler::feature_column
