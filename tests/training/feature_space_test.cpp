// FeatureSpace against figures and a file of Keras (tools/feature_space_calls.py).
#include "antler/training/feature_space.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/json.h"
#include "antler/core/string_handles.h"
#include "antler/nn/layers.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/training/model.h"
#include "support/paths.h"

namespace antler {
namespace {

Json figures() {
  return Json::parse(read_file((test::data_dir() / "feature_space.json").string()));
}

Tensor texts(const std::vector<std::string>& values) {
  return string_handles(StringTensor(values));
}

Nest seen() {
  return Nest::dict({{"a", Tensor::of<float>({0.1F, 0.2F, 0.3F, 0.5F})},
                     {"n", Tensor::of<float>({1, 2, 3, 7})},
                     {"r", Tensor::of<float>({1, 2, 3, 4})},
                     {"d", Tensor::of<float>({0, 1, 2, 3})},
                     {"ic", Tensor::of<int32_t>({3, 3, 5, 7})},
                     {"sc", texts({"x", "y", "x", "z"})},
                     {"sh", texts({"u", "v", "w", "u"})},
                     {"ih", Tensor::of<int32_t>({1, 2, 3, 4})}});
}

Nest with(const Nest& nest, const std::string& key, const Tensor& value) {
  Nest::Items items = nest.items();
  for (auto& [name, item] : items) {
    if (name == key) item = value;
  }
  return Nest::dict(std::move(items));
}

Nest unseen() {
  Nest rows = with(seen(), "n", Tensor::of<float>({0, -1, 2.5, 9}));
  rows = with(rows, "d", Tensor::of<float>({-5, 0.5, 1.5, 99}));
  rows = with(rows, "ic", Tensor::of<int32_t>({5, 8, 3, 7}));
  return with(rows, "sc", texts({"z", "q", "y", "x"}));
}

FeatureSpace keras_space(const std::string& mode) {
  return FeatureSpace({{"a", "float"},
                       {"n", "float_normalized"},
                       {"r", FeatureSpace::float_rescaled(0.5, 1.0)},
                       {"d", FeatureSpace::float_discretized(4)},
                       {"ic", "integer_categorical"},
                       {"sc", FeatureSpace::string_categorical({}, 2)},
                       {"sh", FeatureSpace::string_hashed(5)},
                       {"ih", FeatureSpace::integer_hashed(6)}},
                      {.output_mode = mode,
                       .crosses = {{"sc", "ic"}, FeatureSpace::cross({"ic", "ih"}, 8)},
                       .crossing_dim = 7});
}

void expect_near(const Tensor& got, const Json& want, const std::string& what) {
  const std::vector<double> values = got.to_doubles();
  ASSERT_EQ(values.size(), want.size()) << what;
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], want[i].get<double>(), 1e-5) << what << " " << i;
  }
}

TEST(FeatureSpace, GivesWhatKerasGives) {
  FeatureSpace concat = keras_space("concat");
  EXPECT_THROW(concat(seen()), ValueError);
  EXPECT_THROW(concat.get_inputs(), ValueError);
  concat.adapt(data::Dataset::from_tensor_slices(seen()));
  expect_near(concat(seen()).tensor(), figures()["concat_seen"], "seen");
  expect_near(concat(unseen()).tensor(), figures()["concat_new"], "new");

  FeatureSpace dict = keras_space("dict");
  dict.adapt(data::Dataset::from_tensor_slices(seen()).batch(3));
  const Nest encoded = dict(unseen());
  ASSERT_EQ(encoded.size(), 10U);
  const Json expected = figures()["dict_new"];
  for (const auto& [name, want] : expected.items()) {
    expect_near(encoded.at(name).tensor(), want, name);
  }
}

TEST(FeatureSpace, OneRowOfScalars) {
  FeatureSpace space = keras_space("concat");
  space.adapt(seen());
  const Nest row = *data::Dataset::from_tensor_slices(unseen()).begin();
  const Tensor y = space(row).tensor();
  EXPECT_EQ(y.shape(), (Shape{42}));
  const std::vector<double> all = space(unseen()).tensor().to_doubles();
  EXPECT_EQ(y.to_doubles(), std::vector<double>(all.begin(), all.begin() + 42));
}

TEST(FeatureSpace, FilesGoBothWays) {
  FeatureSpace theirs = FeatureSpace::load((test::data_dir() / "feature_space.keras").string());
  expect_near(theirs(unseen()).tensor(), figures()["concat_new"], "Keras's file");

  FeatureSpace ours = keras_space("concat");
  ours.adapt(seen());
  const std::string path =
      (std::filesystem::temp_directory_path() / "antler_feature_space.keras").string();
  ours.save(path);
  FeatureSpace again = FeatureSpace::load(path);
  expect_near(again(unseen()).tensor(), figures()["concat_new"], "our file");
  EXPECT_EQ(again.get_config()["crosses"], ours.get_config()["crosses"]);
  EXPECT_THROW(ours.save("/tmp/space.h5"), ValueError);
  EXPECT_THROW(keras_space("concat").save(path), ValueError);
  std::filesystem::remove(path);
}

TEST(FeatureSpace, FeedsAModelFromDataSetsOrFromWithin) {
  FeatureSpace space({{"age", "float_normalized"}, {"city", "string_categorical"}},
                     {.crosses = {}});
  const Nest rows = Nest::dict(
      {{"age", Tensor::of<float>({20, 30, 40, 50})}, {"city", texts({"a", "b", "a", "c"})}});
  const Tensor labels = Tensor::of<float>({0, 1, 0, 1}, {4, 1});
  space.adapt(rows);
  const data::Dataset batches = data::Dataset::from_tensor_slices(Nest{rows, labels})
                                    .batch(2)
                                    .map([space](const Nest& e) mutable -> Nest {
                                      return {space(e[0]), e[1]};
                                    });
  const Tensor x = Input({5});
  Model on_encoded(x, Dense(1)(x));
  on_encoded.compile({.optimizer = "adam", .loss = "mse"});
  EXPECT_EQ(on_encoded.fit(batches, {.epochs = 2, .verbose = 0}).history["loss"].size(), 2U);

  // The model that includes the preprocessing gives the same result.
  const Tensor encoded = space.get_encoded_features().tensor();
  EXPECT_EQ(encoded.shape(), (Shape{Shape::kUnknown, 5}));
  Model whole(space.get_inputs(), on_encoded(encoded));
  const Nest columns = Nest::dict({{"age", ops::expand_dims(rows.at("age").tensor(), -1)},
                                   {"city", ops::expand_dims(rows.at("city").tensor(), -1)}});
  const std::vector<double> want = on_encoded(space(rows).tensor()).to_doubles();
  const std::vector<double> got = whole.predict(columns).tensor().to_doubles();
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-6);
}

TEST(FeatureSpace, OwnPreprocessorsAndModes) {
  FeatureSpace space({{"t", FeatureSpace::feature("float32", Rescaling(2.0), "float")},
                      {"c", FeatureSpace::integer_categorical({}, 1, "int")},
                      {"b", FeatureSpace::float_discretized({}, std::vector<double>{0.0, 1.0})}},
                     {.output_mode = "dict", .crosses = {{"c", "c"}}});
  const Nest rows = Nest::dict({{"t", Tensor::of<float>({1, 2})},
                                {"c", Tensor::of<int32_t>({4, 4})},
                                {"b", Tensor::of<float>({-1, 0.5})}});
  space.adapt(rows);
  const Nest y = space(rows);
  EXPECT_EQ(y.at("t").tensor().to_doubles(), (std::vector<double>{2, 4}));
  EXPECT_EQ(y.at("c").tensor().to_doubles(), (std::vector<double>{1, 1}));
  EXPECT_EQ(y.at("b").tensor().to_doubles(), (std::vector<double>{1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(y.at("c_X_c").tensor().shape(), (Shape{2, 32}));
}

TEST(FeatureSpace, WhatDoesNotFitIsRefused) {
  EXPECT_THROW(FeatureSpace(FeatureSpace::Features{}), ValueError);
  EXPECT_THROW(FeatureSpace({{"a", "floats"}}, {.output_mode = "dict"}), ValueError);
  EXPECT_THROW(FeatureSpace({{"a", "float"}}, {.output_mode = "list"}), ValueError);
  EXPECT_THROW(FeatureSpace({{"a", "float"}}, {.crosses = {{"a", "b"}}}), ValueError);
  EXPECT_THROW(FeatureSpace::integer_hashed(3, "multi_hot"), ValueError);
  EXPECT_THROW(FeatureSpace::cross({"a", "b"}, 3, "float"), ValueError);
  FeatureSpace plain({{"a", "float"}, {"b", "float"}});
  EXPECT_THROW(plain(Nest::dict({{"a", Tensor::of<float>({1})}})), KeyError);
  EXPECT_THROW(plain(Nest::dict({{"z", Tensor::of<float>({1})}})), KeyError);
  EXPECT_THROW(plain(Nest(Tensor::of<float>({1}))), ValueError);
  FeatureSpace whole({{"a", FeatureSpace::integer_hashed(3, "int")}});
  EXPECT_THROW(whole(Nest::dict({{"a", Tensor::of<int32_t>({1})}})), ValueError);
  FeatureSpace floats({{"a", FeatureSpace::feature("float32", Rescaling(2.0), "one_hot")}});
  EXPECT_THROW(floats(Nest::dict({{"a", Tensor::of<float>({1})}})), ValueError);
}

TEST(FeatureSpace, ArgumentsByName) {
  FeatureSpace space(
      {.features = {{"d", FeatureSpace::float_discretized({.num_bins = 4})},
                    {"ic", FeatureSpace::integer_categorical({.num_oov_indices = 0})},
                    {"sc", FeatureSpace::string_categorical({.max_tokens = 4})},
                    {"ih", FeatureSpace::integer_hashed({.num_bins = 3})},
                    {"r", FeatureSpace::float_rescaled({.scale = 0.5})}},
       .output_mode = "concat",
       .crosses = {FeatureSpace::cross({.feature_names = {"ic", "sc"}, .crossing_dim = 5})}});
  FeatureSpace same({{"d", FeatureSpace::float_discretized(4)},
                     {"ic", FeatureSpace::integer_categorical({}, 0)},
                     {"sc", FeatureSpace::string_categorical(4)},
                     {"ih", FeatureSpace::integer_hashed(3)},
                     {"r", FeatureSpace::float_rescaled(0.5)}},
                    {.crosses = {FeatureSpace::cross({"ic", "sc"}, 5)}});
  Nest::Items items;
  for (const char* name : {"d", "ic", "sc", "ih", "r"}) items.emplace_back(name, seen().at(name));
  const Nest rows = Nest::dict(items);
  space.adapt(rows);
  same.adapt(rows);
  EXPECT_EQ(space(rows).tensor().to_doubles(), same(rows).tensor().to_doubles());
}

}  // namespace
}  // namespace antler
