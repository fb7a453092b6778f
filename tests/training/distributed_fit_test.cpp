#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "antler/antler.h"

namespace antler {
namespace {

Tensor wave(const Shape& shape, double step) {
  Tensor t = Tensor::empty(DType::float32, shape);
  for (int64_t i = 0; i < t.size(); ++i)
    t.mutable_data<float>()[i] = static_cast<float>(std::sin(step * static_cast<double>(i + 1)));
  return t;
}

const int64_t kRows = 11;

/// A model made and compiled in the current scope.
Sequential narrow_model() {
  set_random_seed(4);
  Sequential model({Input({3}), Dense(4, {.activation = "tanh"}), Dense(1)});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
  return model;
}

std::vector<double> weights_of(const Model& model) {
  std::vector<double> weights;
  for (const Tensor& t : model.get_weights()) {
    for (const double v : t.to_doubles()) weights.push_back(v);
  }
  return weights;
}

void expect_weights_near(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5) << i;
}

data::Dataset rows() {
  return data::Dataset::from_tensor_slices({wave({kRows, 3}, 0.7), wave({kRows, 1}, 0.9)});
}

/// The weights after two epochs of three global batches of 4 rows.
std::vector<double> fitted(const distribute::Strategy& strategy, const FitData& x,
                           std::optional<int64_t> steps = {}) {
  const auto scope = strategy.scope();
  Sequential model = narrow_model();
  model.fit(x, {.epochs = 2, .verbose = 0, .steps_per_epoch = steps});
  return weights_of(model);
}

TEST(DistributedFit, AllStrategiesTrainAsOneDeviceDoes) {
  const std::vector<double> one = fitted(distribute::Strategy(), rows().batch(4));
  expect_weights_near(one, fitted(distribute::OneDeviceStrategy("CPU:0"), rows().batch(4)));
  expect_weights_near(one, fitted(distribute::CentralStorageStrategy(2), rows().batch(4)));
  expect_weights_near(one,
                      fitted(distribute::MirroredStrategy({"CPU:0", "CPU:1"}), rows().batch(4)));
}

TEST(DistributedFit, TakesADistributedDataset) {
  const std::vector<double> one = fitted(distribute::Strategy(), rows().batch(4));
  const distribute::MirroredStrategy strategy(2);
  const auto global = strategy.experimental_distribute_dataset(rows().batch(4).repeat());
  expect_weights_near(one, fitted(strategy, global, 3));
  EXPECT_THROW(fitted(strategy, global), ValueError);
  const auto local =
      strategy.distribute_datasets_from_function([](const data::InputContext& context) {
        return rows().take(8).batch(context.get_per_replica_batch_size(4)).repeat();
      });
  expect_weights_near(fitted(distribute::Strategy(), rows().take(8).batch(4)),
                      fitted(strategy, local, 2));
}

TEST(DistributedFit, ADatasetCreatorMakesBatchesOfReplicas) {
  const data::DatasetCreator creator([](const data::InputContext& context) {
    return rows().take(8).batch(context.get_per_replica_batch_size(4)).repeat();
  });
  const std::vector<double> one = fitted(distribute::Strategy(), creator, 2);
  const distribute::MirroredStrategy strategy(2);
  expect_weights_near(one, fitted(strategy, creator, 2));
  EXPECT_THROW(fitted(strategy, creator), ValueError);
  const auto scope = strategy.scope();
  Sequential model = narrow_model();
  EXPECT_THROW(model.evaluate(creator, {.verbose = 0}), ValueError);
  model.evaluate(creator, {.verbose = 0, .steps = 2});
  EXPECT_THROW(data::DatasetCreator(nullptr), TypeError);
}

// One weight, learning rate 1, rows x = y = 1, 2, 3 in parts of two and one.
TEST(DistributedFit, UnevenPartsCountByRowsOrByReplicas) {
  const auto step = [](distribute::UnevenBatches uneven) {
    const distribute::MirroredStrategy strategy(2, {.uneven_batches = uneven});
    const auto scope = strategy.scope();
    Sequential model({Input({1}), Dense(1, {.use_bias = false, .kernel_initializer = "zeros"})});
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 1}), .loss = "mse"});
    const Tensor x = Tensor::of<float>({1, 2, 3}, {3, 1});
    EXPECT_NEAR(*model.train_on_batch(x, x).find("loss"), 14.0 / 3, 1e-5);
    return model.get_weights()[0].item();
  };
  EXPECT_NEAR(step(distribute::UnevenBatches::exact), 2 * (1 + 4 + 9) / 3.0, 1e-5);
  EXPECT_NEAR(step(distribute::UnevenBatches::tensorflow), (2 * (1 + 4) / 2.0 + 2 * 9) / 2, 1e-5);
}

/// Assigns a weight in its call.
class Counter : public LayerBase<Counter> {
 public:
  explicit Counter(VariableAggregation aggregation) : aggregation_(aggregation) {}
  using LayerBase::call;
  void build(const Shape&) override {
    rows_ = add_weight({.shape = {},
                        .initializer = "zeros",
                        .trainable = false,
                        .aggregation = aggregation_,
                        .name = "rows"});
  }
  Tensor call(const Tensor& x) override {
    rows_.assign_add(Tensor(static_cast<float>(x.dim(0))));
    return x;
  }

 private:
  VariableAggregation aggregation_;
  Variable rows_;
};

TEST(DistributedFit, WhatLayersAssignIsAggregated) {
  const auto count = [](VariableAggregation aggregation) {
    const distribute::MirroredStrategy strategy(2);
    const auto scope = strategy.scope();
    Sequential model({Input({1}), Counter(aggregation), Dense(1)});
    model.compile({.optimizer = "sgd", .loss = "mse"});
    model.train_on_batch(wave({6, 1}, 1), wave({6, 1}, 1));
    return model.non_trainable_variables()[0].stored().item();
  };
  EXPECT_EQ(count(VariableAggregation::sum), 6);
  EXPECT_EQ(count(VariableAggregation::mean), 3);
  EXPECT_EQ(count(VariableAggregation::only_first_replica), 3);
  EXPECT_THROW(count(VariableAggregation::none), ValueError);
}

}  // namespace
}  // namespace antler
