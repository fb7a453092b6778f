#include "antler/estimator/run_config.h"

#include <gtest/gtest.h>

#include <string>

#include "antler/base/error.h"
#include "antler/distribute/cluster_resolver.h"
#include "distribute/environment.h"

namespace antler::estimator {
namespace {

template <class F>
std::string error_of(const F& make) {
  try {
    make();
  } catch (const Error& error) {
    return std::string(error.class_name()) + ": " + error.what();
  }
  return "accepted";
}

std::string cluster_refusal(const char* tf_config) {
  const distribute::Environment variable(
      distribute::EnvironmentVariables{{"TF_CONFIG", tf_config}});
  return error_of([] { RunConfig(); });
}

TEST(RunConfig, OneCadenceOfCheckpoints) {
  EXPECT_EQ(RunConfig().save_checkpoints_secs(), 600);
  const RunConfig steps({.save_checkpoints_steps = 5});
  EXPECT_EQ(steps.save_checkpoints_steps(), 5);
  EXPECT_FALSE(steps.save_checkpoints_secs());
  const RunConfig none({.save_checkpoints_steps = None, .save_checkpoints_secs = None});
  EXPECT_FALSE(none.save_checkpoints_steps());
  EXPECT_FALSE(none.save_checkpoints_secs());
  EXPECT_NE(error_of([] {
              RunConfig({.save_checkpoints_steps = 5, .save_checkpoints_secs = 5});
            }).find("cannot be both set."),
            std::string::npos);
}

TEST(RunConfig, ReplaceClearsTheOtherCadence) {
  const RunConfig config({.model_dir = "/d", .save_checkpoints_secs = 10});
  const RunConfig steps = config.replace([](auto& o) { o.save_checkpoints_steps = 7; });
  EXPECT_EQ(steps.save_checkpoints_steps(), 7);
  EXPECT_FALSE(steps.save_checkpoints_secs());
  EXPECT_EQ(steps.model_dir(), "/d");
  const RunConfig same = config.replace({{"keep_checkpoint_max", 2}});
  EXPECT_EQ(same.save_checkpoints_secs(), 10);
  EXPECT_EQ(same.keep_checkpoint_max(), 2);
  EXPECT_NE(error_of([&] {
              config.replace({{"master", "x"}});
            }).find("ValueError: Replacing master is not supported. Allowed properties are ["),
            std::string::npos);
}

TEST(RunConfig, ChecksItsArguments) {
  EXPECT_NE(error_of([] { RunConfig({.model_dir = ""}); }).find("non-empty"), std::string::npos);
  EXPECT_NE(error_of([] {
              RunConfig({.save_summary_steps = -1});
            }).find("ValueError: save_summary_steps should be >= 0"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              RunConfig({.log_step_count_steps = 0});
            }).find("ValueError: log_step_count_steps should be > 0"),
            std::string::npos);
}

TEST(RunConfig, AWorkerOfACluster) {
  const distribute::Environment variable(distribute::EnvironmentVariables{
      {"TF_CONFIG",
       R"({"cluster": {"chief": ["h0:1"], "ps": ["h1:1", "h2:1"], "worker": ["h3:1", "h4:1"]},
          "task": {"type": "ps", "index": 1}})"}});
  const RunConfig config;
  EXPECT_EQ(config.master(), "grpc://h2:1");
  EXPECT_EQ(config.global_id_in_cluster(), 4);
  EXPECT_EQ(config.num_worker_replicas(), 3);
  EXPECT_EQ(config.num_ps_replicas(), 2);
  EXPECT_FALSE(config.is_chief());
}

TEST(RunConfig, AnEvaluatorIsNotOfTheCluster) {
  const distribute::Environment variable(distribute::EnvironmentVariables{
      {"TF_CONFIG",
       R"({"cluster": {"chief": ["a:1"]}, "task": {"type": "evaluator", "index": 0}})"}});
  const RunConfig config;
  EXPECT_TRUE(config.cluster_spec().empty());
  EXPECT_EQ(config.num_worker_replicas(), 0);
  EXPECT_FALSE(config.global_id_in_cluster());
  EXPECT_EQ(tpu::RunConfig({.master = "m"}).evaluation_master(), "");
}

TEST(RunConfig, RefusesAWrongTask) {
  EXPECT_EQ(cluster_refusal(R"({"task": {"type": "chief", "index": 0}})"),
            "ValueError: If \"cluster\" is not set in TF_CONFIG, task type must be WORKER.");
  EXPECT_EQ(cluster_refusal(R"({"cluster": {"worker": ["a:1"]}})"),
            "ValueError: If \"cluster\" is set in TF_CONFIG, it must have one \"chief\" node.");
  EXPECT_EQ(
      cluster_refusal(R"({"cluster": {"chief": ["a:1"]}, "task": {"type": "worker", "index": 0}})")
          .find("ValueError: worker is not a valid task_type in the cluster_spec:"),
      0U);
  EXPECT_EQ(cluster_refusal(R"({"cluster": {"chief": ["a:1"]}, "task": {"type": "chief",
                               "index": -1}})")
                .find("ValueError: Task index must be non-negative number."),
            0U);
}

TEST(TPUConfig, ReadsDurations) {
  EXPECT_EQ(tpu::TPUConfig({.iterations_per_loop = "5m"}).iterations_seconds(), 300);
  EXPECT_EQ(tpu::TPUConfig({.iterations_per_loop = "12"}).iterations(), 12);
  for (const char* wrong : {"", "0s", "03s", "3 s", "3S", "3d", "1h3m", "1.5h", "-2s", "+4", "s",
                            "99999999999999999999", "9999999999999999h"}) {
    EXPECT_NE(error_of([&] {
                tpu::TPUConfig({.iterations_per_loop = wrong});
              }).find("Invalid TPUConfig `iterations_per_loop` value"),
              std::string::npos)
        << wrong;
  }
}

TEST(TPURunConfig, MasterOrCluster) {
  const tpu::RunConfig config({.master = "grpc://t:1"});
  EXPECT_EQ(config.evaluation_master(), "grpc://t:1");
  EXPECT_EQ(config.replace({{"keep_checkpoint_max", 1}}).master(), "grpc://t:1");
  const auto resolver = std::make_shared<distribute::SimpleClusterResolver>(
      distribute::ClusterSpec({{"worker", {"a:1"}}}));
  EXPECT_NE(error_of([&] {
              tpu::RunConfig({.master = "a", .cluster = resolver});
            }).find("Both master and cluster are set."),
            std::string::npos);
}

}  // namespace
}  // namespace antler::estimator
