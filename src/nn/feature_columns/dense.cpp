// Dense columns: numbers, bins, indicators, embeddings.
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/initializers.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/one_hot.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/feature_columns/column.h"
#include "nn/layers/preprocessing/encode.h"

namespace antler::feature_column {

namespace {

struct NumericColumn : FeatureColumnImpl {
  std::string key;
  NumericColumnOptions options;

  std::string name() const override { return key; }
  std::string class_name() const override { return "NumericColumn"; }
  int64_t size() const override {
    int64_t elements = 1;
    for (const int64_t d : options.shape) elements *= d;
    return elements;
  }
  Json get_config() const override {
    if (options.normalizer_fn) {
      throw ValueError(
          "The numeric column '{}' has a normalizer_fn, a function that cannot be saved.", key);
    }
    return {{"key", key},
            {"shape", options.shape},
            {"default_value", nullptr},
            {"dtype", "float32"},
            {"normalizer_fn", nullptr}};
  }
  Tensor dense(const Nest& features, const Tensor&) const override {
    if (!features.contains(key)) {
      throw ValueError("Feature {} is not in features dictionary.", key);
    }
    Tensor x = features.at(key).tensor();
    if (x.rank() == 1) x = ops::expand_dims(x, -1);
    // As in TensorFlow, the function gets the raw values, and its result is converted.
    if (options.normalizer_fn) x = options.normalizer_fn(x);
    x = ops::cast(x, DType::float32);
    return ops::reshape(x, {x.dim(0), size()});
  }
};

struct BucketizedColumn : FeatureColumnImpl {
  std::shared_ptr<const NumericColumn> source;
  std::vector<double> boundaries;

  int64_t bins() const { return std::ssize(boundaries) + 1; }
  std::string name() const override { return source->name() + "_bucketized"; }
  std::string class_name() const override { return "BucketizedColumn"; }
  int64_t size() const override { return source->size() * bins(); }
  int64_t num_buckets() const override { return size(); }
  Json get_config() const override {
    return {{"source_column", FeatureColumn(source).serialize()}, {"boundaries", boundaries}};
  }
  /// The bin of each number, int64 [batch, n]: the number of boundaries that it reaches or exceeds.
  Tensor bins_of(const Nest& features) const {
    const Tensor x = ops::expand_dims(source->dense(features, {}), -1);
    const std::vector<float> limits(boundaries.begin(), boundaries.end());
    return ops::sum(ops::cast(ops::greater_equal(x, Tensor::of(limits)), DType::int64), {-1});
  }
  Tensor dense(const Nest& features, const Tensor&) const override {
    const Tensor hot = ops::one_hot(bins_of(features), bins());
    return ops::reshape(hot, {hot.dim(0), size()});
  }
  /// Each number of a sample has its own range of ids; the ranges follow one another.
  Categories categories(const Nest& features) const override {
    const Tensor bin = bins_of(features);
    return {bin + ops::iota(bin.shape(), 1, DType::int64) * Tensor(bins()), {}};
  }
};

struct IndicatorColumn : FeatureColumnImpl {
  ColumnPtr column;

  std::string name() const override { return column->name() + "_indicator"; }
  std::string class_name() const override { return "IndicatorColumn"; }
  bool is_sequence() const override { return column->is_sequence(); }
  int64_t size() const override { return column->num_buckets(); }
  Json get_config() const override {
    return {{"categorical_column", FeatureColumn(column).serialize()}};
  }
  Tensor dense(const Nest& features, const Tensor&) const override {
    const Categories found = column->categories(features);
    if (is_sequence()) return ops::one_hot(found.ids, size());
    return encode_categories(found.ids, "count", size(), DType::float32, found.weights);
  }
  Tensor sequence_length(const Nest& features) const override {
    return column->sequence_length(features);
  }
};

/// x / y, or 0 where y is 0.
Tensor divide_or_zero(const Tensor& x, const Tensor& y) {
  const Tensor none = ops::equal(y, Tensor(0.0));
  return ops::where(none, ops::zeros_like(x), x / ops::where(none, ops::ones_like(y), y));
}

struct EmbeddingColumn : FeatureColumnImpl {
  ColumnPtr column;
  std::string combiner = "mean";
  std::optional<double> max_norm;
  EmbeddingTable embedding;

  std::string name() const override { return column->name() + "_embedding"; }
  std::string class_name() const override { return "EmbeddingColumn"; }
  bool is_sequence() const override { return column->is_sequence(); }
  int64_t size() const override { return embedding.dimension; }
  const EmbeddingTable* table() const override { return &embedding; }
  Json get_config() const override {
    Json initializer = initializers::serialize(embedding.initializer);
    initializer.erase("module");
    initializer.erase("registered_name");
    initializer["config"]["dtype"] = "float32";
    return {{"categorical_column", FeatureColumn(column).serialize()},
            {"dimension", embedding.dimension},
            {"combiner", combiner},
            {"initializer", initializer},
            {"ckpt_to_load_from", nullptr},
            {"tensor_name_in_ckpt", nullptr},
            {"max_norm", max_norm ? Json(*max_norm) : Json(nullptr)},
            {"trainable", embedding.trainable},
            {"use_safe_embedding_lookup", true}};
  }
  Tensor dense(const Nest& features, const Tensor& table) const override {
    const Categories found = column->categories(features);
    Tensor rows = ops::take(table, ops::maximum(found.ids, Tensor(0)), 0);  // [batch, n, dimension]
    if (max_norm) {
      // The gradient of the root is infinite at 0.
      const Tensor squares = ops::sum(ops::square(rows), {-1}, {.keepdims = true});
      const Tensor positive = ops::greater(squares, Tensor(0.0));
      const Tensor norm =
          ops::where(positive, ops::sqrt(ops::where(positive, squares, Tensor(1.0))), squares);
      rows = rows * Tensor(*max_norm) / ops::maximum(norm, Tensor(*max_norm));
    }
    Tensor present = ops::greater_equal(found.ids, Tensor(0));
    if (found.weights.defined() && combiner != "sum") {
      present = ops::logical_and(present, ops::greater(found.weights, Tensor(0.0)));
    }
    Tensor weights = ops::cast(present, rows.dtype());
    if (found.weights.defined()) weights = weights * found.weights;
    weights = ops::expand_dims(weights, -1);
    if (is_sequence()) return rows * weights;
    const Tensor sum = ops::sum(rows * weights, {1});
    if (combiner == "sum") return sum;
    if (combiner == "mean") return divide_or_zero(sum, ops::sum(weights, {1}));
    return divide_or_zero(sum, ops::sqrt(ops::sum(ops::square(weights), {1})));
  }
  Tensor sequence_length(const Nest& features) const override {
    return column->sequence_length(features);
  }
};

}  // namespace

FeatureColumn numeric_column(const std::string& key, const NumericColumnOptions& options) {
  for (const int64_t d : options.shape) {
    if (d < 1) {
      throw ValueError("shape dimensions must be greater than 0. shape: {}, key: {}",
                       Json(options.shape).dump(), key);
    }
  }
  auto column = std::make_shared<NumericColumn>();
  column->key = key;
  column->options = options;
  return FeatureColumn(column);
}

FeatureColumn bucketized_column(const FeatureColumn& source_column,
                                std::vector<double> boundaries) {
  auto source = std::dynamic_pointer_cast<const NumericColumn>(source_column.shared());
  if (source == nullptr) {
    throw ValueError(
        "source_column must be a column generated with numeric_column(). Given: {} '{}'.",
        source_column.impl().class_name(), source_column.name());
  }
  if (boundaries.empty()) throw ValueError("boundaries must not be empty.");
  for (size_t i = 1; i < boundaries.size(); ++i) {
    if (!(boundaries[i - 1] < boundaries[i])) {
      throw ValueError("boundaries must be a sorted list.");
    }
  }
  auto column = std::make_shared<BucketizedColumn>();
  column->source = std::move(source);
  column->boundaries = std::move(boundaries);
  return FeatureColumn(column);
}

FeatureColumn indicator_column(const FeatureColumn& categorical_column) {
  check_categorical(categorical_column.shared(), "indicator_column");
  auto column = std::make_shared<IndicatorColumn>();
  column->column = categorical_column.shared();
  return FeatureColumn(column);
}

FeatureColumn embedding_column(const FeatureColumn& categorical_column, int64_t dimension,
                               const EmbeddingColumnOptions& options) {
  check_categorical(categorical_column.shared(), "embedding_column");
  if (dimension < 1) throw ValueError("Invalid dimension {}.", dimension);
  if (options.combiner != "mean" && options.combiner != "sqrtn" && options.combiner != "sum") {
    throw ValueError("combiner must be one of 'mean', 'sqrtn' or 'sum'. Received: combiner={}",
                     options.combiner);
  }
  auto column = std::make_shared<EmbeddingColumn>();
  column->column = categorical_column.shared();
  column->combiner = options.combiner;
  column->max_norm = options.max_norm;
  const double stddev = 1 / std::sqrt(static_cast<double>(dimension));
  column->embedding = {
      .rows = categorical_column.impl().num_buckets(),
      .dimension = dimension,
      .initializer = options.initializer.given()
                         ? options.initializer
                         : Initializer(initializers::TruncatedNormal({.stddev = stddev})),
      .trainable = options.trainable};
  return FeatureColumn(column);
}

ColumnPtr numeric_from_config(const Json& config) {
  if (config.contains("normalizer_fn") && !config["normalizer_fn"].is_null()) {
    throw ValueError(
        "A numeric column with a normalizer_fn, which is Python code, cannot be read. Received: {}",
        config.dump());
  }
  return numeric_column(config.at("key"), {.shape = config.at("shape")}).shared();
}

ColumnPtr bucketized_from_config(const Json& config) {
  return bucketized_column(deserialize(config.at("source_column")), config.at("boundaries"))
      .shared();
}

ColumnPtr indicator_from_config(const Json& config) {
  return indicator_column(deserialize(config.at("categorical_column"))).shared();
}

ColumnPtr embedding_from_config(const Json& config) {
  EmbeddingColumnOptions options{.combiner = config.value("combiner", std::string("mean")),
                                 .trainable = config.value("trainable", true)};
  if (const auto norm = config.find("max_norm"); norm != config.end() && norm->is_number()) {
    options.max_norm = norm->get<double>();
  }
  if (const auto found = config.find("initializer"); found != config.end() && found->is_object()) {
    Json initializer = *found;
    if (initializer.contains("config")) initializer["config"].erase("dtype");
    options.initializer = initializers::deserialize(initializer);
  }
  return embedding_column(deserialize(config.at("categorical_column")), config.at("dimension"),
                          options)
      .shared();
}

}  // namespace antler::feature_column
