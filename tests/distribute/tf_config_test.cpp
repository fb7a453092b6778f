#include "antler/distribute/tf_config.h"

#include <string>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "distribute/environment.h"

namespace antler::distribute {
namespace {

/// The error for a text, with its class.
std::string refusal(const std::string& text) {
  try {
    (void)TFConfig::parse(text);
  } catch (const Error& error) {
    return std::string(error.class_name()) + ": " + error.what();
  }
  return "no error";
}

TEST(TFConfig, ReadsClusterAndTask) {
  // As Kubernetes' TFJob writes it.
  const auto config = TFConfig::parse(
      R"({"cluster":{"chief":["j-chief-0.ns.svc:2222"],"worker":["j-worker-0.ns.svc:2222"]},)"
      R"("task":{"type":"worker","index":0},"environment":"cloud"})");
  EXPECT_EQ(config.cluster.task_address("worker", 0), "j-worker-0.ns.svc:2222");
  EXPECT_EQ(config.task_type, "worker");
  EXPECT_EQ(config.task_id, 0);
  EXPECT_FALSE(config.rpc_layer);
}

TEST(TFConfig, AllKeysMayBeMissing) {
  for (const char* text :
       {"", " \n", "{}", R"({"cluster": null, "task": null})", R"({"task":{}})"}) {
    const auto config = TFConfig::parse(text);
    EXPECT_TRUE(config.cluster.empty()) << text;
    EXPECT_FALSE(config.task_type || config.task_id) << text;
  }
}

TEST(TFConfig, AnIndexMayBeAString) {
  EXPECT_EQ(TFConfig::parse(R"({"task":{"index":"3"}})").task_id, 3);
}

TEST(TFConfig, WrittenTextIsRead) {
  const TFConfig config{.cluster = ClusterSpec({{"worker", {"a:1", "b:1"}}}),
                        .task_type = "worker",
                        .task_id = 1,
                        .rpc_layer = "grpc"};
  EXPECT_EQ(config.str(), R"({"cluster":{"worker":["a:1","b:1"]},)"
                          R"("task":{"type":"worker","index":1},"rpc_layer":"grpc"})");
  const auto again = TFConfig::parse(config.str());
  EXPECT_EQ(again.cluster, config.cluster);
  EXPECT_EQ(again.task_id, 1);
  EXPECT_EQ(again.rpc_layer, "grpc");
}

TEST(TFConfig, ErrorsNameThePlace) {
  EXPECT_EQ(refusal("{\"cluster\": }")
                .find("ValueError: TF_CONFIG is not JSON: parse error at line 1, column 13:"),
            0U)
      << refusal("{\"cluster\": }");
  EXPECT_EQ(refusal("[1]").find("TypeError: TF_CONFIG must be an object like"), 0U);
  EXPECT_EQ(refusal(R"({"task": "worker"})").find("TypeError: TF_CONFIG: task must be"), 0U);
  EXPECT_EQ(refusal(R"({"task": {"type": 1}})"),
            "TypeError: TF_CONFIG: task.type must be a string. Received: number.");
  EXPECT_EQ(refusal(R"({"task": {"index": 1.5}})"),
            "TypeError: TF_CONFIG: task.index must be an integer. Received: number.");
  for (const char* index : {"-1", "18446744073709551615", "\"x\"", "\"-1\"", "\"1 \""}) {
    EXPECT_EQ(refusal(R"({"task": {"index": )" + std::string(index) + "}}"),
              "ValueError: Task index must be non-negative number. Received: TF_CONFIG: "
              "task.index=" +
                  std::string(index) + ".");
  }
  EXPECT_EQ(refusal(R"({"cluster": {"worker": [1]}})")
                .find("TypeError: TF_CONFIG: cluster.worker[0] must be a string"),
            0U);
}

TEST(TFConfig, ReadsAndWritesWhatEstimatorsNeed) {
  const TFConfig config = TFConfig::parse(
      R"({"model_dir": "/d", "eval_session_master": "grpc://e:1", "service": {"n": 3}})");
  const TFConfig again = TFConfig::parse(config.str());
  EXPECT_EQ(again.model_dir, "/d");
  EXPECT_EQ(again.eval_session_master, "grpc://e:1");
  EXPECT_EQ(again.service, R"({"n":3})");
  EXPECT_EQ(refusal(R"({"service": [1]})"),
            "TypeError: If \"service\" is set in TF_CONFIG, it must be a dict. Given array.");
}

TEST(TFConfig, DeepNestingIsRefused) {
  EXPECT_EQ(refusal(std::string(20000, '[')).find("ValueError"), 0U);
  const std::string deep = std::string(20000, '[') + std::string(20000, ']');
  EXPECT_EQ(refusal(deep).find("TypeError"), 0U);
  EXPECT_EQ(refusal(R"({"cluster": {"worker": [)" + deep + "]}}").find("TypeError"), 0U);
}

TEST(TFConfig, ReadsTheEnvironment) {
  const Environment set(EnvironmentVariables{{"TF_CONFIG", R"({"task":{"type":"ps"}})"}});
  EXPECT_EQ(TFConfig::from_environment().task_type, "ps");
  const Environment unset(EnvironmentVariables{{"TF_CONFIG", ""}});
  EXPECT_FALSE(TFConfig::from_environment().task_type);
}

}  // namespace
}  // namespace antler::distribute
