// Tasks that are killed.
#include <gtest/gtest.h>

#include <csignal>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/antler.h"
#include "antler/cluster/cluster_coordinator.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "cluster/local_cluster.h"
#include "cluster/processes.h"

namespace antler {
namespace {

using cluster::ClusterCoordinator;
using test::kPatience;
using test::Process;

Process start_task(const distribute::ClusterSpec& spec, const std::string& job, int64_t index) {
  Process task({ANTLER_SERVER, "--cluster", spec.as_dict().dump(), "--job", job, "--index",
                std::to_string(index)});
  EXPECT_TRUE(task.wait_for("listening at", kPatience)) << task.output();
  return task;
}

/// A function that adds 1 to a count.
Function incrementing(const Variable& count) {
  return tf::function([count](const Nest&) -> Nest {
    count.assign_add(Tensor::full(DType::int64, {}, 1));
    return {};
  });
}

TEST(LostTasks, ExactEvaluationCountsEachBatchOnce) {
  const distribute::ClusterSpec spec = test::local_spec(2, 1);
  const Process server = start_task(spec, "ps", 0);
  const Process stays = start_task(spec, "worker", 0);
  const Process dies = start_task(spec, "worker", 1);
  const auto strategy = test::local_strategy(spec);
  const auto scope = strategy.scope();
  Sequential model({Input({1}), Dense(1, {.use_bias = false, .kernel_initializer = "ones"})});
  model.compile({.optimizer = "sgd", .loss = "mae", .pss_evaluation_shards = 4});
  // The mean of 0, 1, ... reveals whether a batch was counted twice.
  constexpr int64_t kRows = 4000;
  const Tensor x = ops::reshape(ops::cast(ops::arange(kRows), DType::float32), {kRows, 1});
  const auto batches = data::Dataset::from_tensor_slices(Nest{x, ops::zeros({kRows, 1})})
                           .map([&](const Nest& row) {
                             if (row[0].tensor().item() == 1000) dies.kill(SIGKILL);
                             return row;
                           })
                           .batch(2);
  const double loss = model.evaluate(batches, kw::verbose = 0).at("loss");
  EXPECT_NEAR(loss, (kRows - 1) / 2.0, 0.01);
}

TEST(LostTasks, AnotherWorkerTakesTheFunctionsOfALostOne) {
  const distribute::ClusterSpec spec = test::local_spec(2, 1);
  const Process server = start_task(spec, "ps", 0);
  const Process stays = start_task(spec, "worker", 0);
  std::optional<Process> dies = start_task(spec, "worker", 1);
  const auto strategy = test::local_strategy(spec);
  const auto scope = strategy.scope();
  const Variable count(Tensor::full(DType::int64, {}, 0));
  ClusterCoordinator coordinator(strategy);
  const Function increment = incrementing(count);
  coordinator.schedule(increment);
  coordinator.join();
  for (int i = 0; i < 2000; ++i) {
    coordinator.schedule(increment);
    if (i == 500) dies->kill(SIGKILL);
  }
  coordinator.join();
  // A function may have run twice, but none was lost.
  EXPECT_GE(count.value().item(), 2001);
  // The worker comes back and is needed, because the other one is gone.
  dies.reset();
  const Process back = start_task(spec, "worker", 1);
  stays.kill(SIGKILL);
  for (int i = 0; i < 100; ++i) coordinator.schedule(increment);
  coordinator.join();
  EXPECT_GE(count.value().item(), 2101);
}

TEST(LostTasks, ALostParameterServerIsAnError) {
  const distribute::ClusterSpec spec = test::local_spec(1, 1);
  const Process worker = start_task(spec, "worker", 0);
  std::optional<Process> server = start_task(spec, "ps", 0);
  const auto strategy = test::local_strategy(spec);
  const auto scope = strategy.scope();
  const Variable count(Tensor::full(DType::int64, {}, 0));
  ClusterCoordinator coordinator(strategy);
  const Function increment = incrementing(count);
  coordinator.schedule(increment);
  coordinator.join();
  server.reset();
  coordinator.schedule(increment);
  EXPECT_THROW(coordinator.join(), UnavailableError);
  // A restarted server does not have the variables.
  server.emplace(start_task(spec, "ps", 0));
  coordinator.schedule(increment);
  EXPECT_THROW(coordinator.join(), UnavailableError);
  EXPECT_THROW(count.value(), UnavailableError);
}

/// They keep their connections open, as machines do that are cut off.
TEST(LostTasks, StoppedTasksCountAsLost) {
  const distribute::ClusterSpec spec = test::local_spec(2, 1);
  const Process server = start_task(spec, "ps", 0);
  const Process stays = start_task(spec, "worker", 0);
  const Process stops = start_task(spec, "worker", 1);
  const auto strategy = test::local_strategy(spec);
  const auto scope = strategy.scope();
  const Variable count(Tensor::full(DType::int64, {}, 0));
  ClusterCoordinator coordinator(strategy);
  const Function increment = incrementing(count);
  coordinator.schedule(increment);
  coordinator.join();
  stops.kill(SIGSTOP);
  for (int i = 0; i < 1000; ++i) coordinator.schedule(increment);
  coordinator.join();
  EXPECT_GE(count.value().item(), 1001);
  server.kill(SIGSTOP);
  coordinator.schedule(increment);
  EXPECT_THROW(coordinator.join(), UnavailableError);
}

TEST(LostTasks, ANewCoordinatorStartsAnew) {
  const distribute::ClusterSpec spec = test::local_spec(1, 1);
  const Process worker = start_task(spec, "worker", 0);
  const Process server = start_task(spec, "ps", 0);
  for (int run = 0; run < 2; ++run) {
    const auto strategy = test::local_strategy(spec);
    const auto scope = strategy.scope();
    const Variable v(Tensor(static_cast<double>(run)));
    ClusterCoordinator coordinator(strategy);
    const Function twice = tf::function([&](const Nest&) -> Nest { return v.value() * 2; });
    EXPECT_EQ(coordinator.schedule(twice).fetch().tensor().item(), 2 * run);
  }
}

TEST(LostTasks, StrangersAreRefused) {
  const distribute::ClusterSpec spec = test::local_spec(1, 1);
  const Process worker = start_task(spec, "worker", 0);
  const Process server = start_task(spec, "ps", 0);
  EXPECT_THROW(cluster::ParameterServerStrategy(
                   {.cluster_resolver = std::make_shared<distribute::SimpleClusterResolver>(spec),
                    .start_timeout = kPatience,
                    .token = "another"}),
               ValueError);
}

}  // namespace
}  // namespace antler
