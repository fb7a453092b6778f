#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "antler/antler.h"

namespace antler {
namespace {

Tensor centered_ramp(const Shape& shape, double scale) {
  Tensor t = Tensor::empty(DType::float32, shape);
  for (int64_t i = 0; i < t.size(); ++i)
    t.mutable_data<float>()[i] = static_cast<float>(scale * static_cast<double>(i % 11 - 5));
  return t;
}

/// A small network with a regularizing loss, trained on `replicas` replicas.
struct Run {
  std::vector<double> weights;
  HostLogs logs;
  std::vector<double> history;
};

Run train(int64_t replicas, int64_t steps_per_execution, bool eager = false,
          const std::string& reduction = "sum_over_batch_size") {
  const distribute::MirroredStrategy strategy(replicas);
  const auto scope = strategy.scope();
  set_random_seed(3);
  Sequential model({Input({3}), Dense(4, {.activation = "tanh"}), Dense(1)});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.05}),
                 .loss = losses::MeanSquaredError({.reduction = reduction}),
                 .metrics = {"mae"},
                 .weighted_metrics = {"mse"},
                 .run_eagerly = eager,
                 .steps_per_execution = steps_per_execution});
  const Tensor x = centered_ramp({11, 3}, 0.2);
  const Tensor y = centered_ramp({11, 1}, 0.3);
  const Tensor w = ops::absolute(centered_ramp({11}, 0.5));
  Run run;
  const History h = model.fit(
      x, y, {.batch_size = 4, .epochs = 3, .verbose = 0, .shuffle = false, .sample_weight = w});
  run.history = *h.history.find("loss");
  run.logs = model.evaluate(x, y, {.batch_size = 4, .verbose = 0, .sample_weight = w});
  for (const Tensor& t : model.get_weights()) {
    for (const double v : t.to_doubles()) run.weights.push_back(v);
  }
  EXPECT_EQ(model.optimizer().iterations().stored().item(), 9);
  return run;
}

void expect_near(const Run& a, const Run& b) {
  ASSERT_EQ(a.weights.size(), b.weights.size());
  for (size_t i = 0; i < a.weights.size(); ++i) EXPECT_NEAR(a.weights[i], b.weights[i], 2e-5) << i;
  for (const auto& [name, value] : a.logs) EXPECT_NEAR(value, *b.logs.find(name), 1e-5) << name;
  for (size_t i = 0; i < a.history.size(); ++i) EXPECT_NEAR(a.history[i], b.history[i], 1e-5);
}

// Batches of 4 rows in two parts of 2; the last one of 3 rows in 2 and 1.
TEST(MirroredStrategy, TrainsAsOneDeviceDoes) { expect_near(train(1, 1), train(2, 1)); }

// 4 rows among 3 replicas: 2, 2 and none; the last batch 1, 1, 1.
TEST(MirroredStrategy, UnevenPartsAndReplicasWithoutRows) {
  expect_near(train(1, 1), train(3, 1));
  expect_near(train(1, 1), train(8, 1));
}

TEST(MirroredStrategy, SeveralStepsPerExecutionAndEagerly) {
  expect_near(train(1, 1), train(2, 3));
  expect_near(train(1, 1), train(2, 1, /*eager=*/true));
}

TEST(MirroredStrategy, SumsAreSumsOverAllReplicas) {
  expect_near(train(1, 1, false, "sum"), train(2, 1, false, "sum"));
  expect_near(train(1, 1, false, "sum"), train(3, 1, false, "sum"));
}

TEST(MirroredStrategy, PredictionsComeInOrder) {
  const distribute::MirroredStrategy strategy(3);
  const auto scope = strategy.scope();
  Sequential model({Input({1}), Dense(1, {.use_bias = false})});
  model.set_weights({Tensor::of<float>({2}, {1, 1})});
  const Tensor x = centered_ramp({10, 1}, 1);
  const std::vector<double> got =
      model.predict(x, {.batch_size = 4, .verbose = 0}).tensor().to_doubles();
  for (size_t i = 0; i < 10; ++i) EXPECT_EQ(got[i], 2 * x.to_doubles()[i]);
}

// Keras: moving statistics are the mean of the replicas' own.
TEST(MirroredStrategy, BatchNormalizationTakesTheRowsOfItsReplica) {
  const distribute::MirroredStrategy strategy(2);
  const auto scope = strategy.scope();
  Sequential model({Input({1}), BatchNormalization({.momentum = 0.5})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}), .loss = "mse"});
  const Tensor x = Tensor::of<float>({1, 3, 10, 20}, {4, 1});
  model.train_on_batch(x, x);
  const std::vector<Tensor> weights = model.get_weights();  // gamma, beta, mean, variance
  // Rows 1, 3: mean 2, variance 1. Rows 10, 20: mean 15, variance 25.
  EXPECT_NEAR(weights[2].item(), 0.5 * 0 + 0.5 * (2 + 15) / 2, 1e-5);
  EXPECT_NEAR(weights[3].item(), 0.5 * 1 + 0.5 * (1 + 25) / 2, 1e-5);
}

TEST(MirroredStrategy, SynchronizedBatchNormalizationTakesTheWholeBatch) {
  const auto trained = [](int64_t replicas) {
    const distribute::MirroredStrategy strategy(replicas);
    const auto scope = strategy.scope();
    set_random_seed(5);
    Sequential model({Input({3}), Dense(4),
                      BatchNormalization({.momentum = 0.5, .synchronized = true}), Dense(1)});
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
    for (int step = 0; step < 3; ++step) {
      model.train_on_batch(centered_ramp({6, 3}, 0.2 + step), centered_ramp({6, 1}, 0.3));
    }
    return model.get_weights();
  };
  const std::vector<Tensor> one = trained(1);
  const std::vector<Tensor> three = trained(3);
  ASSERT_EQ(one.size(), three.size());
  for (size_t k = 0; k < one.size(); ++k) {
    const std::vector<double> a = one[k].to_doubles();
    const std::vector<double> b = three[k].to_doubles();
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 2e-4 * (1 + std::abs(a[i])));
  }
}

TEST(MirroredStrategy, DropoutDiffersBetweenReplicas) {
  const distribute::MirroredStrategy strategy(2);
  const auto scope = strategy.scope();
  set_random_seed(1);
  Dropout dropout(0.5);
  const Tensor x = Tensor::full(DType::float32, {2, 64}, 1);
  const auto results = strategy.run(
      [&](const Nest& part) -> Nest { return dropout(part.tensor(), {.training = true}); },
      strategy.split(x));
  EXPECT_NE(results[0].tensor().to_doubles(), results[1].tensor().to_doubles());
}

TEST(Strategy, RunReduceAndGather) {
  using distribute::ReduceOp;
  const distribute::MirroredStrategy strategy(2);
  EXPECT_EQ(strategy.num_replicas_in_sync(), 2);
  const auto parts = strategy.split(Tensor::of<float>({1, 2, 3}));
  EXPECT_EQ(parts[0].tensor().to_doubles(), (std::vector<double>{1, 2}));
  EXPECT_EQ(parts[1].tensor().to_doubles(), (std::vector<double>{3}));
  const auto doubled = strategy.run(
      [](const Nest& x) -> Nest {
        EXPECT_NE(distribute::get_replica_context(), nullptr);
        return ops::sum(x.tensor()) *
               static_cast<double>(distribute::get_replica_context()->replica_id_in_sync_group + 1);
      },
      parts);
  {
    const auto scope = strategy.scope();
    EXPECT_EQ(distribute::get_replica_context(), nullptr);
  }
  EXPECT_NE(distribute::get_replica_context(), nullptr);  // that of the default strategy
  EXPECT_EQ(strategy.reduce(ReduceOp::sum, doubled).tensor().item(), 3 + 6);
  EXPECT_EQ(strategy.reduce(ReduceOp::mean, doubled).tensor().item(), 4.5);
  // With an axis the mean is over all entries, not the mean of the means.
  EXPECT_EQ(strategy.reduce(ReduceOp::mean, parts, 0).tensor().item(), 2);
  EXPECT_THROW(strategy.reduce(ReduceOp::mean, parts, 1), ValueError);
  EXPECT_EQ(strategy.gather(parts).tensor().to_doubles(), (std::vector<double>{1, 2, 3}));
  EXPECT_THROW(strategy.run([](const Nest& x) { return x; }, {parts[0]}), ValueError);
  EXPECT_THROW(distribute::MirroredStrategy(0), ValueError);
}

TEST(Strategy, CollectivesConnectTheReplicas) {
  const distribute::MirroredStrategy strategy(2);
  const auto parts = strategy.split(Tensor::of<float>({1, 2, 3, 5}));
  const auto results = strategy.run(
      [](const Nest& x) -> Nest {
        return Nest{ops::all_reduce(x.tensor()), ops::all_reduce(x.tensor(), ops::ReduceOp::max),
                    ops::all_gather(x.tensor())};
      },
      parts);
  for (const Nest& r : results) {
    EXPECT_EQ(r[0].tensor().to_doubles(), (std::vector<double>{4, 7}));
    EXPECT_EQ(r[1].tensor().to_doubles(), (std::vector<double>{3, 5}));
    EXPECT_EQ(r[2].tensor().to_doubles(), (std::vector<double>{1, 2, 3, 5}));
  }
}

TEST(Strategy, ScopesDoNotMix) {
  const distribute::MirroredStrategy one(2);
  const distribute::MirroredStrategy other(2);
  Sequential outside({Input({1}), Dense(1)});
  EXPECT_FALSE(distribute::has_strategy());
  {
    const auto scope = one.scope();
    EXPECT_TRUE(distribute::has_strategy());
    const auto again = one.scope();
    EXPECT_THROW(other.scope(), RuntimeError);
    Sequential inside({Input({1}), Dense(1)});
    EXPECT_EQ(inside.distribute_strategy().num_replicas_in_sync(), 2);
    EXPECT_THROW(outside.compile({.loss = "mse"}), ValueError);
  }
  EXPECT_FALSE(distribute::has_strategy());
  EXPECT_EQ(outside.distribute_strategy().num_replicas_in_sync(), 1);
}

TEST(Strategy, CompileRefusesWhatWasMadeInAnotherScope) {
  const distribute::MirroredStrategy strategy(2);
  Dense outside(1);
  outside(centered_ramp({1, 1}, 1));
  const metrics::Mean early;
  std::optional<metrics::Mean> late;
  optimizers::SGD slots({.learning_rate = 0.1, .momentum = 0.9});
  optimizers::SGD outer({.learning_rate = 0.1, .momentum = 0.9});
  outer.build(outside.weights());
  {
    const auto scope = strategy.scope();
    late.emplace();
    slots.build(outside.weights());
    // The model is of this scope, one of its layers is not.
    Sequential mixed({Input({1}), outside});
    EXPECT_THROW(mixed.compile({.loss = "mse"}), ValueError);
    Sequential model({Input({1}), Dense(1)});
    EXPECT_TRUE(strategy.variable_created_in_scope(model.weights()[0]));
    EXPECT_FALSE(distribute::Strategy().variable_created_in_scope(model.weights()[0]));
    EXPECT_THROW(model.compile({.loss = "mse", .metrics = {early}}), ValueError);
    EXPECT_THROW(model.compile({.optimizer = outer, .loss = "mse"}), ValueError);
    model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {*late}});
  }
  Sequential plain({Input({1}), outside});
  EXPECT_THROW(plain.compile({.loss = "mse", .weighted_metrics = {*late}}), ValueError);
  EXPECT_THROW(plain.compile({.optimizer = slots, .loss = "mse"}), ValueError);
  plain.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_EQ(
      plain.fit(centered_ramp({4, 1}, 1), centered_ramp({4, 1}, 1), {.verbose = 0}).epoch.size(),
      1U);
}

TEST(Strategy, WhatFitMakesIsOfTheModelsScope) {
  const distribute::MirroredStrategy strategy(2);
  std::optional<Sequential> model;
  {
    const auto scope = strategy.scope();
    model.emplace(Sequential({Dense(1)}));
    model->compile({.optimizer = "sgd", .loss = "mse", .metrics = {"mae"}});
  }
  model->fit(centered_ramp({4, 1}, 1), centered_ramp({4, 1}, 1), {.verbose = 0});
  for (const Variable& v : model->weights()) EXPECT_TRUE(strategy.variable_created_in_scope(v));
  for (const Variable& v : model->metrics().back()->variables())
    EXPECT_TRUE(strategy.variable_created_in_scope(v));
  model->compile({.optimizer = "sgd", .loss = "mse"});  // outside of the scope: of the model's
  EXPECT_FALSE(distribute::has_strategy());
}

/// Custom logs, one value per replica.
class OwnLogs : public Model {
 public:
  OwnLogs() : Model(LayerOptions{}) {}
  Tensor call(const Tensor& x, const CallOptions&) override { return x; }
  Logs test_step(const Batch& batch) override { return {{"rows", ops::sum(batch.x.tensor())}}; }
};

TEST(Strategy, OutputsOfReplicasBecomeOneByTheModelsMethod) {
  const distribute::MirroredStrategy strategy(2);
  const auto scope = strategy.scope();
  OwnLogs model;
  model.compile({});
  const Tensor x = Tensor::of<float>({1, 2, 3, 4}, {4, 1});
  EXPECT_EQ(*model.test_on_batch(x).find("rows"), 10);
  model.set_distribute_reduction_method("first");
  EXPECT_EQ(*model.test_on_batch(x).find("rows"), 3);
  EXPECT_THROW(model.set_distribute_reduction_method("last"), ValueError);
}

}  // namespace
}  // namespace antler
