// Custom loops of workers whose data end at different steps.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "antler/antler.h"
#include "antler/data/sharding.h"
#include "antler/distribute/distributed_dataset.h"
#include "antler/distribute/mirrored_strategy.h"
#include "antler/distribute/multi_worker.h"
#include "support/worker_group.h"

namespace antler {
namespace {

using data::AutoShardPolicy;
using data::Dataset;
using distribute::PerReplica;
using test::run_in_workers;
using Numbers = std::vector<int64_t>;

/// Batches of the given samples of a small regression.
Dataset loop_batches(const std::vector<Numbers>& numbers) {
  std::vector<Nest> elements;
  for (const Numbers& batch : numbers) {
    std::vector<float> x;
    std::vector<float> y;
    for (const int64_t i : batch) {
      const auto at = static_cast<double>(i);
      x.push_back(static_cast<float>(std::sin(at)));
      x.push_back(static_cast<float>(std::cos(at)));
      y.push_back(static_cast<float>(std::sin(3 * at)));
    }
    const auto rows = static_cast<int64_t>(batch.size());
    elements.push_back(Nest{Tensor::of(x, {rows, 2}), Tensor::of(y, {rows, 1})});
  }
  return Dataset::from_generator([elements] { return elements; });
}

Dataset own_batches(const std::vector<Numbers>& numbers) {
  return loop_batches(numbers).with_options(
      {.experimental_distribute = {.auto_shard_policy = AutoShardPolicy::off}});
}

struct LoopResult {
  std::vector<double> losses;
  std::vector<double> rows;     ///< of this process, by step
  std::vector<double> weights;  ///< after the loop
};

/// A custom loop. `compiled`: each step is a tf::function.
LoopResult run_loop(const distribute::Strategy& strategy,
                    const distribute::DistributedDataset& batches, bool compiled) {
  set_random_seed(5);
  const auto scope = strategy.scope();
  Sequential model({layers::Input({2}), Dense(3, {.activation = "tanh"}), Dense(1)});
  optimizers::Adam optimizer(0.1);
  optimizer.build(model.trainable_variables());
  const losses::MeanSquaredError loss_object({.reduction = "none"});
  const auto replica_step = [&](const Nest& part) -> Nest {
    GradientTape tape;
    const Tensor loss = distribute::compute_average_loss(
        loss_object(part[1].tensor(), model(part[0].tensor(), {.training = true})));
    optimizer.apply(tape.gradient(loss, model.trainable_variables()), model.trainable_variables());
    return Nest{loss, part[1].tensor()};
  };
  const auto step = [&](const Nest& parts) -> Nest {
    PerReplica results = strategy.run(replica_step, {parts});
    const Nest rows = results[0][1];
    for (Nest& result : results) result = result[0];
    return Nest{strategy.reduce("SUM", results).tensor(), rows};
  };
  const Function function = tf::function(step);
  LoopResult result;
  for (const PerReplica& parts : batches) {
    const Nest made = compiled ? function(parts[0]) : step(parts[0]);
    result.losses.push_back(made[0].tensor().item());
    result.rows.push_back(static_cast<double>(made[1].tensor().dim(0)));
    EXPECT_EQ(made[1].tensor().shape(), parts[0][1].tensor().shape());
  }
  for (const Variable& variable : model.weights()) {
    for (const double value : variable.value().to_doubles()) result.weights.push_back(value);
  }
  return result;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 2e-6) << "at " << i;
}

/// Three batches of worker 0, five of worker 1, and the same data as batches of one process.
const std::vector<Numbers> kFirstOwn = {{0, 1}, {2, 3}, {4}};
const std::vector<Numbers> kSecondOwn = {{10, 11, 12}, {13, 14}, {15, 16}, {17, 18}, {19}};
const std::vector<Numbers> kTogether = {
    {0, 1, 10, 11, 12}, {2, 3, 13, 14}, {4, 15, 16}, {17, 18}, {19}};

void expect_loop_of_one_process(const distribute::Strategy& strategy,
                                const distribute::DistributedDataset& own,
                                const std::vector<double>& rows, bool compiled) {
  const distribute::MirroredStrategy alone(1);
  const LoopResult a =
      run_loop(alone, alone.experimental_distribute_dataset(loop_batches(kTogether)), false);
  const LoopResult b = run_loop(strategy, own, compiled);
  EXPECT_EQ(b.rows, rows);
  expect_near(a.losses, b.losses);
  expect_near(a.weights, b.weights);
}

TEST(UnevenLoop, WorkersWithoutDataTakePart) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const auto strategy = distribute::multi_worker_strategy(group);
  const auto make = [](const data::InputContext& input) {
    return loop_batches(input.input_pipeline_id == 0 ? kFirstOwn : kSecondOwn);
  };
  const auto rows =
      group->rank() == 0 ? std::vector<double>{2, 2, 1, 0, 0} : std::vector<double>{3, 2, 2, 2, 1};
  for (const bool compiled : {false, true}) {
    expect_loop_of_one_process(strategy, strategy.distribute_datasets_from_function(make), rows,
                               compiled);
  }
}

TEST(UnevenLoop, DataSetsOfWorkersEndTogether) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const auto strategy = distribute::multi_worker_strategy(group);
  const bool first = group->rank() == 0;
  // Each worker takes half of a batch per step.
  const auto own = strategy.experimental_distribute_dataset(
      own_batches(first ? std::vector<Numbers>{{0, 1, 2, 3}, {4}}
                        : std::vector<Numbers>{{13, 14, 15, 16}, {17, 18, 19}}));
  std::vector<double> rows;
  for (const PerReplica& parts : own)
    rows.push_back(static_cast<double>(parts[0][0].tensor().dim(0)));
  EXPECT_EQ(rows, first ? (std::vector<double>{2, 2, 1, 0}) : (std::vector<double>{2, 2, 2, 1}));
}

TEST(UnevenLoop, RowsOfGlobalBatchesAreAllSeen) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const auto strategy = distribute::multi_worker_strategy(group);
  const auto shared = strategy.experimental_distribute_dataset(loop_batches(kTogether));
  expect_loop_of_one_process(
      strategy, shared,
      group->rank() == 0 ? std::vector<double>{3, 2, 2, 1, 1} : std::vector<double>{2, 2, 1, 1, 0},
      true);
}

TEST(UnevenLoop, MeansCountReplicasWithDataOnly) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const auto strategy = distribute::multi_worker_strategy(group, 2);
  const auto scope = strategy.scope();
  // One replica of worker 0 has data at the second step, and one of worker 1 at the third.
  const auto own = strategy.distribute_datasets_from_function([](const data::InputContext& input) {
    return loop_batches(input.input_pipeline_id == 0
                            ? std::vector<Numbers>{{0}, {1}, {2}}
                            : std::vector<Numbers>{{3}, {4}, {5}, {6}, {7}});
  });
  const Variable steps(Tensor(0.0F), {.trainable = false,
                                      .synchronization = VariableSynchronization::on_read,
                                      .aggregation = VariableAggregation::sum});
  std::vector<double> means;
  std::vector<double> maxima;
  for (const PerReplica& parts : own) {
    const PerReplica results = strategy.run(
        [&](const Nest& part) -> Nest {
          steps.assign_add(Tensor(1.0F));
          const Tensor size = ops::sum(ops::ones_like(part[1].tensor())) + 2;
          return Nest{size, ops::all_reduce(size, ops::ReduceOp::max)};
        },
        parts);
    PerReplica sizes;
    for (const Nest& result : results) sizes.push_back(result.is_none() ? Nest() : result[0]);
    means.push_back(strategy.reduce("MEAN", sizes).tensor().item());
    maxima.push_back(results[0][1].tensor().item());
  }
  EXPECT_EQ(means, (std::vector<double>{3, 3, 3}));
  EXPECT_EQ(maxima, (std::vector<double>{3, 3, 3}));  // the same in all workers
  EXPECT_EQ(steps.value().item(), 3 + 5);             // once for each batch
}

TEST(UnevenLoop, ErrorsInOneWorkersDataEndAll) {
  const auto group = run_in_workers(2);
  if (group == nullptr) return;
  const auto strategy = distribute::multi_worker_strategy(group);
  const bool fails = group->rank() == 1;
  const auto read = [fails](const Nest& element) {
    if (fails) throw IOError("torn");
    return element;
  };
  const auto own = strategy.experimental_distribute_dataset(own_batches(kFirstOwn).map(read));
  if (fails) {
    EXPECT_THROW(own.begin(), IOError);
  } else {
    EXPECT_THROW(own.begin(), UnavailableError);
  }
  const auto none = strategy.distribute_datasets_from_function([](const data::InputContext& input) {
    return loop_batches(input.input_pipeline_id == 0 ? std::vector<Numbers>() : kSecondOwn);
  });
  EXPECT_THROW(none.begin(), ValueError);
}

}  // namespace
}  // namespace antler
