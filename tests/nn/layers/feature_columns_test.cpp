// DenseFeatures and SequenceFeatures against tf_keras (tools/feature_column_calls.py).
#include "antler/nn/layers/feature_columns.h"

#include <filesystem>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/core/string_handles.h"
#include "antler/nn/registry.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/runtime/function.h"
#include "support/paths.h"

namespace antler {
namespace {

namespace fc = feature_column;

Json column_figures() {
  return Json::parse(read_file((test::data_dir() / "feature_columns.json").string()));
}

/// Rows of strings, integers or numbers; null is NaN.
Tensor feature_tensor(const Json& rows) {
  const bool vectors = rows[0].is_array();
  Json flat = Json::array();
  for (const Json& row : rows) {
    for (const Json& value : vectors ? row : Json::array({row})) flat.push_back(value);
  }
  const auto count = std::ssize(rows);
  const Shape shape = vectors ? Shape{count, std::ssize(flat) / count} : Shape{count};
  if (flat[0].is_string()) {
    return string_handles(StringTensor{flat.get<std::vector<std::string>>(), shape});
  }
  bool integers = true;
  for (const Json& value : flat) integers = integers && value.is_number_integer();
  if (integers) return Tensor::of(flat.get<std::vector<int64_t>>(), shape);
  std::vector<float> numbers;
  for (const Json& value : flat) {
    numbers.push_back(value.is_null() ? std::numeric_limits<float>::quiet_NaN()
                                      : value.get<float>());
  }
  return Tensor::of(numbers, shape);
}

Nest feature_dict(const Json& features) {
  Nest::Items items;
  for (const auto& [key, rows] : features.items()) items.emplace_back(key, feature_tensor(rows));
  return Nest::dict(std::move(items));
}

/// The same without an order of keys.
nlohmann::json sorted_keys(const Json& json) { return nlohmann::json::parse(json.dump()); }

Tensor table_values(const Shape& shape) {
  std::vector<float> values;
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    values.push_back(static_cast<float>(7 * i % 11 - 5) / 10);
  }
  return Tensor::of(values, shape);
}

TEST(FeatureColumns, GiveWhatKerasGives) {
  const Json figures = column_figures();
  const auto folder = std::filesystem::temp_directory_path() / "antler_feature_columns";
  std::filesystem::create_directories(folder);
  const std::string colors = (folder / "colors.txt").string();
  write_file_atomically(colors, "g\nr\nb\n");
  ASSERT_EQ(figures["cases"].size(), 17U);
  for (Json c : figures["cases"]) {
    const std::string id = c["id"];
    SCOPED_TRACE(id);
    if (id == "vocabulary_file") {
      c["feature_columns"][0]["config"]["categorical_column"]["config"]["vocabulary_file"] = colors;
    }
    const bool sequence = id == "sequence";
    const Json config = {{"name", id}, {"feature_columns", c["feature_columns"]}};
    const LayerPtr layer =
        layer_from_config(sequence ? "SequenceFeatures" : "DenseFeatures", config);
    EXPECT_EQ(sorted_keys(layer->get_config()["feature_columns"]),
              sorted_keys(c["feature_columns"]));
    const Nest features = feature_dict(figures[sequence ? "sequences" : "features"]);
    (*layer)(features);
    ASSERT_EQ(layer->weights().size(), c["weights"].size());
    EXPECT_EQ(layer->trainable_variables().size(), c["trainable"].get<size_t>());
    for (const Variable& w : layer->weights()) w.assign(table_values(w.shape()));
    const auto compiled = tf::function([&](const Nest& x) { return (*layer)(x); });
    for (const Nest& y : {(*layer)(features), compiled(features)}) {
      const Tensor values = sequence ? y[0].tensor() : y.tensor();
      EXPECT_EQ(Json(values.shape().dims()), c["shape"]);
      const std::vector<double> found = values.to_doubles();
      ASSERT_EQ(found.size(), c["output"].size());
      for (size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i], c["output"][i].get<double>(), 1e-6) << i;
      }
      const Json lengths = sequence ? Json(y[1].tensor().to_vector<int64_t>()) : Json(nullptr);
      EXPECT_EQ(lengths, c.value("lengths", Json(nullptr)));
    }
  }
  std::filesystem::remove_all(folder);
}

TEST(FeatureColumns, EmbeddingsLearn) {
  DenseFeatures layer({fc::embedding_column(fc::categorical_column_with_identity("id", 3), 2)});
  const Nest features = Nest::dict({{"id", Tensor::of<int64_t>({0, 2, -1, -1}, {2, 2})}});
  GradientTape tape;
  const Tensor loss = ops::sum(layer(features).tensor());
  const Tensors gradients = tape.gradient(loss, layer.trainable_variables());
  EXPECT_EQ(gradients[0].to_doubles(), (std::vector<double>{0.5, 0.5, 0, 0, 0.5, 0.5}));
  EXPECT_EQ(layer.weights()[0].path(), layer.name() + "/id_embedding/embedding_weights");
}

TEST(FeatureColumns, NormalizerFunctions) {
  const auto column =
      fc::numeric_column("x", {.normalizer_fn = [](const Tensor& x) { return x * Tensor(2.0); }});
  DenseFeatures layer({column});
  const Nest features = Nest::dict({{"x", Tensor::of<float>({1, 3}, {2})}});
  EXPECT_EQ(layer(features).tensor().to_doubles(), (std::vector<double>{2, 6}));
  EXPECT_THROW(layer.get_config(), ValueError);
}

TEST(FeatureColumns, Errors) {
  const auto numbers = fc::numeric_column("a", {.shape = {2}});
  const auto identity = fc::categorical_column_with_identity("a", 3);
  EXPECT_THROW(DenseFeatures({}), ValueError);
  EXPECT_THROW(DenseFeatures({identity}), ValueError);
  EXPECT_THROW(DenseFeatures({numbers, numbers}), ValueError);
  EXPECT_THROW(DenseFeatures({fc::sequence_numeric_column("a")}), ValueError);
  EXPECT_THROW(SequenceFeatures({numbers}), ValueError);
  DenseFeatures layer({numbers});
  EXPECT_THROW(layer(Nest(Tensor::of<float>({1, 2}, {1, 2}))), ValueError);
  EXPECT_THROW(layer(Nest::dict({{"b", Tensor::of<float>({1, 2}, {1, 2})}})), ValueError);
  EXPECT_THROW(fc::numeric_column("a", {.shape = {0}}), ValueError);
  EXPECT_THROW(fc::bucketized_column(numbers, {3, 1}), ValueError);
  EXPECT_THROW(fc::bucketized_column(identity, {1}), ValueError);
  EXPECT_THROW(fc::categorical_column_with_identity("a", 0), ValueError);
  EXPECT_THROW(fc::categorical_column_with_identity("a", 2, 5), ValueError);
  EXPECT_THROW(fc::categorical_column_with_vocabulary_list("a", std::vector<std::string>{"x", "x"}),
               ValueError);
  EXPECT_THROW(fc::categorical_column_with_vocabulary_list(
                   "a", std::vector<std::string>{"x"}, {.default_value = 3, .num_oov_buckets = 1}),
               ValueError);
  EXPECT_THROW(fc::crossed_column({"a"}, 3), ValueError);
  EXPECT_THROW(fc::crossed_column({fc::categorical_column_with_hash_bucket("a", 3), "b"}, 3),
               ValueError);
  EXPECT_THROW(fc::embedding_column(identity, 0), ValueError);
  EXPECT_THROW(fc::embedding_column(identity, 2, {.combiner = "x"}), ValueError);
  EXPECT_THROW(fc::indicator_column(numbers), ValueError);
  EXPECT_THROW(fc::deserialize({{"class_name", "NoColumn"}, {"config", Json::object()}}),
               ValueError);
}

TEST(FeatureColumns, RowsOfZerosHaveAGradient) {
  DenseFeatures layer({fc::embedding_column(fc::categorical_column_with_identity("id", 3), 2,
                                            {.initializer = "zeros", .max_norm = 1.0})});
  GradientTape tape;
  const Tensor y = layer(Nest::dict({{"id", Tensor::of<int64_t>({0, 2}, {2, 1})}}));
  const Tensor gradient = tape.gradient(ops::sum(y), layer.trainable_variables()[0]);
  EXPECT_EQ(gradient.to_doubles(), (std::vector<double>{1, 1, 0, 0, 1, 1}));
}

TEST(FeatureColumns, NormalizersGetRawValues) {
  DenseFeatures layer({fc::numeric_column(
      "x", {.normalizer_fn = [](const Tensor& x) { return x - Tensor(int64_t{16777216}); }})});
  const Tensor x = Tensor::of<int64_t>({16777217, 16777219}, {2});
  const Tensor y = layer(Nest::dict({{"x", x}})).tensor();
  EXPECT_EQ(y.to_doubles(), (std::vector<double>{1, 3}));
}

}  // namespace
}  // namespace antler
