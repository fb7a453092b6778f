// The parts of a data set that several workers read.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "antler/antler.h"
#include "antler/data/record_datasets.h"
#include "antler/data/sharding.h"
#include "antler/distribute/distributed_dataset.h"
#include "antler/distribute/multi_worker.h"
#include "antler/io/tfrecord.h"
#include "support/worker_group.h"

namespace antler {
namespace {

using data::AutoShardPolicy;
using data::Dataset;
using test::run_in_workers;
using Numbers = std::vector<int64_t>;

/// Sample i of a small regression.
Nest sample(int64_t i) {
  const auto at = static_cast<double>(i);
  const std::vector<float> x = {static_cast<float>(std::sin(at)), static_cast<float>(std::cos(at))};
  return Nest{Tensor::of<float>(x), Tensor::of<float>({static_cast<float>(std::sin(3 * at))})};
}

Dataset samples(const Numbers& numbers) {
  std::vector<Nest> elements;
  for (const int64_t i : numbers) elements.push_back(sample(i));
  return Dataset::from_generator([elements] { return elements; });
}

/// The batches of the given samples, one after the other.
Dataset batches(const std::vector<Numbers>& numbers) {
  std::vector<Nest> elements;
  for (const Numbers& batch : numbers) {
    for (const Nest& element : samples(batch).batch(100)) elements.push_back(element);
  }
  return Dataset::from_generator([elements] { return elements; });
}

/// Records with the numbers of samples, in one file per list.
Dataset files(const ops::Communicator& group, const std::vector<Numbers>& numbers) {
  std::vector<std::string> paths;
  for (const Numbers& file : numbers) {
    paths.push_back(testing::TempDir() +
                    format("worker_data_{}_{}_{}", getpid(), group.rank(), paths.size()));
    io::TFRecordWriter writer(paths.back());
    for (const int64_t i : file) writer.write(std::to_string(i));
    writer.flush();
  }
  return data::from_tfrecords(
      paths, [](std::string_view record) { return sample(std::stoll(std::string(record))); });
}

Dataset with(const Dataset& dataset, AutoShardPolicy policy) {
  return dataset.with_options({.experimental_distribute = {.auto_shard_policy = policy}});
}

struct FitResult {
  std::vector<double> losses;
  double evaluated;
  std::vector<double> kernel;
};

FitResult train(const distribute::Strategy& strategy, const Dataset& dataset) {
  set_random_seed(5);
  const auto scope = strategy.scope();
  Sequential model({layers::Input({2}), Dense(1)});
  model.compile(optimizers::SGD(0.3), "mse");
  const History history = model.fit(dataset, kw::epochs = 2, kw::verbose = 0);
  return {history.history.at("loss"), model.evaluate(dataset, kw::verbose = 0).at("loss"),
          model.weights()[0].value().to_doubles()};
}

/// Trains on `shared` in two workers as on `alone` in one process.
void expect_equal_training(const distribute::Strategy& strategy, const Dataset& shared,
                           const Dataset& alone) {
  const FitResult a = train(distribute::Strategy(), alone);
  const FitResult b = train(strategy, shared);
  ASSERT_EQ(a.losses.size(), b.losses.size());
  for (size_t i = 0; i < a.losses.size(); ++i) EXPECT_NEAR(a.losses[i], b.losses[i], 1e-6);
  for (size_t i = 0; i < a.kernel.size(); ++i) EXPECT_NEAR(a.kernel[i], b.kernel[i], 1e-6);
  EXPECT_NEAR(a.evaluated, b.evaluated, 1e-6);
}

TEST(WorkerData, EachWorkerReadsItsFiles) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const auto strategy = distribute::multi_worker_strategy(group);
  // In each step every worker takes half a batch of its file; at the third step the second worker
  // has no data left.
  const Dataset dataset = files(*group, {{0, 1, 2, 3, 4}, {10, 11, 12}}).batch(4);
  expect_equal_training(strategy, dataset, batches({{0, 1, 10, 11}, {2, 3, 12}, {4}}));
}

TEST(WorkerData, EachWorkerReadsEverythingIfShardingIsOff) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const auto strategy = distribute::multi_worker_strategy(group);
  const Nest rows{ops::ones({6, 2}) * ops::reshape(ops::arange(6.0), {6, 1}) * 0.1,
                  ops::reshape(ops::arange(6.0), {6, 1})};
  const Dataset dataset = with(Dataset::from_tensor_slices(rows).batch(4), AutoShardPolicy::off);
  // As many steps as the data set has batches, each of half a batch.
  const Dataset expected = Dataset::from_tensor_slices(rows).batch(2).take(2);
  expect_equal_training(strategy, dataset, expected);
}

TEST(WorkerData, HintsShardWithinThePipeline) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const auto strategy = distribute::multi_worker_strategy(group);
  const Dataset own =
      samples({0, 1, 2, 3, 4, 5, 6}).shard(data::SHARD_HINT, data::SHARD_HINT).batch(2);
  // Worker 0 has 0, 2, 4, 6, and worker 1 has 1, 3, 5.
  expect_equal_training(strategy, with(own, AutoShardPolicy::hint),
                        batches({{0, 1}, {2, 3}, {4, 5}, {6}}));
}

TEST(WorkerData, PredictionsKeepTheOrderOfFiles) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const auto strategy = distribute::multi_worker_strategy(group);
  const auto scope = strategy.scope();
  Sequential model({layers::Input({2}), Dense(1)});
  const Dataset dataset = files(*group, {{0, 1, 2}, {3, 4}, {5, 6}}).batch(4);
  const auto together = model.predict(dataset, kw::verbose = 0).tensor().to_doubles();
  ASSERT_EQ(together.size(), 7U);
  size_t i = 0;
  for (const Nest& batch : batches({{0, 1, 2, 3, 4, 5, 6}})) {
    for (const double expected : model(batch[0].tensor()).to_doubles())
      EXPECT_NEAR(together[i++], expected, 1e-6);
  }
}

TEST(WorkerData, CreatorsMayHaveUnevenData) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const auto strategy = distribute::multi_worker_strategy(group);
  const auto scope = strategy.scope();
  Sequential model({layers::Input({2}), Dense(1)});
  model.compile("sgd", "mse");
  const data::DatasetCreator creator([](const data::InputContext& input) {
    return input.input_pipeline_id == 0 ? batches({{0, 1, 2}, {3, 4}, {5}}) : batches({{10}});
  });
  const double together = model.evaluate(creator, kw::steps = 3, kw::verbose = 0).at("loss");
  const double alone =
      model.evaluate(batches({{0, 1, 2, 10}, {3, 4}, {5}}), kw::verbose = 0).at("loss");
  EXPECT_NEAR(together, alone, 1e-6);
}

TEST(WorkerData, ErrorsInOneWorkersDataEndAll) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const auto strategy = distribute::multi_worker_strategy(group);
  const auto scope = strategy.scope();
  Sequential model({layers::Input({2}), Dense(1)});
  model.compile("sgd", "mse");
  const bool fails = group->rank() == 1;
  const auto read = [fails](const Nest& element) {
    if (fails) throw IOError("torn");
    return element;
  };
  const Dataset dataset = with(samples({0, 1, 2}).map(read).batch(2), AutoShardPolicy::off);
  if (fails) {
    EXPECT_THROW(model.fit(dataset, kw::verbose = 0), IOError);
  } else {
    EXPECT_THROW(model.fit(dataset, kw::verbose = 0), UnavailableError);
  }
}

TEST(WorkerData, FewerFilesThanWorkers) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const auto strategy = distribute::multi_worker_strategy(group);
  const auto scope = strategy.scope();
  Sequential model({layers::Input({2}), Dense(1)});
  model.compile("sgd", "mse");
  const Dataset one = with(files(*group, {{0, 1, 2}}).batch(2), AutoShardPolicy::file);
  EXPECT_THROW(model.fit(one, kw::verbose = 0), ValueError);
  EXPECT_THROW(strategy.experimental_distribute_dataset(one), ValueError);
  const Dataset none = with(samples({0, 1}).batch(2), AutoShardPolicy::file);
  EXPECT_THROW(model.fit(none, kw::verbose = 0), ValueError);
}

using Rows = std::vector<std::vector<double>>;

/// The rows that this worker gets, step by step.
Rows rows_of_worker(const distribute::Strategy& strategy, const Dataset& dataset) {
  Rows rows;
  for (const distribute::PerReplica& parts : strategy.experimental_distribute_dataset(dataset))
    rows.push_back(parts.at(0).tensor().to_doubles());
  return rows;
}

TEST(WorkerData, DistributedDataSetsShareGlobalBatches) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const auto strategy = distribute::multi_worker_strategy(group);
  const bool first = group->rank() == 0;
  EXPECT_EQ(rows_of_worker(strategy, Dataset::range(9).batch(4)),
            first ? (Rows{{0, 1}, {4, 5}, {8}}) : (Rows{{2, 3}, {6, 7}, {}}));
}

TEST(WorkerData, FunctionsMakeWhatTheReplicasOfAWorkerNeed) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const auto strategy = distribute::multi_worker_strategy(group, 2);
  const auto number = [](const Nest& value) { return value.tensor().item(); };
  const distribute::PerReplica values = strategy.experimental_distribute_values_from_function(
      [](const distribute::ValueContext& context) -> Nest {
        return Tensor(10.0F * static_cast<float>(context.num_replicas_in_sync) +
                      static_cast<float>(context.replica_id_in_sync_group));
      });
  const double first = group->rank() == 0 ? 0 : 2;
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(number(values[0]), 40 + first);
  EXPECT_EQ(number(values[1]), 41 + first);
  EXPECT_EQ(number(strategy.reduce("SUM", values)), 40 + 41 + 42 + 43);
  EXPECT_EQ(number(strategy.reduce("MEAN", values)), 41.5);
  EXPECT_EQ(number(strategy.reduce("SUM", Nest(Tensor(3.0F)))), 12);

  const auto own = strategy.distribute_datasets_from_function(
      [](const data::InputContext& input) {
        return Dataset::range(8).shard(input.num_input_pipelines, input.input_pipeline_id).batch(1);
      },
      {.experimental_replication_mode = distribute::InputReplicationMode::per_replica});
  std::vector<double> seen;
  for (const distribute::PerReplica& parts : own) {
    for (const Nest& part : parts) seen.push_back(number(part));
  }
  EXPECT_EQ(seen, (std::vector<double>{first, first + 1, first + 4, first + 5}));
}

}  // namespace
}  // namespace antler
