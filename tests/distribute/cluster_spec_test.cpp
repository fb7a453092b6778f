#include "antler/distribute/cluster_spec.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/distribute/multi_worker_util.h"

namespace antler::distribute {
namespace {

const ClusterSpec kCluster({{"worker", {"a:1", "b:2"}}, {"ps", {"c:3"}}});

ClusterSpec parse(const char* text) { return ClusterSpec::from_dict(Json::parse(text)); }

TEST(ClusterSpec, TellsJobsAndTasks) {
  EXPECT_EQ(kCluster.jobs(), (std::vector<std::string>{"ps", "worker"}));
  EXPECT_EQ(kCluster.num_tasks("worker"), 2);
  EXPECT_EQ(kCluster.task_indices("worker"), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(kCluster.task_address("worker", 1), "b:2");
  EXPECT_EQ(kCluster.job_tasks("worker"), (std::vector<std::string>{"a:1", "b:2"}));
  EXPECT_FALSE(kCluster.empty());
  EXPECT_TRUE(ClusterSpec().empty());
  EXPECT_TRUE(ClusterSpec({{"worker", {}}}).job_tasks("worker").empty());
}

TEST(ClusterSpec, UnknownJobsAndTasksAreErrors) {
  EXPECT_THROW(kCluster.num_tasks("chief"), ValueError);
  EXPECT_THROW(kCluster.task_indices("chief"), ValueError);
  EXPECT_THROW(kCluster.job_tasks("chief"), ValueError);
  EXPECT_THROW(kCluster.task_address("worker", 2), ValueError);
  EXPECT_THROW(kCluster.task_address("worker", -1), ValueError);
  try {
    (void)kCluster.num_tasks("workers");
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("Did you mean 'worker'?"), std::string::npos);
  }
}

TEST(ClusterSpec, TaskIndicesMayHaveGaps) {
  const auto sparse = ClusterSpec::sparse({{"worker", {{1, "a:1"}, {3, "b:2"}}}});
  EXPECT_EQ(sparse.num_tasks("worker"), 2);
  EXPECT_EQ(sparse.task_indices("worker"), (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(sparse.job_tasks("worker"), (std::vector<std::string>{"", "a:1", "", "b:2"}));
  EXPECT_EQ(sparse.as_dict().dump(), R"({"worker":{"1":"a:1","3":"b:2"}})");
  EXPECT_THROW(ClusterSpec::sparse({{"worker", {{-1, "a:1"}}}}), ValueError);
  const auto far =
      ClusterSpec::sparse({{"worker", {{std::numeric_limits<int64_t>::max(), "a:1"}}}});
  EXPECT_EQ(far.as_dict().dump(), R"({"worker":{"9223372036854775807":"a:1"}})");
  EXPECT_THROW(far.job_tasks("worker"), ValueError);
}

TEST(ClusterSpec, EqualsByJobsAndAddresses) {
  EXPECT_EQ(ClusterSpec({{"ps", {"c:3"}}, {"worker", {"a:1", "b:2"}}}), kCluster);
  EXPECT_NE(ClusterSpec({{"worker", {"a:1", "b:2"}}}), kCluster);
  EXPECT_EQ(ClusterSpec::sparse({{"ps", {{0, "c:3"}}}, {"worker", {{0, "a:1"}, {1, "b:2"}}}}),
            kCluster);
}

TEST(ClusterSpec, DictionariesRoundTrip) {
  EXPECT_EQ(kCluster.as_dict().dump(), R"({"ps":["c:3"],"worker":["a:1","b:2"]})");
  EXPECT_EQ(ClusterSpec::from_dict(kCluster.as_dict()), kCluster);
  const auto sparse = parse(R"({"worker": {"3": "b:2", "1": "a:1"}, "ps": []})");
  EXPECT_EQ(sparse.task_address("worker", 3), "b:2");
  EXPECT_EQ(sparse.num_tasks("ps"), 0);
  EXPECT_EQ(sparse.as_dict().dump(), R"({"ps":{},"worker":{"1":"a:1","3":"b:2"}})");
  EXPECT_EQ(ClusterSpec::from_dict(sparse.as_dict()), sparse);
}

TEST(ClusterSpec, ErrorsNameThePlace) {
  const auto message = [](const char* text) -> std::string {
    try {
      (void)parse(text);
    } catch (const Error& error) {
      return std::string(error.class_name()) + ": " + error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message(R"({"worker": ["a:1", 5]})"),
            "TypeError: cluster.worker[1] must be a string like \"HOST:PORT\". Received: number.");
  EXPECT_EQ(message(R"({"worker": "a:1"})").find("TypeError: cluster.worker must be a list"), 0U);
  EXPECT_EQ(message("[]").find("TypeError: cluster must be an object"), 0U);
  EXPECT_EQ(message(R"({"worker": {"x": "a:1"}})"),
            "ValueError: cluster.worker: the index of a task must be an integer. Received: 'x'.");
  EXPECT_EQ(message(R"({"worker": {"1": "a:1", "01": "b:1"}})"),
            "ValueError: cluster.worker: two tasks have the index 1.");
}

TEST(MultiWorkerUtil, TheChiefComesFirst) {
  const ClusterSpec cluster({{"chief", {"a:1"}}, {"worker", {"b:1", "c:1"}}, {"ps", {"d:1"}}});
  EXPECT_TRUE(is_chief(cluster, "chief", 0));
  EXPECT_FALSE(is_chief(cluster, "worker", 0));
  EXPECT_FALSE(is_chief(cluster, "ps", 0));
  EXPECT_EQ(worker_count(cluster, "chief"), 3);
  EXPECT_EQ(worker_count(cluster, "worker"), 3);
  EXPECT_EQ(id_in_cluster(cluster, "chief", 0), 0);
  EXPECT_EQ(id_in_cluster(cluster, "worker", 1), 2);
  EXPECT_THROW(worker_count(cluster, "ps"), ValueError);
  EXPECT_THROW(id_in_cluster(cluster, "ps", 0), ValueError);
}

TEST(MultiWorkerUtil, TheFirstWorkerIsChiefOtherwise) {
  EXPECT_TRUE(is_chief(kCluster, "worker", 0));
  EXPECT_FALSE(is_chief(kCluster, "worker", 1));
  EXPECT_EQ(worker_count(kCluster, "worker"), 2);
  EXPECT_EQ(id_in_cluster(kCluster, "worker", 1), 1);
}

TEST(MultiWorkerUtil, MasterIsTheOldNameOfTheChief) {
  const ClusterSpec cluster({{"master", {"a:1"}}, {"worker", {"b:1"}}});
  EXPECT_TRUE(is_chief(cluster, "master", 0));
  EXPECT_FALSE(is_chief(cluster, "worker", 0));
  EXPECT_EQ(id_in_cluster(cluster, "worker", 0), 1);
  const ClusterSpec both({{"master", {"a:1"}}, {"chief", {"b:1"}}, {"worker", {"c:1"}}});
  EXPECT_THROW(is_chief(both, "worker", 0), ValueError);
}

TEST(MultiWorkerUtil, WorkersWithGapsHaveConsecutiveIds) {
  const auto sparse = ClusterSpec::sparse({{"worker", {{1, "a:1"}, {3, "b:2"}}}});
  EXPECT_TRUE(is_chief(sparse, "worker", 1));
  EXPECT_EQ(id_in_cluster(sparse, "worker", 3), 1);
  EXPECT_THROW(id_in_cluster(sparse, "worker", 0), ValueError);
}

TEST(MultiWorkerUtil, AnEvaluatorMayBeOutsideOfTheCluster) {
  EXPECT_TRUE(is_chief(kCluster, "evaluator", 0));
  EXPECT_EQ(worker_count(kCluster, "evaluator"), 1);
  EXPECT_EQ(id_in_cluster(kCluster, "evaluator", 0), 0);
  EXPECT_THROW(validate_cluster_spec(kCluster, "evaluator", 1), ValueError);
}

TEST(MultiWorkerUtil, RefusesWrongClustersAndTasks) {
  EXPECT_THROW(validate_cluster_spec(kCluster, "boss", 0), ValueError);
  EXPECT_THROW(validate_cluster_spec(kCluster, "chief", 0), ValueError);
  EXPECT_THROW(validate_cluster_spec(kCluster, "worker", 2), ValueError);
  EXPECT_THROW(validate_cluster_spec(kCluster, "worker", -1), ValueError);
  const ClusterSpec chiefs({{"chief", {"a:1", "b:1"}}});
  EXPECT_THROW(validate_cluster_spec(chiefs, "chief", 0), ValueError);
  const ClusterSpec evaluators({{"evaluator", {"a:1", "b:1"}}});
  EXPECT_THROW(validate_cluster_spec(evaluators, "evaluator", 0), ValueError);
}

}  // namespace
}  // namespace antler::distribute
