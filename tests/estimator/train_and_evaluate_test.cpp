#include "antler/estimator/train_and_evaluate.h"

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "antler/base/error.h"

namespace antler::estimator {
namespace {

using Part = TaskPlan::Part;

/// Sets TF_CONFIG during its lifetime.
class ClusterTask {
 public:
  ClusterTask(const std::string& type, int index) {
    const std::string workers = R"("w0:1","w1:1","w2:1","w3:1","w4:1","w5:1","w6:1","w7:1","w8:1",)"
                                R"("w9:1","w10:1","w11:1","w12:1","w13:1","w14:1")";
    const std::string config = R"({"cluster": {"chief": ["h0:1"], "ps": ["h1:1"], "worker": [)" +
                               workers + R"(]}, "task": {"type": ")" + type + R"(", "index": )" +
                               std::to_string(index) + "}}";
    setenv("TF_CONFIG", config.c_str(), 1);
  }
  ~ClusterTask() { unsetenv("TF_CONFIG"); }
  ClusterTask(const ClusterTask&) = delete;
  ClusterTask& operator=(const ClusterTask&) = delete;
};

TaskPlan plan_of(const std::string& type, int index, const RunConfigOptions& options = {}) {
  const ClusterTask task(type, index);
  return plan_task(RunConfig(options));
}

TEST(TaskPlan, IsLocalWithoutACluster) {
  const TaskPlan plan = plan_task(RunConfig());
  EXPECT_EQ(plan.part, Part::local);
  EXPECT_FALSE(plan.starts_server);
  EXPECT_EQ(plan.start_delay_secs, 0);
}

TEST(TaskPlan, WorkersStartOneAfterTheOther) {
  EXPECT_EQ(plan_of("worker", 0).start_delay_secs, 5);
  EXPECT_EQ(plan_of("worker", 3).start_delay_secs, 20);
  EXPECT_EQ(plan_of("worker", 10).start_delay_secs, 55);
  EXPECT_EQ(plan_of("worker", 14).start_delay_secs, 60);
  EXPECT_EQ(plan_of("worker", 3, {.experimental_max_worker_delay_secs = 10}).start_delay_secs, 10);
  EXPECT_TRUE(plan_of("worker", 0).starts_server);
}

TEST(TaskPlan, OtherTasks) {
  EXPECT_EQ(plan_of("chief", 0).part, Part::chief);
  EXPECT_TRUE(plan_of("chief", 0).starts_server);
  EXPECT_EQ(plan_of("chief", 0).start_delay_secs, 0);
  EXPECT_EQ(plan_of("ps", 0).part, Part::ps);
  EXPECT_EQ(plan_of("evaluator", 0).part, Part::evaluator);
  EXPECT_THROW(plan_of("evaluator", 1), ValueError);
}

const InputFn kNoInput = [] { return Tensor::of<float>({1, 2}); };

ExporterPtr exporter(const std::string& name) {
  return LatestExporter(name, build_raw_serving_input_receiver_fn(
                                  Tensor::spec_only({DType::float32, {Shape::kUnknown, 1}})));
}

TEST(TrainSpec, IsChecked) {
  EXPECT_THROW(TrainSpec{}.check(), TypeError);
  EXPECT_THROW((TrainSpec{.input_fn = kNoInput, .max_steps = 0}.check()), ValueError);
  EXPECT_THROW((TrainSpec{.input_fn = kNoInput, .hooks = {nullptr}}.check()), TypeError);
  EXPECT_THROW((TrainSpec{.input_fn = kNoInput, .saving_listeners = {nullptr}}.check()), TypeError);
  EXPECT_NO_THROW((TrainSpec{.input_fn = kNoInput, .max_steps = 1}.check()));
}

TEST(EvalSpec, IsChecked) {
  EXPECT_THROW(EvalSpec{}.check(), TypeError);
  EXPECT_THROW((EvalSpec{.input_fn = kNoInput, .steps = -1}.check()), ValueError);
  EXPECT_THROW((EvalSpec{.input_fn = kNoInput, .start_delay_secs = -1}.check()), ValueError);
  EXPECT_THROW((EvalSpec{.input_fn = kNoInput, .throttle_secs = -1}.check()), ValueError);
  EXPECT_THROW((EvalSpec{.input_fn = kNoInput, .exporters = {nullptr}}.check()), TypeError);
  EXPECT_THROW((EvalSpec{.input_fn = kNoInput, .exporters = {exporter("")}}.check()), ValueError);
  EXPECT_THROW(
      (EvalSpec{.input_fn = kNoInput, .exporters = {exporter("a"), exporter("a")}}.check()),
      ValueError);
  EXPECT_NO_THROW(
      (EvalSpec{.input_fn = kNoInput, .exporters = {exporter("a"), exporter("b")}}.check()));
}

TEST(Exporters, KeepAtLeastOneExport) {
  const ServingInputReceiverFn receiver = build_raw_serving_input_receiver_fn(
      Tensor::spec_only({DType::float32, {Shape::kUnknown, 1}}));
  EXPECT_THROW(LatestExporter("a", receiver, {.exports_to_keep = 0}), ValueError);
  EXPECT_THROW(BestExporter({.serving_input_receiver_fn = receiver, .exports_to_keep = -1}),
               ValueError);
  EXPECT_EQ(BestExporter({.serving_input_receiver_fn = receiver}).name(), "best_exporter");
  EXPECT_EQ(BestExporter("best", receiver).name(), "best");
  EXPECT_THROW(BestExporter("best", receiver, {.compare_fn = nullptr}), ValueError);
}

}  // namespace
}  // namespace antler::estimator
