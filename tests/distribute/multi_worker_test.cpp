#include "antler/distribute/multi_worker.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "antler/antler.h"
#include "antler/distribute/mirrored_strategy.h"
#include "support/worker_group.h"

namespace antler {
namespace {

using test::run_in_workers;

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

TEST(MultiWorker, ValuesOfAllWorkersAreGathered) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const auto strategy = distribute::multi_worker_strategy(group, 2);
  const auto rank = static_cast<float>(group->rank());
  // Worker 0 has 1 + 2 columns, worker 1 has 2 + 2.
  const Tensor first = Tensor::full(DType::float32, {2, 1 + group->rank()}, 10 * rank);
  const Tensor second = Tensor::full(DType::float32, {2, 2}, 10 * rank + 1);
  const Nest all = strategy.gather({Nest(first), Nest(second)}, -1);
  const std::vector<float> row = {0, 1, 1, 10, 10, 11, 11};
  std::vector<float> rows = row;
  rows.insert(rows.end(), row.begin(), row.end());
  EXPECT_EQ(all.shape(), (Shape{2, 7}));
  EXPECT_EQ(floats(all.tensor()), rows);
  EXPECT_THROW(strategy.gather({Nest(first), Nest(second)}, 2), ValueError);

  const auto traced = tf::function([&](const Tensor& x) {
    return strategy.gather({Nest(x), Nest(x)});
  });
  EXPECT_EQ(floats(traced(Tensor::full(DType::float32, {1}, rank)).tensor()),
            (std::vector<float>{0, 0, 1, 1}));
}

TEST(MultiWorker, SynchronizedBatchNormalization) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  expect_equal_training(distribute::multi_worker_strategy(group), 24, 8, 1, true);
}

/// The values of all workers; the test fails if they differ.
std::vector<float> expect_same_everywhere(ops::Communicator& group,
                                          const std::vector<float>& mine) {
  std::vector<float> all(static_cast<size_t>(group.size()) * mine.size());
  group.all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], mine[i % mine.size()]) << "at " << i;
  return mine;
}

TEST(MultiWorker, GradientsInSeveralMessagesTrainTheSame) {
  const auto group = run_in_workers(3);
  if (group == nullptr) return;
  // A batch of one row, too, for which only the first worker has data.
  for (const int64_t rows : {24, 17}) {
    const Figures whole = train(distribute::multi_worker_strategy(group), rows, 8, 2, true);
    const Figures divided =
        train(distribute::multi_worker_strategy(group, 1, distribute::UnevenBatches::exact,
                                                {.bytes_per_pack = 50}),
              rows, 8, 2, true);
    EXPECT_EQ(whole.weights, divided.weights);
    EXPECT_EQ(whole.losses, divided.losses);
    EXPECT_EQ(whole.maes, divided.maes);
  }
}

TEST(MultiWorker, OnlyGradientsAreRounded) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const Figures exact = train(distribute::multi_worker_strategy(group), 24, 8, 1, true);
  for (const DType dtype : {DType::bfloat16, DType::float16}) {
    const Figures rounded =
        train(distribute::multi_worker_strategy(group, 1, distribute::UnevenBatches::exact,
                                                {.bytes_per_pack = 50, .dtype = dtype}),
              24, 8, 1, true);
    expect_same_everywhere(*group, rounded.weights);
    EXPECT_NE(rounded.weights, exact.weights);
    expect_close(rounded.weights, exact.weights, 0.02);
    // The loss of the first step is not rounded: its weights are the initial ones.
    EXPECT_NEAR(rounded.losses[0], exact.losses[0], 2e-3);
  }
}

TEST(MultiWorker, MetricsAndStatisticsAreNotRounded) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  // Without updates nothing but metrics and moving statistics travels.
  const auto figures = [&](const ops::GradientMessages& messages) {
    const auto strategy =
        distribute::multi_worker_strategy(group, 1, distribute::UnevenBatches::exact, messages);
    const auto scope = strategy.scope();
    set_random_seed(3);
    Sequential model({layers::Input({5}), BatchNormalization(), Dense(2)});
    model.compile(
        {.optimizer = optimizers::SGD({.learning_rate = 0.0}), .loss = "mse", .metrics = {"mae"}});
    const History history = model.fit(pattern({24, 5}, 0.7), pattern({24, 2}, 0.3), kw::epochs = 2,
                                      kw::batch_size = 8, kw::verbose = 0);
    std::vector<float> values;
    for (const Variable& variable : model.weights()) {
      for (const float value : floats(variable.value())) values.push_back(value);
    }
    for (const double loss : history.history.at("loss")) values.push_back(static_cast<float>(loss));
    for (const double mae : history.history.at("mae")) values.push_back(static_cast<float>(mae));
    return values;
  };
  EXPECT_EQ(figures({.dtype = DType::bfloat16}), figures({}));
}

TEST(MultiWorker, WrongMessagesAreRefused) {
  for (const ops::GradientMessages& messages :
       {ops::GradientMessages{.bytes_per_pack = -1}, ops::GradientMessages{.dtype = DType::float64},
        ops::GradientMessages{.dtype = DType::int32}}) {
    EXPECT_THROW(
        distribute::multi_worker_strategy(nullptr, 1, distribute::UnevenBatches::exact, messages),
        ValueError);
  }
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
