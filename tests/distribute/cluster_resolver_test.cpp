#include "antler/distribute/cluster_resolver.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "distribute/environment.h"

namespace antler::distribute {
namespace {

using Strings = std::vector<std::string>;

const char* const kTwoWorkers =
    R"({"cluster":{"worker":["a:1","b:2"]},"task":{"type":"worker","index":1},"rpc_layer":"grpc"})";

/// The variables of all launchers, not set unless given.
Environment environment(const EnvironmentVariables& given) {
  EnvironmentVariables all = {{"TF_CONFIG", ""},
                              {"OMPI_COMM_WORLD_RANK", ""},
                              {"OMPI_COMM_WORLD_SIZE", ""},
                              {"OMPI_COMM_WORLD_LOCAL_SIZE", ""},
                              {"SLURM_PROCID", ""},
                              {"SLURM_STEP_NUM_TASKS", ""},
                              {"SLURM_STEP_NODELIST", ""},
                              {"SLURM_STEP_TASKS_PER_NODE", ""},
                              {"SLURMD_NODENAME", ""}};
  for (const auto& [name, value] : given) all[name] = value;
  return Environment(all);
}

EnvironmentVariables slurm(const std::string& rank) {
  return {{"SLURM_PROCID", rank},
          {"SLURM_STEP_NUM_TASKS", "5"},
          {"SLURM_STEP_NODELIST", "t02n[13,41],x"},
          {"SLURM_STEP_TASKS_PER_NODE", "2(x2),1"}};
}

EnvironmentVariables open_mpi(const std::string& rank, const std::string& size,
                              const std::string& here) {
  return {{"OMPI_COMM_WORLD_RANK", rank},
          {"OMPI_COMM_WORLD_SIZE", size},
          {"OMPI_COMM_WORLD_LOCAL_SIZE", here}};
}

TEST(TFConfigClusterResolver, ReadsTheEnvironmentAtEachCall) {
  const TFConfigClusterResolver resolver;
  {
    const auto set = environment({{"TF_CONFIG", kTwoWorkers}});
    EXPECT_EQ(resolver.cluster_spec(), ClusterSpec({{"worker", {"a:1", "b:2"}}}));
    EXPECT_EQ(resolver.task_type(), "worker");
    EXPECT_EQ(resolver.task_id(), 1);
    EXPECT_EQ(resolver.rpc_layer(), "grpc");
    EXPECT_EQ(resolver.master(), "grpc://b:2");
    EXPECT_EQ(resolver.master({.task_type = "worker", .task_id = 0, .rpc_layer = ""}), "a:1");
    EXPECT_THROW(resolver.master({.task_id = 2}), ValueError);
    validate(resolver);
  }
  const auto unset = environment({});
  EXPECT_TRUE(resolver.cluster_spec().empty());
  EXPECT_FALSE(resolver.task_type() || resolver.task_id() || resolver.rpc_layer());
  EXPECT_EQ(resolver.master(), "");
  validate(resolver);
}

TEST(TFConfigClusterResolver, OptionsWin) {
  const auto set = environment({{"TF_CONFIG", kTwoWorkers}});
  TFConfigClusterResolver resolver({.task_type = "worker", .task_id = 0, .rpc_layer = "http"});
  EXPECT_EQ(resolver.master(), "http://a:1");
  resolver.set_task_id(1);
  EXPECT_EQ(resolver.master(), "http://b:2");
}

TEST(TFConfigClusterResolver, TheMasterOfOneTaskIsEmpty) {
  const auto one = environment({{"TF_CONFIG", R"({"cluster":{"worker":["a:1"]}})"}});
  EXPECT_EQ(TFConfigClusterResolver().master(), "");
  const auto named = environment({{"TF_CONFIG", R"({"session_master":"m:1"})"}});
  EXPECT_EQ(TFConfigClusterResolver().master(), "m:1");
}

TEST(TFConfigClusterResolver, ClustersWithoutThisProcessAreInvalid) {
  for (const char* task : {R"({})", R"({"type":"worker"})", R"({"index":0})",
                           R"({"type":"worker","index":2})", R"({"type":"chief","index":0})"}) {
    const auto set = environment({{"TF_CONFIG", R"({"cluster":{"worker":["a:1","b:2"]},"task":)" +
                                                    std::string(task) + "}"}});
    EXPECT_THROW(validate(TFConfigClusterResolver()), ValueError) << task;
  }
}

TEST(SimpleClusterResolver, ReturnsWhatItWasGiven) {
  const SimpleClusterResolver resolver(ClusterSpec({{"worker", {"a:1", "b:2"}}}),
                                       {.master = "m:1",
                                        .task_type = "worker",
                                        .task_id = 1,
                                        .environment = "lab",
                                        .num_accelerators = {{"GPU", 8}},
                                        .rpc_layer = "grpc"});
  EXPECT_EQ(resolver.master(), "grpc://m:1");
  EXPECT_EQ(resolver.master({.task_type = "worker", .task_id = 0}), "grpc://a:1");
  EXPECT_EQ(resolver.task_id(), 1);
  EXPECT_EQ(resolver.environment(), "lab");
  EXPECT_EQ(resolver.num_accelerators().at("GPU"), 8);
  validate(resolver);
  EXPECT_EQ(SimpleClusterResolver(ClusterSpec(), {.rpc_layer = "grpc"}).master(), "");
}

std::shared_ptr<const ClusterResolver> simple(const ClusterSpec& cluster,
                                              const SimpleClusterResolverOptions& options = {}) {
  return std::make_shared<SimpleClusterResolver>(cluster, options);
}

TEST(UnionResolver, ListsAreJoinedOneBehindTheOther) {
  const UnionResolver both(
      {simple(ClusterSpec({{"worker", {"a:1"}}}), {.task_type = "worker", .task_id = 0}),
       simple(ClusterSpec({{"worker", {"b:1"}}, {"ps", {"c:1"}}}), {.task_type = "ps"})});
  EXPECT_EQ(both.cluster_spec(), ClusterSpec({{"worker", {"a:1", "b:1"}}, {"ps", {"c:1"}}}));
  EXPECT_EQ(both.task_type(), "worker");
  EXPECT_EQ(both.task_id(), 0);
  EXPECT_EQ(both.master({.task_type = "worker", .task_id = 1, .rpc_layer = "grpc"}), "grpc://b:1");
}

TEST(UnionResolver, JobsWithGapsAreJoinedByIndex) {
  const auto gap = ClusterSpec::sparse({{"worker", {{3, "d:1"}}}});
  EXPECT_EQ(UnionResolver({simple(ClusterSpec({{"worker", {"a:1"}}})), simple(gap)}).cluster_spec(),
            ClusterSpec::sparse({{"worker", {{0, "a:1"}, {3, "d:1"}}}}));
  EXPECT_THROW(UnionResolver({simple(gap), simple(gap)}).cluster_spec(), KeyError);
}

TEST(UnionResolver, OptionsWin) {
  const UnionResolver resolver(
      {simple(ClusterSpec({{"worker", {"a:1", "b:1"}}}), {.task_type = "worker", .task_id = 1})},
      {.task_id = 0, .rpc_layer = "grpc"});
  EXPECT_EQ(resolver.task_id(), 0);
  EXPECT_EQ(resolver.rpc_layer(), "grpc");
  EXPECT_THROW(UnionResolver({}), ValueError);
  EXPECT_THROW(UnionResolver({nullptr}), ValueError);
}

TEST(SlurmClusterResolver, RanksFollowTheNodes) {
  const auto set = environment(slurm("3"));
  const SlurmClusterResolver resolver;
  EXPECT_EQ(
      resolver.cluster_spec(),
      ClusterSpec(
          {{"worker", {"t02n13:8888", "t02n13:8889", "t02n41:8888", "t02n41:8889", "x:8888"}}}));
  EXPECT_EQ(resolver.task_type(), "worker");
  EXPECT_EQ(resolver.task_id(), 3);
  EXPECT_EQ(resolver.master(), "grpc://t02n41:8889");
  validate(resolver);
}

TEST(SlurmClusterResolver, JobsTakeRanksInTheirOrder) {
  const auto set = environment(slurm("1"));
  const SlurmClusterResolver resolver({.jobs = {{"ps", 1}, {"worker", 4}}, .port_base = 1337});
  EXPECT_EQ(resolver.cluster_spec().task_address("ps", 0), "t02n13:1337");
  EXPECT_EQ(resolver.task_type(), "worker");
  EXPECT_EQ(resolver.task_id(), 0);
  EXPECT_EQ(resolver.master(), "grpc://t02n13:1338");
}

TEST(SlurmClusterResolver, RefusesWhatDoesNotAddUp) {
  const auto set = environment(slurm("1"));
  EXPECT_THROW(SlurmClusterResolver({.jobs = {{"worker", 4}}}), RuntimeError);
  EXPECT_THROW(SlurmClusterResolver({.jobs = {{"worker", 6}}}), RuntimeError);
  EXPECT_THROW(SlurmClusterResolver({.jobs = {{"worker", -1}, {"ps", 6}}}), RuntimeError);
  EXPECT_THROW(SlurmClusterResolver({.jobs = {{"worker", 3}, {"worker", 2}}}), ValueError);
  EXPECT_THROW(SlurmClusterResolver({.tasks_per_node = {1}}), RuntimeError);
  EXPECT_THROW(SlurmClusterResolver({.tasks_per_node = {3, 2}}), RuntimeError);
  EXPECT_THROW(SlurmClusterResolver({.port_base = 65535}), ValueError);
  EXPECT_EQ(SlurmClusterResolver({.tasks_per_node = {2}}).master(), "grpc://t02n13:8889");
}

TEST(SlurmClusterResolver, RefusesWrongVariables) {
  for (const auto& [name, value] : EnvironmentVariables{{"SLURM_PROCID", "5"},
                                                        {"SLURM_STEP_NUM_TASKS", "many"},
                                                        {"SLURM_STEP_NODELIST", ""},
                                                        {"SLURM_STEP_TASKS_PER_NODE", "2"}}) {
    EnvironmentVariables variables = slurm("1");
    variables[name] = value;
    const auto set = environment(variables);
    EXPECT_THROW(SlurmClusterResolver(), RuntimeError) << name;
  }
}

TEST(SlurmClusterResolver, NoticesAnotherOrderOfRanks) {
  EnvironmentVariables variables = slurm("2");
  variables["SLURMD_NODENAME"] = "t02n41";
  {
    const auto set = environment(variables);
    EXPECT_EQ(SlurmClusterResolver().master(), "grpc://t02n41:8888");
  }
  variables["SLURMD_NODENAME"] = "x";
  const auto set = environment(variables);
  EXPECT_THROW(SlurmClusterResolver(), RuntimeError);
}

TEST(SlurmLists, HostsAreExpanded) {
  EXPECT_EQ(expand_hostlist("n[1-2],m5,o[3-4,6,7-9]"),
            (Strings{"n1", "n2", "m5", "o3", "o4", "o6", "o7", "o8", "o9"}));
  EXPECT_EQ(expand_hostlist("n[08-10]-ib"), (Strings{"n08-ib", "n09-ib", "n10-ib"}));
  EXPECT_EQ(expand_hostlist("r[1-2]n[0,5]"), (Strings{"r1n0", "r1n5", "r2n0", "r2n5"}));
  EXPECT_EQ(expand_hostlist("one"), Strings{"one"});
  for (const char* wrong :
       {"", "a,", ",a", "n[", "n[]", "n]", "n[1-]", "n[-2]", "n[2-1]", "n[1,]", "n[x]",
        "n[0-99999999]", "n[0-999]x[0-999]", "n[1[2]]", "n[99999999999999999999]"}) {
    EXPECT_THROW(expand_hostlist(wrong), ValueError) << wrong;
  }
  EXPECT_THROW(expand_hostlist("n[1-9]" + std::string(256, 'x')), ValueError);
}

TEST(SlurmLists, TasksPerNodeAreExpanded) {
  EXPECT_EQ(expand_tasks_per_node("3(x2),2,1"), (std::vector<int64_t>{3, 3, 2, 1}));
  EXPECT_EQ(expand_tasks_per_node("4"), std::vector<int64_t>{4});
  for (const char* wrong : {"", "2,", "x", "2(x)", "2(x2", "2x2)", "(x2)", "2(x999999)", "-1"}) {
    EXPECT_THROW(expand_tasks_per_node(wrong), ValueError) << wrong;
  }
}

TEST(OpenMpiClusterResolver, AllProcessesMayBeOnThisMachine) {
  const auto set = environment(open_mpi("1", "3", "3"));
  const OpenMpiClusterResolver resolver({.jobs = {{"chief", 1}, {"worker", 2}}});
  EXPECT_EQ(resolver.cluster_spec(),
            ClusterSpec(
                {{"chief", {"127.0.0.1:8888"}}, {"worker", {"127.0.0.1:8889", "127.0.0.1:8890"}}}));
  EXPECT_EQ(resolver.task_type(), "worker");
  EXPECT_EQ(resolver.task_id(), 0);
}

TEST(OpenMpiClusterResolver, HostsOfRanksMustAgreeWithMpirun) {
  const auto set = environment(open_mpi("2", "3", "2"));
  EXPECT_THROW(OpenMpiClusterResolver(), RuntimeError);
  EXPECT_EQ(OpenMpiClusterResolver({.hosts = {"a", "b", "b"}}).master(), "grpc://b:8889");
  EXPECT_EQ(OpenMpiClusterResolver({.hosts = {"b", "a", "b"}}).master(), "grpc://b:8889");
  EXPECT_THROW(OpenMpiClusterResolver({.hosts = {"a", "a", "b"}}), RuntimeError);
  EXPECT_THROW(OpenMpiClusterResolver({.hosts = {"a", "b"}}), RuntimeError);
}

TEST(OpenMpiClusterResolver, RefusesWrongVariables) {
  const auto above = environment(open_mpi("3", "3", "3"));
  EXPECT_THROW(OpenMpiClusterResolver(), RuntimeError);
  const auto huge = environment(open_mpi("3", "9000000000000", "9000000000000"));
  EXPECT_THROW(OpenMpiClusterResolver(), RuntimeError);
  const auto missing = environment(open_mpi("1", "3", ""));
  EXPECT_THROW(OpenMpiClusterResolver(), RuntimeError);
}

TEST(ResolverFromEnvironment, TakesTheInnermostLauncher) {
  EnvironmentVariables all = slurm("3");
  all.merge(open_mpi("0", "2", "2"));
  {
    const auto set = environment(all);
    EXPECT_EQ(resolver_from_environment()->cluster_spec().num_tasks("worker"), 2);
  }
  all["TF_CONFIG"] = kTwoWorkers;
  {
    const auto set = environment(all);
    EXPECT_EQ(resolver_from_environment()->task_id(), 1);
  }
  const auto set = environment(slurm("3"));
  EXPECT_EQ(resolver_from_environment()->cluster_spec().num_tasks("worker"), 5);
}

TEST(ResolverFromEnvironment, IsNullForAProcessAlone) {
  {
    const auto set = environment({{"TF_CONFIG", " "}});
    EXPECT_EQ(resolver_from_environment(), nullptr);
  }
  {
    const auto set = environment(open_mpi("0", "1", "1"));
    EXPECT_EQ(resolver_from_environment(), nullptr);
  }
  // A batch script is not a step.
  const auto set = environment({{"SLURM_PROCID", "0"}});
  EXPECT_EQ(resolver_from_environment(), nullptr);
}

}  // namespace
}  // namespace antler::distribute
