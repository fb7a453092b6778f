#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/antler.h"
#include "antler/core/variable_shards.h"
#include "support/meshes.h"

// Training on a mesh of devices gives the same results as on one device. The expected figures come
// from Keras 3.15.1 with JAX on four CPU devices; tools/peers/distribution_cases.py prints them.
namespace antler {
namespace {

using distribution::DataParallel;
using distribution::Distribution;
using distribution::ModelParallel;
using distribution::TensorLayout;
using test::Layouts;
using test::mesh;
using test::model_parallel;
using Values = std::vector<double>;

/// Columns, then rows, as in Megatron (Shoeybi et al. 2019).
ModelParallel columns_then_rows(int64_t batch, int64_t model) {
  return model_parallel(mesh(batch, model), {{".*up/kernel", {None, "model"}},
                                             {".*up/bias", {"model"}},
                                             {".*down/kernel", {"model", None}}});
}

Tensor filled(const Shape& shape, int64_t factor, int64_t modulus, int64_t shift, double scale) {
  Tensor t = Tensor::empty(DType::float32, shape);
  for (int64_t i = 0; i < t.size(); ++i) {
    t.mutable_data<float>()[i] =
        static_cast<float>(static_cast<double>(i * factor % modulus - shift) * scale);
  }
  return t;
}

Tensor inputs() { return filled({8, 3}, 7, 11, 5, 0.2); }
Tensor targets() { return filled({8, 2}, 5, 7, 3, 0.3); }

/// The model of the figures, made in the current distribution.
Sequential two_layers(int64_t steps_per_execution = 1) {
  Sequential model(
      {Input({3}), Dense(4, {.activation = "relu", .name = "up"}), Dense(2, {.name = "down"})});
  model.set_weights({filled({3, 4}, 1, 5, 2, 0.1), filled({4}, 1, 100, 0, 0.05),
                     filled({4, 2}, 1, 3, 1, 0.2), Tensor::zeros(DType::float32, {2})});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.05}),
                 .loss = "mse",
                 .steps_per_execution = steps_per_execution});
  return model;
}

History fit(Model& model, int64_t batch_size = 4) {
  return model.fit(inputs(), targets(),
                   {.batch_size = batch_size, .epochs = 3, .verbose = 0, .shuffle = false});
}

Values values_of(const Tensors& tensors) {
  Values values;
  for (const Tensor& t : tensors) {
    for (const double v : t.to_doubles()) values.push_back(v);
  }
  return values;
}

Values values_of_weights(const Model& model) { return values_of(model.get_weights()); }

void expect_values_near(const Values& a, const Values& b, double tolerance = 1e-6) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << i;
}

/// Tests start and end without a distribution.
class DistributionFit : public ::testing::Test {
 protected:
  void TearDown() override { distribution::set_distribution(None); }
  static void use(const std::optional<Distribution>& value) {
    distribution::set_distribution(value);
  }
};

const Values kKerasLosses = {0.4153532087802887, 0.37467414140701294, 0.35223913192749023};
const Values kKerasWeights = {
    -0.4314765, 0.0687785,  -0.1975943, -0.1242091, 0.4314585,  -0.0404243, -0.0487843,
    0.0858438,  -0.1314585, 0.0454339,  0.0028285,  -0.1178575, 0.2314765,  -0.1078928,
    -0.0148066, 0.1511049,  -0.4310897, 0.2287041,  0.0596455,  -0.046903,  -0.0339423,
    0.0784185,  -0.0539505, -0.0794918, -0.1162242, 0.0279754};

TEST_F(DistributionFit, GivesTheFiguresOfKeras) {
  const std::vector<std::optional<Distribution>> all = {
      std::nullopt,
      DataParallel({.devices = {"cpu:0", "cpu:1"}}),
      DataParallel({.devices = {"cpu:0", "cpu:1", "cpu:2"}}),
      columns_then_rows(1, 2),
      columns_then_rows(1, 4),
      columns_then_rows(2, 2),
      columns_then_rows(4, 1),
  };
  for (size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(i);
    use(all[i]);
    for (const int64_t steps : {1, 2}) {
      Sequential model = two_layers(steps);
      const History history = fit(model);
      expect_values_near(history.history.at("loss"), kKerasLosses);
      expect_values_near(values_of_weights(model), kKerasWeights, 2e-6);
    }
  }
}

TEST_F(DistributionFit, DevicesHoldPartsOfKernelsAndSlots) {
  use(columns_then_rows(2, 2));
  Sequential model = two_layers();
  fit(model);
  const auto part_of = [](const Variable& v) {
    return v.shards() == nullptr ? Shape() : v.shards()->parts.at(1).shape();
  };
  const Variables weights = model.weights();
  ASSERT_EQ(weights.size(), 4U);
  EXPECT_EQ(part_of(weights[0]), (Shape{3, 2}));
  EXPECT_EQ(part_of(weights[1]), Shape{2});
  EXPECT_EQ(part_of(weights[2]), (Shape{2, 2}));
  EXPECT_EQ(weights[3].shards(), nullptr);
  EXPECT_FALSE(weights[0].shards()->parts[0].stored().id() ==
               weights[0].shards()->parts[1].stored().id());
  int divided = 0;
  for (const Variable& slot : model.optimizer().variables()) {
    for (const Variable& weight : weights) {
      if (slot.shape() != weight.shape() || slot.name().find(weight.name()) == std::string::npos)
        continue;
      if (weight.shards() == nullptr) continue;
      EXPECT_EQ(part_of(slot), part_of(weight)) << slot.path();
      ++divided;
    }
  }
  EXPECT_EQ(divided, 6) << "momentum and velocity of three weights";
}

/// The graph of the training step after the pass `partition` and the passes that clean up after it.
std::string graph_of_step(Model model, const Tensor& x, const Tensor& y) {
  std::string graph;
  config::set_dump_sink([&](const std::string&, const std::string& pass, const std::string& text) {
    if (pass == "dce" && graph.empty()) graph = text;
  });
  model.train_on_batch(x, y);
  config::set_dump_sink({});
  return graph;
}

TEST_F(DistributionFit, NoDeviceSeesAWholeKernel) {
  use(columns_then_rows(2, 2));
  const std::string dense =
      graph_of_step(two_layers(), filled({6, 3}, 7, 11, 5, 0.2), filled({6, 2}, 5, 7, 3, 0.3));
  EXPECT_NE(dense.find("(3, 2)"), std::string::npos);
  EXPECT_EQ(dense.find("(3, 4)"), std::string::npos) << dense;
  EXPECT_EQ(dense.find("(4, 2)"), std::string::npos) << dense;
  EXPECT_EQ(dense.find("concatenate"), std::string::npos) << "nothing but sums is exchanged";

  use(model_parallel(mesh(1, 2), {{".*table/embeddings", {"model", None}}}));
  Sequential words({Input({5}, {.dtype = "int32"}), Embedding(12, 4, {.name = "table"}),
                    GlobalAveragePooling1D(), Dense(2)});
  words.compile({.optimizer = "adam", .loss = "mse"});
  const std::string table = graph_of_step(words, Tensor::zeros(DType::int32, {8, 5}), targets());
  EXPECT_NE(table.find("(6, 4)"), std::string::npos);
  EXPECT_EQ(table.find("(12, 4)"), std::string::npos) << table;
}

TEST_F(DistributionFit, EvaluatesAndPredictsTheSame) {
  Sequential alone = two_layers();
  const Values predicted = alone.predict(inputs(), {.verbose = 0}).tensor().to_doubles();
  const double loss = *alone.evaluate(inputs(), targets(), {.verbose = 0}).find("loss");
  for (const Distribution& used :
       {Distribution(columns_then_rows(1, 2)), Distribution(columns_then_rows(2, 2))}) {
    use(used);
    Sequential model = two_layers();
    expect_values_near(model.predict(inputs(), {.verbose = 0}).tensor().to_doubles(), predicted);
    EXPECT_NEAR(*model.evaluate(inputs(), targets(), {.verbose = 0}).find("loss"), loss, 1e-6);
    expect_values_near(model(inputs()).to_doubles(), predicted);
  }
}

TEST_F(DistributionFit, UnevenBatches) {
  Sequential alone = two_layers();
  fit(alone, 3);
  for (const Distribution& used : {Distribution(DataParallel({.devices = {"cpu:0", "cpu:1"}})),
                                   Distribution(columns_then_rows(2, 2))}) {
    use(used);
    Sequential model = two_layers();
    fit(model, 3);
    expect_values_near(values_of_weights(model), values_of_weights(alone));
  }
}

TEST_F(DistributionFit, FilesHoldWholeVariables) {
  const auto folder = std::filesystem::temp_directory_path() / "antler_distribution_test";
  std::filesystem::create_directories(folder);
  const std::string whole = (folder / "model.keras").string();
  const std::string weights = (folder / "model.weights.h5").string();

  use(columns_then_rows(1, 2));
  Sequential model = two_layers();
  fit(model);
  model.save(whole);
  model.save_weights(weights);
  fit(model);  // a loaded model must do this, too

  // One device reads what two have written, and continues with the slots.
  use(std::nullopt);
  Sequential alone = two_layers();
  alone.load_weights(weights);
  expect_values_near(values_of_weights(alone), kKerasWeights, 2e-6);
  Model loaded = load_model(whole);
  EXPECT_EQ(loaded.weights()[0].shards(), nullptr);
  expect_values_near(values_of_weights(loaded), kKerasWeights, 2e-6);
  fit(loaded);
  expect_values_near(values_of_weights(loaded), values_of_weights(model));

  // Four read it as well.
  use(columns_then_rows(1, 4));
  Model divided = load_model(whole);
  ASSERT_NE(divided.weights()[0].shards(), nullptr);
  EXPECT_EQ(divided.weights()[0].shards()->parts.size(), 4U);
  fit(divided);
  expect_values_near(values_of_weights(divided), values_of_weights(model));
  std::filesystem::remove_all(folder);
}

/// The weights after a fit on `devices`, all the same without a distribution.
Values trained(const std::optional<Distribution>& devices, const std::function<Model()>& make,
               const Tensor& x, const Tensor& y) {
  distribution::set_distribution(devices);
  set_random_seed(3);
  Model model = make();
  model.fit(x, y, {.batch_size = 4, .epochs = 2, .verbose = 0, .shuffle = false});
  distribution::set_distribution(None);
  return values_of_weights(model);
}

void expect_as_on_one_device(const std::vector<Distribution>& all,
                             const std::function<Model()>& make, const Tensor& x, const Tensor& y,
                             double tolerance = 1e-6) {
  const Values alone = trained(std::nullopt, make, x, y);
  for (const Distribution& devices : all)
    expect_values_near(trained(devices, make, x, y), alone, tolerance);
}

std::vector<Distribution> on_meshes(const Layouts& layouts) {
  return {model_parallel(mesh(1, 2), layouts), model_parallel(mesh(2, 2), layouts)};
}

Tensor tokens() {
  return ops::cast(filled({8, 5}, 7, 11, 0, 1), DType::int32);  // 0 .. 10
}

TEST_F(DistributionFit, AnEmbeddingDividedByRowsOrColumns) {
  const auto make = [] {
    Sequential model({Input({5}, {.dtype = "int32"}), Embedding(12, 4, {.name = "table"}),
                      GlobalAveragePooling1D(), Dense(2)});
    model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.05}), .loss = "mse"});
    return Model(model);
  };
  for (const TensorLayout& layout : {TensorLayout({"model", None}), TensorLayout({None, "model"})})
    expect_as_on_one_device(on_meshes({{".*table/embeddings", layout}}), make, tokens(), targets());
  use(model_parallel(mesh(1, 2), {{".*table/embeddings", {"model", None}}}));
  const Model model = make();
  EXPECT_EQ(model.weights()[0].shards()->parts[1].shape(), (Shape{6, 4}));
}

TEST_F(DistributionFit, PenaltiesConstraintsAndEveryOptimizer) {
  const Layouts layouts = {{".*kernel", {None, "model"}}, {".*bias", {"model"}}};
  const std::vector<std::pair<const char*, std::function<OptimizerSpec()>>> all = {
      {"SGD",
       [] { return optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9, .clipnorm = 0.1}); }},
      {"AdamW", [] { return optimizers::AdamW({.learning_rate = 0.05, .global_clipnorm = 0.2}); }},
      {"accumulation", [] { return optimizers::Adam({.gradient_accumulation_steps = 2}); }},
      {"averages",
       [] { return optimizers::Adam({.use_ema = true, .ema_overwrite_frequency = 2}); }},
      {"Adafactor", [] { return optimizers::Adafactor({.learning_rate = 0.05}); }},
      {"Lamb", [] { return optimizers::Lamb({.learning_rate = 0.05}); }},
      {"RMSprop", [] { return optimizers::RMSprop({.learning_rate = 0.05}); }},
      {"Ftrl", [] { return optimizers::Ftrl({.learning_rate = 0.05}); }},
      {"Muon", [] { return optimizers::Muon({.learning_rate = 0.05}); }},
  };
  for (const auto& [name, optimizer] : all) {
    SCOPED_TRACE(name);
    const auto make = [&optimizer = optimizer] {
      Sequential model({Input({3}),
                        Dense(4, {.kernel_regularizer = "l2",
                                  .kernel_constraint = constraints::MaxNorm({.max_value = 0.7})}),
                        Dense(2, {.kernel_regularizer = "orthogonal_regularizer"})});
      model.compile({.optimizer = optimizer(), .loss = "mse"});
      return Model(model);
    };
    expect_as_on_one_device(on_meshes(layouts), make, inputs(), targets(), 2e-6);
  }
}

TEST_F(DistributionFit, LayersWithoutRulesOfTheirOwn) {
  const Layouts layouts = {{".*kernel", {None, "model"}},
                           {".*gamma", {"model"}},
                           {".*moving_mean", {"model"}},
                           {".*recurrent", {"model", None}}};
  const auto make = [] {
    Sequential model({Input({5}, {.dtype = "int32"}), Embedding(12, 4), BatchNormalization(),
                      LSTM(4, {.return_sequences = true}), LayerNormalization(), Dropout(0.0),
                      Flatten(), Dense(4, {.activation = "gelu"}), Dense(2)});
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.05}), .loss = "mse"});
    return Model(model);
  };
  // Batch normalization uses the statistics of the whole batch, as in Keras 3.
  std::vector<Distribution> all = on_meshes(layouts);
  all.push_back(DataParallel({.devices = {"cpu:0", "cpu:1"}}));
  expect_as_on_one_device(all, make, tokens(), targets(), 1e-5);
}

}  // namespace
}  // namespace antler
