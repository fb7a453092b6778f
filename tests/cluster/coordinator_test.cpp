#include "antler/cluster/cluster_coordinator.h"

#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <optional>
#include <vector>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/cluster/parameter_server_strategy.h"
#include "antler/nn/optimizers.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "cluster/local_cluster.h"

namespace antler {
namespace {

using cluster::ClusterCoordinator;
using cluster::ParameterServerStrategy;
using cluster::RemoteValue;
using test::LocalCluster;

Variable make_variable(const Tensor& value, const std::string& name = "v") {
  return Variable(value, {.name = name});
}

TEST(Coordinator, VariablesLiveOnTheServers) {
  const LocalCluster local(1, 2);
  const ParameterServerStrategy strategy = local.strategy();
  const auto scope = strategy.scope();
  const Variable v = make_variable(Tensor::of<float>({1, 2, 3}));
  const Variable w = make_variable(Tensor::full(DType::int32, {}, 7));
  EXPECT_EQ(v.value().to_doubles(), (std::vector<double>{1, 2, 3}));
  v.assign(Tensor::of<float>({4, 5, 6}));
  ClusterCoordinator coordinator(strategy);
  const Function read = tf::function([&](const Nest&) -> Nest {
    return Nest{v.value(), w.value()};
  });
  const Nest values = coordinator.schedule(read).fetch();
  EXPECT_EQ(values[0].tensor().to_doubles(), (std::vector<double>{4, 5, 6}));
  EXPECT_EQ(values[1].tensor().item(), 7);
  w.assign(Tensor::full(DType::int32, {}, 8));
  EXPECT_EQ(coordinator.schedule(read).fetch()[1].tensor().item(), 8);
}

TEST(Coordinator, NoUpdateIsLost) {
  const LocalCluster local(3, 2);
  const ParameterServerStrategy strategy = local.strategy();
  const auto scope = strategy.scope();
  const Variable count = make_variable(Tensor::full(DType::int64, {}, 0));
  const Variable total = make_variable(Tensor::zeros(DType::float32, {4}));
  ClusterCoordinator coordinator(strategy);
  const Function add = tf::function([&](const Nest& x) -> Nest {
    count.assign_add(Tensor::full(DType::int64, {}, 1));
    total.assign_add(x.tensor() * 2);
    return ops::sum(x.tensor());
  });
  std::vector<RemoteValue> results;
  results.reserve(1000);
  for (int i = 0; i < 1000; ++i)
    results.push_back(coordinator.schedule(add, {Tensor::of<float>({1, 2, 3, 4})}));
  coordinator.join();
  EXPECT_TRUE(coordinator.done());
  EXPECT_EQ(count.value().item(), 1000);
  EXPECT_EQ(total.value().to_doubles(), (std::vector<double>{2000, 4000, 6000, 8000}));
  for (const Nest& sum : ClusterCoordinator::fetch(results)) EXPECT_EQ(sum.tensor().item(), 10);
}

TEST(Coordinator, TrainsLikeOneProcess) {
  const auto train = [](const auto& run) {
    const Variable w = make_variable(Tensor::of<float>({{1, -1}, {0.5, 2}}), "w");
    const optimizers::Adam adam({.learning_rate = 0.1});
    const Function step = tf::function([=](const Nest& x) -> Nest {
      GradientTape tape;
      const Tensor loss = ops::mean(ops::square(ops::matmul(x.tensor(), w)));
      optimizers::Adam(adam).minimize(loss, {w}, tape);
      return loss;
    });
    run(step);
    return w.value().to_doubles();
  };
  const Tensor x = Tensor::of<float>({{1, 2}, {3, 4}, {-1, 0.5}});
  const std::vector<double> expected = train([&](const Function& step) {
    for (int i = 0; i < 5; ++i) step(x);
  });
  const LocalCluster local(1, 2);
  const ParameterServerStrategy strategy = local.strategy();
  const auto scope = strategy.scope();
  ClusterCoordinator coordinator(strategy);
  const std::vector<double> trained = train([&](const Function& step) {
    for (int i = 0; i < 5; ++i) coordinator.schedule(step, {x});
    coordinator.join();
  });
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(trained[i], expected[i], 1e-6);
}

TEST(Coordinator, ErrorsAreThrownOnce) {
  const LocalCluster local(2, 1);
  const ParameterServerStrategy strategy = local.strategy();
  const auto scope = strategy.scope();
  ClusterCoordinator coordinator(strategy);
  const Function wrong = tf::function([](const Nest& x) -> Nest {
    return ops::matmul(x.tensor(), Tensor::of<float>({1, 2, 3}));
  });
  const RemoteValue failed = coordinator.schedule(wrong, {Tensor::of<float>({1, 2})});
  EXPECT_THROW(coordinator.join(), ValueError);
  EXPECT_THROW(failed.fetch(), ValueError);
  EXPECT_NO_THROW(coordinator.join());
  const Function identity = tf::function([](const Nest& x) -> Nest { return x.tensor() + 0; });
  EXPECT_EQ(coordinator.schedule(identity, {Tensor(3.0)}).fetch().tensor().item(), 3);
  EXPECT_THROW(coordinator.schedule(Function()), TypeError);
}

TEST(Coordinator, WaitingFunctionsAreCancelledByAnError) {
  LocalCluster local(1, 1);
  const ParameterServerStrategy strategy = local.strategy();
  const auto scope = strategy.scope();
  ClusterCoordinator coordinator(strategy);
  const Function identity = tf::function([](const Nest& x) -> Nest { return x.tensor() + 0; });
  const auto iterator =
      coordinator.create_per_worker_dataset([] { return data::Dataset::range(0); }).iter();
  std::vector<RemoteValue> results;
  try {
    for (int i = 0; i < 100; ++i) results.push_back(coordinator.schedule(identity, {iterator}));
    coordinator.join();
    FAIL() << "no error";
  } catch (const OutOfRangeError&) {
  }
  int cancelled = 0;
  for (const RemoteValue& result : results) {
    try {
      result.fetch();
    } catch (const CancelledError&) {
      ++cancelled;
    } catch (const OutOfRangeError&) {
    }
  }
  EXPECT_LT(cancelled, static_cast<int>(results.size()));
  EXPECT_EQ(coordinator.schedule(identity, {Tensor(5.0)}).fetch().tensor().item(), 5);
}

TEST(Coordinator, EveryWorkerReadsItsOwnDataset) {
  const LocalCluster local(2, 1);
  const ParameterServerStrategy strategy = local.strategy();
  const auto scope = strategy.scope();
  const Variable total = make_variable(Tensor::full(DType::int64, {}, 0));
  ClusterCoordinator coordinator(strategy);
  EXPECT_EQ(coordinator.num_workers(), 2);
  const auto dataset = coordinator.create_per_worker_dataset([](const data::InputContext& input) {
    return data::Dataset::range(input.input_pipeline_id, 1000, input.num_input_pipelines);
  });
  const auto iterator = dataset.iter();
  const Function add = tf::function([&](const Nest& x) -> Nest {
    total.assign_add(x.tensor());
    return x.tensor() + 0;
  });
  std::vector<RemoteValue> results;
  results.reserve(40);
  for (int i = 0; i < 40; ++i) results.push_back(coordinator.schedule(add, {iterator}));
  coordinator.join();
  double sum = 0;
  for (const Nest& value : ClusterCoordinator::fetch(results)) sum += value.tensor().item();
  EXPECT_EQ(total.value().item(), sum);
}

TEST(Coordinator, RefusesOtherStrategies) {
  EXPECT_THROW(ClusterCoordinator(distribute::Strategy{}), ValueError);
  const auto strategy_of = [](const distribute::ClusterSpec& spec, const std::string& job) {
    distribute::SimpleClusterResolverOptions options;
    if (!job.empty()) options = {.task_type = job, .task_id = 0};
    return ParameterServerStrategy(
        {.cluster_resolver = std::make_shared<distribute::SimpleClusterResolver>(spec, options)});
  };
  EXPECT_THROW(strategy_of({}, ""), ValueError);
  EXPECT_THROW(strategy_of({{"worker", {"127.0.0.1:1"}}}, ""), ValueError);
  EXPECT_THROW(strategy_of({{"ps", {"127.0.0.1:1"}}}, ""), ValueError);
  EXPECT_THROW(strategy_of({{"ps", {"127.0.0.1:1"}}, {"worker", {"127.0.0.1:2"}}}, "ps"),
               ValueError);
}

TEST(Coordinator, ADataSetThatCannotBeMadeFailsItsFunctions) {
  const LocalCluster local(1, 1);
  const auto strategy = local.strategy();
  const auto scope = strategy.scope();
  ClusterCoordinator coordinator(strategy);
  const Function identity = tf::function([](const Nest& x) -> Nest { return x; });
  const auto iterator =
      coordinator
          .create_per_worker_dataset(
              [](const data::InputContext&) -> data::Dataset { throw ValueError("no such file"); })
          .iter();
  const cluster::RemoteValue value = coordinator.schedule(identity, {iterator});
  try {
    coordinator.join();
    FAIL();
  } catch (const cluster::ClosureInputError& error) {
    EXPECT_NE(std::string(error.what()).find("ValueError: no such file"), std::string::npos);
  }
  EXPECT_THROW(value.fetch(), cluster::ClosureInputError);
}

}  // namespace
}  // namespace antler
