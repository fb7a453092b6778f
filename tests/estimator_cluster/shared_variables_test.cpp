// The variables that the tasks of an estimator share, in one process: its servers are threads.
#include <atomic>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "antler/antler.h"
#include "antler/cluster/parameter_server_strategy.h"
#include "antler/cluster/parameter_server_strategy_v1.h"
#include "antler/cluster/server.h"
#include "antler/distribute/tf_config.h"
#include "antler/estimator/estimators.h"
#include "antler/io/tensor_bundle.h"
#include "cluster/graph_split.h"
#include "cluster/job_places.h"
#include "cluster/named_variables.h"
#include "cluster/processes.h"
#include "cluster/row_parts.h"
#include "estimator/folder_test.h"
#include "estimator/model_trace.h"
#include "estimator_cluster/servers.h"

namespace antler::estimator {
namespace {

using cluster::NamedVariables;
using test::Servers;

Variable filled(double value, const Shape& shape = {2}) {
  return Variable(Tensor::full(DType::float32, shape, value));
}

double first(const Variable& variable) { return local_copy(variable).to_doubles()[0]; }

TEST(NamedVariables, ServersTakeTurnsAndSlotsAreBesideTheirVariables) {
  const Servers servers(2);
  NamedVariables chief = servers.client("chief");
  const Variable a = filled(1);
  const Variable b = filled(2);
  const Variable slot = filled(3);
  const Variable c = filled(4);
  chief.colocate(slot, b);
  chief.create({{"a", a}, {"b", b}, {"b/slot", slot}, {"c", c}});
  const auto task = [&](NamedVariables& of, const Variable& variable) {
    return of.place_of(variable)->task;
  };
  EXPECT_NE(task(chief, a), task(chief, b));
  EXPECT_EQ(task(chief, slot), task(chief, b));
  EXPECT_EQ(task(chief, c), task(chief, a));
  EXPECT_FALSE(chief.place_of(filled(0)));

  NamedVariables worker = servers.client("worker");
  const Variable found = filled(0);
  const Variable other = filled(0);
  worker.find({{"b", found}, {"c", other}}, 20);
  EXPECT_EQ(worker.place_of(found)->task, task(chief, b));
  worker.refresh(found);
  EXPECT_EQ(first(found), 2);
  found.store(Tensor::full(DType::float32, {2}, 7));
  worker.publish(found);
  chief.refresh(b);
  EXPECT_EQ(first(b), 7);
}

TEST(NamedVariables, WorkersWaitForTheChief) {
  const Servers servers(1);
  NamedVariables worker = servers.client("worker");
  const Variable x = filled(0);
  EXPECT_THROW(worker.find({{"x", x}}, 0.05), DeadlineExceededError);
  NamedVariables chief = servers.client("chief");
  chief.create({{"x", filled(1, {3})}});
  try {
    worker.find({{"x", x}}, 20);
    FAIL() << "found a variable of another shape";
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("`x` has shape (2,)"), std::string::npos)
        << error.what();
  }
  // The next job has a variable of another shape.
  chief.create({{"x", filled(2)}});
  worker.find({{"x", x}}, 20);
  worker.refresh(x);
  EXPECT_EQ(first(x), 2);
}

constexpr int64_t kWords = 1000;
constexpr int64_t kWidth = 4;
constexpr int64_t kBatch = 3;

/// The words of a batch are looked up in a table; what follows drops some values at random.
EstimatorSpec word_model(const ModelFnArgs& args, const train::OptimizerPtr& optimizer) {
  const Variable table = get_variable("table", {.shape = {kWords, kWidth}});
  Tensor x = ops::take(table.value(), args.features.tensor(), 0);
  if (args.mode == ModeKeys::train) x = Dropout(0.1)(x);
  const Tensor loss = estimator::losses::mean_squared_error(args.labels.tensor(), Dense(1)(x));
  return {.mode = args.mode,
          .loss = loss,
          .train_op = optimizer->minimize(loss, {.global_step = get_global_step()})};
}

InputData words(const InputFnArgs& /*args*/) {
  const Tensor ids = Tensor::of<int32_t>({1, 5, 999});
  const Tensor labels = Tensor::of<float>({1, 2, 3}, {kBatch, 1});
  return data::Dataset::from_tensor_slices(ids, labels)
      .repeat()
      .batch(kBatch, {.drop_remainder = true});
}

int64_t elements_sent(const cluster::SplitGraph& split, const cluster::TaskShare& share) {
  int64_t elements = 0;
  for (const int64_t index : share.sends) {
    const ir::ValueId value = split.worker.outputs[static_cast<size_t>(index)];
    elements += split.worker.spec(value).shape.num_elements();
  }
  return elements;
}

/// Neither the table, nor its gradient, nor its slots travel.
TEST(SharedTraining, OnlyRowsOfATableTravel) {
  const std::vector<train::OptimizerPtr> optimizers = {
      std::make_shared<train::GradientDescentOptimizer>(0.1),
      std::make_shared<train::AdagradOptimizer>(0.1), std::make_shared<train::AdamOptimizer>(0.1),
      std::make_shared<train::FtrlOptimizer>(0.1)};
  for (const train::OptimizerPtr& optimizer : optimizers) {
    ModelTrace model({.model_fn = [&](const ModelFnArgs& args) -> ModelSpec {
      return word_model(args, optimizer);
    }});
    const Nest batch(std::vector<Nest>{Tensor::spec_only({DType::int32, {kBatch}}),
                                       Tensor::spec_only({DType::float32, {kBatch, 1}})});
    ir::Graph graph = model.trace(batch, batch).graph;
    const cluster::SplitGraph split = cluster::split_graph(
        cluster::use_row_parts(ir::prune(graph)), [](const Variable& variable) -> int64_t {
          return variable.path().ends_with("seed_generator_state") ? cluster::kOfWorker : 0;
        });
    ASSERT_EQ(split.shares.size(), 1U);
    for (const Variable& read : split.shares[0].reads) EXPECT_LT(read.shape().num_elements(), 100);
    EXPECT_GE(split.shares[0].lookups, 1);
    EXPECT_LT(elements_sent(split, split.shares[0]), 100);
  }
}

class SharedTrainingFiles : public FolderTest {};

TEST_F(SharedTrainingFiles, OneProcessContinuesWhatServersTrained) {
  const Servers servers(2);
  const auto optimizer = std::make_shared<train::AdagradOptimizer>(0.1);
  const ModelFn model_fn(
      [&](const ModelFnArgs& args) -> ModelSpec { return word_model(args, optimizer); });
  const Estimator chief(
      model_fn,
      {.config = RunConfig({.model_dir = path(), .train_distribute = servers.strategy("chief")})});
  chief.train(InputFn(words), {.steps = 5});
  chief.train(InputFn(words), {.steps = 5});
  const io::TensorBundle bundle = io::TensorBundle::open(*latest_checkpoint(path()));
  EXPECT_EQ(bundle.read("global_step").item(), 10);
  EXPECT_TRUE(bundle.contains("table/Adagrad"));
  EXPECT_EQ(bundle.keys().size(), 7U);  // two weights, the table, their slots, and the step
  const Estimator alone(model_fn, {.model_dir = path()});
  alone.train(InputFn(words), {.steps = 5});
  EXPECT_EQ(alone.get_variable_value("global_step").item(), 15);
}

TEST_F(SharedTrainingFiles, VariablesFromOutsideAreRefused) {
  const Servers servers(1);
  const Variable outside(Tensor::full(DType::float32, {}, 1.0), {.name = "outside"});
  const auto model_fn = [&](const ModelFnArgs& args) -> ModelSpec {
    const Tensor loss = ops::mean(args.labels.tensor() * outside.value());
    train::GradientDescentOptimizer optimizer(0.1);
    return EstimatorSpec{.mode = args.mode,
                         .loss = loss,
                         .train_op = optimizer.minimize(loss, {.var_list = Variables{outside}})};
  };
  const Estimator estimator(
      ModelFn(model_fn),
      {.config = RunConfig({.model_dir = path(), .train_distribute = servers.strategy("chief")})});
  EXPECT_THROW(estimator.train(InputFn(words), {.steps = 1}), ValueError);
}

/// Sets TF_CONFIG for its lifetime.
struct TaskEnvironment {
  TaskEnvironment(const distribute::ClusterSpec& spec, const std::string& job) {
    const std::string config =
        distribute::TFConfig{.cluster = spec, .task_type = job, .task_id = 0}.str();
    ::setenv("TF_CONFIG", config.c_str(), 1);
  }
  ~TaskEnvironment() { ::unsetenv("TF_CONFIG"); }
  TaskEnvironment(const TaskEnvironment&) = delete;
  TaskEnvironment& operator=(const TaskEnvironment&) = delete;
};

/// The chief decides; the worker learns of it by a variable of a hook.
TEST_F(SharedTrainingFiles, AllTasksStopEarly) {
  const Servers servers(2);
  const auto task = [&](const std::string& job) {
    const TaskEnvironment environment(servers.spec, job);
    return Estimator(
        ModelFn([&](const ModelFnArgs& args) -> ModelSpec {
          return word_model(args, std::make_shared<train::GradientDescentOptimizer>(0.1));
        }),
        {.config = RunConfig({.model_dir = path(), .train_distribute = servers.strategy(job)})});
  };
  const Estimator chief = task("chief");
  const Estimator worker = task("worker");
  std::atomic<int> asked = 0;
  std::thread other([&] {
    worker.train(InputFn(words), {.hooks = {make_early_stopping_hook(
                                      worker, [&] { return ++asked, true; }, {}, 1)}});
  });
  chief.train(InputFn(words), {.hooks = {make_early_stopping_hook(
                                   chief, [] { return true; }, {}, 50)}});
  other.join();
  EXPECT_EQ(asked, 0);
  EXPECT_GE(chief.get_variable_value("global_step").item(), 1);
}

TEST_F(SharedTrainingFiles, StrategiesThatDoNotFitAreRefused) {
  const Servers servers(1);
  const distribute::Strategy shared = servers.strategy("chief");
  const RunConfig evaluating({.model_dir = path(), .eval_distribute = shared});
  const Estimator estimator([](const ModelFnArgs&) -> ModelSpec { return {}; },
                            {.config = evaluating});
  EXPECT_THROW(estimator.evaluate(InputFn(words)), ValueError);
  // The one that schedules functions is for fit().
  EXPECT_THROW(
      RunConfig({.train_distribute = cluster::ParameterServerStrategy(
                     {.cluster_resolver = servers.resolver("chief"), .start_timeout = 20})}),
      ValueError);
  const auto without_servers = std::make_shared<distribute::SimpleClusterResolver>(
      distribute::ClusterSpec({{"chief", {"127.0.0.1:1"}}}),
      distribute::SimpleClusterResolverOptions{.task_type = "chief", .task_id = 0});
  EXPECT_THROW(cluster::ParameterServerStrategyV1({.cluster_resolver = without_servers}),
               ValueError);
  // Without a cluster, a process trains alone.
  const auto alone = std::make_shared<distribute::SimpleClusterResolver>(distribute::ClusterSpec());
  EXPECT_EQ(cluster::ParameterServerStrategyV1({.cluster_resolver = alone}).num_replicas_in_sync(),
            1);
}

}  // namespace
}  // namespace antler::estimator
