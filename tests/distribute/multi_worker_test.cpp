#include "antler/distribute/multi_worker.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "antler/antler.h"
#include "antler/distribute/mirrored_strategy.h"
#include "support/worker_group.h"

namespace antler {
namespace {

using testing::run_in_workers;

Tensor pattern(const Shape& shape, double step) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(std::sin(static_cast<double>(i) * step));
  return Tensor::of<float>(values).reshape(shape);
}

struct Figures {
  std::vector<double> losses;
  std::vector<double> maes;
  std::vector<float> weights;
  std::vector<float> predictions;
};

std::vector<float> floats(const Tensor& t) {
  const auto values = t.to_vector<float>();
  return {values.begin(), values.end()};
}

/// Trains a small model in the scope of `strategy`.
Figures train(const distribute::Strategy& strategy, int64_t rows, int64_t batch, int64_t spe,
              bool normalized = false) {
  set_random_seed(11);
  const auto scope = strategy.scope();
  Sequential model({layers::Input({5}), Dense(7, {.activation = "tanh"})});
  if (normalized) model.add(BatchNormalization({.synchronized = true}));
  model.add(Dense(2));
  model.compile("adam", "mse", kw::metrics = "mae", kw::steps_per_execution = spe);
  const Tensor x = pattern({rows, 5}, 0.7);
  const Tensor y = pattern({rows, 2}, 0.3);
  const History history = model.fit(x, y, kw::epochs = 3, kw::batch_size = batch, kw::verbose = 0);
  Figures figures{history.history.at("loss"), history.history.at("mae"), {}, {}};
  for (const Variable& variable : model.weights()) {
    const auto values = floats(variable.value());
    figures.weights.insert(figures.weights.end(), values.begin(), values.end());
  }
  figures.predictions = floats(model.predict(x, kw::batch_size = batch, kw::verbose = 0).tensor());
  return figures;
}

template <class T>
void expect_close(const std::vector<T>& a, const std::vector<T>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "at " << i;
}

void expect_equal_training(const distribute::Strategy& strategy, int64_t rows, int64_t batch,
                           int64_t spe = 1, bool normalized = false) {
  const Figures alone = train(distribute::Strategy(), rows, batch, spe, normalized);
  const Figures together = train(strategy, rows, batch, spe, normalized);
  expect_close(alone.losses, together.losses, 2e-6);
  expect_close(alone.maes, together.maes, 2e-6);
  expect_close(alone.weights, together.weights, 2e-5);
  expect_close(alone.predictions, together.predictions, 2e-5);
}

TEST(MultiWorker, EvenBatchesTrainLikeOneProcess) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  expect_equal_training(distribute::multi_worker_strategy(group), 24, 8);
}

TEST(MultiWorker, UnevenBatchesTrainLikeOneProcess) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  expect_equal_training(distribute::multi_worker_strategy(group), 23, 8);
}

TEST(MultiWorker, WorkersWithoutRowsTakePart) {
  const auto group = run_in_workers(3);
  if (group == nullptr) return;
  expect_equal_training(distribute::multi_worker_strategy(group), 17, 8);
}

TEST(MultiWorker, SeveralStepsPerExecution) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  expect_equal_training(distribute::multi_worker_strategy(group), 30, 4, 5);
}

TEST(MultiWorker, SeveralReplicasPerWorker) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const auto strategy = distribute::multi_worker_strategy(group, 2);
  EXPECT_EQ(strategy.num_replicas_in_sync(), 4);
  expect_equal_training(strategy, 30, 8);
}

TEST(MultiWorker, SynchronizedBatchNormalization) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  expect_equal_training(distribute::multi_worker_strategy(group), 24, 8, 1, true);
}

TEST(MultiWorker, VariablesStartWithTheValuesOfWorkerZero) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const auto strategy = distribute::multi_worker_strategy(group);
  set_random_seed(static_cast<uint64_t>(group->rank()));
  const auto scope = strategy.scope();
  Sequential model({layers::Input({3}), Dense(4)});
  const std::vector<float> mine = floats(model.weights()[0].value());
  std::vector<float> all(2 * mine.size());
  group->all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  EXPECT_EQ(std::vector<float>(all.begin(), all.begin() + 12), mine);
  EXPECT_EQ(std::vector<float>(all.begin() + 12, all.end()), mine);
}

TEST(MultiWorker, ShufflesAreTheSame) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  distribute::multi_worker_strategy(group);
  const uint32_t mine = next_random_seed();
  std::vector<uint32_t> all(2);
  group->all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  EXPECT_EQ(all[0], all[1]);
}

}  // namespace
}  // namespace antler
