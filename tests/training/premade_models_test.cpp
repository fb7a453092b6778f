// LinearModel, WideDeepModel and SharpnessAwareMinimization, compared with tf_keras after some
// steps (tools/keras2_model_calls.py).
#include "antler/training/premade_models.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/nn/layers.h"
#include "antler/nn/optimizers.h"
#include "antler/nn/registry.h"
#include "antler/training/saving.h"
#include "antler/training/sequential.h"
#include "antler/training/sharpness_aware_minimization.h"
#include "support/formula_array.h"
#include "support/paths.h"

namespace antler {
namespace {

const Json& premade_case(const std::string& id) {
  static const Json all =
      Json::parse(read_file((test::data_dir() / "keras2_model_calls.json").string()));
  for (const Json& c : all["cases"]) {
    if (c["id"] == id) return c;
  }
  throw KeyError(id);
}

void expect_close(const Json& expected, const std::vector<double>& found, const std::string& what) {
  ASSERT_EQ(expected.size(), found.size()) << what;
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i].get<double>(), 2e-6) << what << " " << i;
  }
}

/// Keras 2 lists a model's own weights after those of its layers, Antler before them.
Variables in_keras_order(const Model& model) {
  Variables weights = model.weights();
  Variables own;
  if (model.class_name() == "WideDeepModel") {
    Variables ordered = in_keras_order(dynamic_cast<const Model&>(*model.get_layer({}, 0)));
    for (const Variable& v : model.get_layer({}, 1)->weights()) ordered.push_back(v);
    return ordered;
  }
  if (!weights.empty() && weights[0].name() == "bias") {
    weights.push_back(weights[0]);
    weights.erase(weights.begin());
  }
  return weights;
}

template <class M>
void expect_trains_as_keras(const std::string& id, M& model, const Nest& x,
                            const FitOptions& options = {}) {
  const Json& expected = premade_case(id);
  model(x);
  const Variables weights = in_keras_order(model);
  ASSERT_EQ(weights.size(), expected["weights"].size()) << id;
  for (size_t k = 0; k < weights.size(); ++k) {
    weights[k].assign(test::formula_array(20 + static_cast<int64_t>(k), weights[k].shape()));
  }
  FitOptions fit = options;
  fit.batch_size = 4;
  fit.epochs = 2;
  fit.shuffle = false;
  fit.verbose = 0;
  const History history = model.fit(x, test::formula_array(1, {8, 2}), fit);
  for (const auto& [name, values] : expected["history"].items()) {
    expect_close(values, *history.history.find(name), id + " " + name);
  }
  for (size_t k = 0; k < weights.size(); ++k) {
    expect_close(expected["weights"][k]["values"], weights[k].stored().to_doubles(),
                 id + " " + weights[k].path());
  }
  expect_close(expected["prediction"], model.predict(x).tensor().to_doubles(), id);
}

Sequential deep() {
  return Sequential({Dense(3, {.activation = "tanh", .kernel_regularizer = "l2"}), Dense(2)});
}
Sequential inner() { return Sequential({Input({4}), Dense(3, {.activation = "tanh"}), Dense(2)}); }

const CompileArguments kSgd = {.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"};

TEST(LinearModel, TrainsAsInKeras) {
  const Tensor x = test::formula_array(0, {8, 4});
  LinearModel one(2, {.activation = "tanh", .kernel_regularizer = "l2"});
  one.compile({.optimizer = "sgd", .loss = "mse"});
  expect_trains_as_keras("linear", one, x);
  LinearModel by_key(2);
  by_key.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
  expect_trains_as_keras("linear_dict", by_key,
                         Nest::dict({{"b", x}, {"a", test::formula_array(2, {8, 3})}}));
  EXPECT_THROW(by_key(Nest::dict({{"b", x}, {"c", x}})), ValueError);
  LinearModel list(2, {.use_bias = false});
  list.compile({.optimizer = "adam", .loss = "mae", .metrics = {"mse"}});
  expect_trains_as_keras("linear_list", list, {x, test::formula_array(2, {8, 3})});
  EXPECT_THROW(LinearModel(0), ValueError);
}

TEST(WideDeepModel, TrainsAsInKeras) {
  const Tensor x = test::formula_array(0, {8, 4});
  WideDeepModel two(LinearModel(2), deep(), {.activation = "sigmoid"});
  two.compile(optimizers::SGD({.learning_rate = 0.1}), optimizers::Adam({.learning_rate = 0.01}),
              {.loss = "mse", .metrics = {"mae"}});
  expect_trains_as_keras("wide_deep", two, {x, test::formula_array(2, {8, 3})});
  WideDeepModel one(LinearModel(2), deep());
  one.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
  expect_trains_as_keras("wide_deep_one_optimizer", one, x);
  EXPECT_THROW(WideDeepModel(Dense(2), deep()), TypeError);
}

TEST(SharpnessAwareMinimization, TrainsAsInKeras) {
  const Tensor x = test::formula_array(0, {8, 4});
  SharpnessAwareMinimization whole(inner(), {.rho = 0.1});
  whole.compile(
      {.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse", .metrics = {"mae"}});
  expect_trains_as_keras("sam", whole, x);
  SharpnessAwareMinimization split(inner(), {.num_batch_splits = 2});
  split.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "mse"});
  expect_trains_as_keras("sam_splits", split, x,
                         {.sample_weight = Tensor::of<float>({1, 2, 3, 4, 5, 6, 7, 8}, {8})});
  EXPECT_THROW(split.train_on_batch(test::formula_array(0, {3, 4}), test::formula_array(1, {3, 2})),
               ValueError);
  EXPECT_THROW(SharpnessAwareMinimization(inner(), {.num_batch_splits = 0}), ValueError);
  EXPECT_THROW(SharpnessAwareMinimization(Dense(2)), TypeError);
}

TEST(PremadeModels, ComeBackFromFiles) {
  const std::string path =
      (std::filesystem::temp_directory_path() / "antler_premade_model.keras").string();
  const Tensor x = test::formula_array(0, {8, 4});
  const Tensor y = test::formula_array(1, {8, 2});
  WideDeepModel model(LinearModel(2), inner(), {.activation = "tanh"});
  model.compile("sgd", optimizers::Adam({.learning_rate = 0.01}), {.loss = "mse"});
  model.fit(x, y, {.verbose = 0});
  model.save(path);
  auto again = load_model<WideDeepModel>(path);
  EXPECT_EQ(again.predict(x).tensor().to_doubles(), model.predict(x).tensor().to_doubles());
  EXPECT_EQ(again.optimizer().class_name(), "MultiOptimizer");
  EXPECT_EQ(*again.train_on_batch(x, y).find("loss"), *model.train_on_batch(x, y).find("loss"));
  EXPECT_EQ(serialize_layer(model)["module"], "keras.experimental");
  SharpnessAwareMinimization sam(inner(), {.rho = 0.2, .num_batch_splits = 4});
  sam.compile(kSgd);
  sam.fit(x, y, {.verbose = 0});
  sam.save(path);
  auto sam_again = load_model<SharpnessAwareMinimization>(path);
  EXPECT_EQ(sam_again.get_config(), sam.get_config());
  EXPECT_EQ(sam_again.predict(x).tensor().to_doubles(), sam.predict(x).tensor().to_doubles());
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace antler
