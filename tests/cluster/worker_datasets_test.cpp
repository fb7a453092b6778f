// Data sets that workers make and read by themselves.
#include <gtest/gtest.h>

#include <csignal>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/antler.h"
#include "antler/cluster/cluster_coordinator.h"
#include "cluster/local_cluster.h"
#include "cluster/processes.h"

namespace antler {
namespace {

using cluster::ClosureInputError;
using cluster::ClusterCoordinator;
using cluster::RemoteValue;
using test::kPatience;
using test::LocalCluster;
using test::Process;

/// Registers a function for as long as the program runs.
std::string registered(const std::string& name, cluster::MakeDataset make) {
  cluster::register_dataset_fn(name, std::move(make));
  return name;
}

Function sum_of_element() {
  return tf::function(Function::Body(
      [](const Nest& x) -> Nest { return ops::sum(ops::cast(x.tensor(), DType::int64)); }));
}

TEST(WorkerDatasets, EveryWorkerReadsItsOwn) {
  const std::string name = registered("shards", [](const data::InputContext& input) {
    // A host function, which cannot travel.
    return data::Dataset::range(1000)
        .map([](const Nest& x) -> Nest { return x.tensor() * 2; })
        .shard(input.num_input_pipelines, input.input_pipeline_id);
  });
  const LocalCluster local(2, 1);
  const auto strategy = local.strategy();
  const auto scope = strategy.scope();
  const Variable total(Tensor::full(DType::int64, {}, 0));
  ClusterCoordinator coordinator(strategy);
  const auto iterator = coordinator.create_per_worker_dataset(name).iter();
  const Function add = tf::function(Function::Body([&](const Nest& x) -> Nest {
    total.assign_add(x.tensor());
    return x.tensor() + 0;
  }));
  std::vector<RemoteValue> results;
  for (int i = 0; i < 60; ++i) results.push_back(coordinator.schedule(add, {iterator}));
  coordinator.join();
  double sum = 0;
  std::vector<std::set<double>> read(2);
  for (const Nest& value : ClusterCoordinator::fetch(results)) {
    sum += value.tensor().item();
    read[static_cast<size_t>(value.tensor().item() / 2) % 2].insert(value.tensor().item());
  }
  EXPECT_EQ(total.value().item(), sum);
  // Each worker has read the first elements of its part, each once.
  EXPECT_EQ(read[0].size() + read[1].size(), 60U);
  for (size_t w = 0; w < 2; ++w) {
    double next = 2.0 * static_cast<double>(w);
    for (const double value : read[w]) {
      EXPECT_EQ(value, next);
      next += 4;
    }
  }
}

TEST(WorkerDatasets, ElementsMayHaveOtherShapes) {
  const std::string name = registered("batches", [](const data::InputContext&) {
    return data::Dataset::range(10).batch(4).concatenate(data::Dataset::range(10, 13).batch(4));
  });
  const LocalCluster local(1, 1);
  const auto strategy = local.strategy();
  const auto scope = strategy.scope();
  ClusterCoordinator coordinator(strategy);
  const auto iterator = coordinator.create_per_worker_dataset(name).iter();
  const Function sum = sum_of_element();
  std::vector<RemoteValue> results;
  for (int i = 0; i < 4; ++i) results.push_back(coordinator.schedule(sum, {iterator}));
  coordinator.join();
  std::multiset<double> sums;  // functions change places when a program is missing
  for (const Nest& value : ClusterCoordinator::fetch(results)) sums.insert(value.tensor().item());
  EXPECT_EQ(sums, (std::multiset<double>{0 + 1 + 2 + 3, 4 + 5 + 6 + 7, 8 + 9, 10 + 11 + 12}));
  coordinator.schedule(sum, {iterator});
  EXPECT_THROW(coordinator.join(), OutOfRangeError);
  // Another iterator begins anew.
  const auto again = coordinator.create_per_worker_dataset(name).iter();
  EXPECT_EQ(coordinator.schedule(sum, {again}).fetch().tensor().item(), 6);
}

TEST(WorkerDatasets, ElementsStandBesideOtherArguments) {
  const std::string name = registered("pairs", [](const data::InputContext&) {
    const Tensor x = ops::arange(6);
    return data::Dataset::from_tensor_slices(Nest::dict({{"x", x}, {"y", x * 10}}));
  });
  const LocalCluster local(1, 1);
  const auto strategy = local.strategy();
  const auto scope = strategy.scope();
  ClusterCoordinator coordinator(strategy);
  const auto dataset = coordinator.create_per_worker_dataset(name);
  const auto first = dataset.iter();
  const auto second = dataset.iter();
  const Function join = tf::function(Function::Body([](const Nest& arguments) -> Nest {
    const auto [scale, a, offset, b] = arguments.unpack<4>();
    return (a.at("y").tensor() + b.at("x").tensor()) * scale.tensor() + offset.tensor();
  }));
  const auto number = [](int value) { return Tensor::full(DType::int32, {}, value); };
  const auto joined = [&] {
    return coordinator.schedule(join, {number(100), first, number(7), second})
        .fetch()
        .tensor()
        .item();
  };
  EXPECT_EQ(joined(), 7);
  EXPECT_EQ(joined(), 1107);
  EXPECT_EQ(joined(), 2207);
}

TEST(WorkerDatasets, AFailureFailsTheFunctionsThatNeedIt) {
  const std::string name = registered(
      "missing", [](const data::InputContext&) -> data::Dataset { throw IOError("no such file"); });
  const LocalCluster local(1, 1);
  const auto strategy = local.strategy();
  const auto scope = strategy.scope();
  ClusterCoordinator coordinator(strategy);
  const Function sum = sum_of_element();
  const auto message_of = [&](const std::string& dataset) {
    const auto iterator = coordinator.create_per_worker_dataset(dataset).iter();
    const RemoteValue value = coordinator.schedule(sum, {iterator});
    std::string message;
    try {
      coordinator.join();
    } catch (const ClosureInputError& error) {
      message = error.what();
    }
    EXPECT_THROW(value.fetch(), ClosureInputError);
    return message;
  };
  EXPECT_NE(message_of(name).find("IOError: no such file"), std::string::npos);
  const std::string unknown = message_of("never registered");
  EXPECT_NE(unknown.find("no data set \"never registered\""), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("missing"), std::string::npos) << unknown;
  EXPECT_EQ(coordinator.schedule(sum, {Tensor(5.0)}).fetch().tensor().item(), 5);
  EXPECT_THROW(coordinator.create_per_worker_dataset(std::string()), ValueError);
}

TEST(WorkerDatasets, AnErrorOfTheDataFailsOneFunction) {
  const std::string name = registered("breaks", [](const data::InputContext&) {
    return data::Dataset::range(100).map([](const Nest& x) -> Nest {
      if (x.tensor().item() == 5) throw ValueError("bad record");
      return x;
    });
  });
  const LocalCluster local(1, 1);
  const auto strategy = local.strategy();
  const auto scope = strategy.scope();
  const Variable count(Tensor::full(DType::int64, {}, 0));
  ClusterCoordinator coordinator(strategy);
  const auto iterator = coordinator.create_per_worker_dataset(name).iter();
  const Function add = tf::function(Function::Body([&](const Nest& x) -> Nest {
    count.assign_add(Tensor::full(DType::int64, {}, 1));
    return x.tensor() + 0;
  }));
  std::vector<RemoteValue> results;
  try {
    for (int i = 0; i < 20; ++i) results.push_back(coordinator.schedule(add, {iterator}));
    coordinator.join();
    ADD_FAILURE() << "no error";
  } catch (const ValueError& error) {
    EXPECT_EQ(std::string(error.what()), "bad record");
  }
  // What ran before it is not lost.
  EXPECT_EQ(count.value().item(), 5);
}

TEST(WorkerDatasets, RegistrationIsChecked) {
  const auto empty = [](const data::InputContext&) { return data::Dataset::range(0); };
  EXPECT_THROW(cluster::register_dataset_fn("", empty), ValueError);
  EXPECT_THROW(cluster::register_dataset_fn("none", {}), TypeError);
  cluster::register_dataset_fn("empty", empty);
  EXPECT_THROW(cluster::register_dataset_fn("empty", empty), ValueError);
  const LocalCluster local(1, 1);
  const auto strategy = local.strategy();
  const auto scope = strategy.scope();
  ClusterCoordinator coordinator(strategy);
  coordinator.schedule(sum_of_element(), {coordinator.create_per_worker_dataset("empty").iter()});
  EXPECT_THROW(coordinator.join(), OutOfRangeError);
}

TEST(WorkerDatasets, AWorkerThatComesBackBeginsAnew) {
  const distribute::ClusterSpec spec = test::local_spec(1, 1);
  const auto start = [&](const std::string& job) {
    const nlohmann::json config = {{"cluster", nlohmann::json::parse(spec.as_dict().dump())},
                                   {"task", {{"type", job}, {"index", 0}}}};
    Process task({ANTLER_CLUSTER_TRAINING, "data_server"}, {{"TF_CONFIG", config.dump()}});
    EXPECT_TRUE(task.wait_for("listening", kPatience)) << task.output();
    return task;
  };
  const Process server = start("ps");
  std::optional<Process> worker = start("worker");
  const auto strategy = test::local_strategy(spec);
  const auto scope = strategy.scope();
  ClusterCoordinator coordinator(strategy);
  const auto iterator = coordinator.create_per_worker_dataset("numbers").iter();
  const Function sum = sum_of_element();
  const auto next = [&] { return coordinator.schedule(sum, {iterator}).fetch().tensor().item(); };
  for (int i = 0; i < 5; ++i) EXPECT_EQ(next(), i);
  worker->kill(SIGKILL);
  const RemoteValue waits = coordinator.schedule(sum, {iterator});
  worker.reset();
  worker.emplace(start("worker"));
  EXPECT_EQ(waits.fetch().tensor().item(), 0);
  EXPECT_EQ(next(), 1);
  coordinator.join();
}

}  // namespace
}  // namespace antler
