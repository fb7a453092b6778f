#include "antler/distribute/initialize.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "antler/base/error.h"
#include "distribute/environment.h"

namespace antler::distribution {
namespace {

using distribute::Environment;
using Names = std::vector<std::string>;

/// No description of a cluster, but these variables.
Environment only(distribute::EnvironmentVariables variables) {
  for (const char* name :
       {"TF_CONFIG", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "KERAS_DISTRIBUTION_JOB_ADDRESSES",
        "KERAS_DISTRIBUTION_NUM_PROCESSES", "KERAS_DISTRIBUTION_PROCESS_ID"}) {
    variables.try_emplace(name, "");
  }
  return Environment(variables);
}

TEST(Initialize, AProcessAloneNeedsNothing) {
  const Environment none = only({});
  EXPECT_TRUE(described_processes().addresses.empty());
  EXPECT_TRUE(described_processes({.num_processes = 1}).addresses.empty());
  bool connected = false;
  initialize({}, [&](const Processes&) {
    connected = true;
    return nullptr;
  });
  EXPECT_FALSE(connected);
}

TEST(Initialize, TakesArgumentsBeforeTheEnvironment) {
  const Environment environment = only({{"KERAS_DISTRIBUTION_JOB_ADDRESSES", "a:1,b:2"},
                                        {"KERAS_DISTRIBUTION_NUM_PROCESSES", "2"},
                                        {"KERAS_DISTRIBUTION_PROCESS_ID", "1"}});
  EXPECT_EQ(described_processes().addresses, (Names{"a:1", "b:2"}));
  EXPECT_EQ(described_processes().process_id, 1);
  const Processes given =
      described_processes({.job_addresses = "c:1,d:2,e:3", .num_processes = 3, .process_id = 0});
  EXPECT_EQ(given.addresses, (Names{"c:1", "d:2", "e:3"}));
  EXPECT_EQ(given.process_id, 0);
}

TEST(Initialize, FindsTheClusterThatStartedTheProcess) {
  const Environment environment =
      only({{"TF_CONFIG", R"({"cluster": {"chief": ["a:1"], "worker": ["b:1", "c:1"]},
                         "task": {"type": "worker", "index": 1}})"}});
  EXPECT_EQ(described_processes().addresses, (Names{"a:1", "b:1", "c:1"}));
  EXPECT_EQ(described_processes().process_id, 2);
}

TEST(Initialize, ChecksItsArguments) {
  const Environment none = only({});
  const auto described = [](const InitializeOptions& options) { described_processes(options); };
  EXPECT_THROW(described({.job_addresses = "a:1,b:2", .num_processes = 3, .process_id = 0}),
               ValueError);
  EXPECT_THROW(described({.num_processes = 2, .process_id = 0}), ValueError);
  EXPECT_THROW(described({.job_addresses = "a:1,b:2"}), ValueError);
  EXPECT_THROW(described({.job_addresses = "a:1,b:2", .process_id = 2}), ValueError);
  EXPECT_THROW(described({.job_addresses = "a:1,b:2", .process_id = -1}), ValueError);
  EXPECT_THROW(initialize({.job_addresses = "a:1,b:2", .process_id = 0}), RuntimeError)
      << "nothing connects them";
}

}  // namespace
}  // namespace antler::distribution
