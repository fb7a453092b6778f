#include "antler/cluster/gloo_communicator.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

#include "antler/base/error.h"
#include "base/clock.h"
#include "cluster/processes.h"

namespace antler {
namespace {

using test::free_addresses;
using test::Process;
using test::start_group;
using test::start_worker;

/// Processes, and whether they share memory.
class GlooCommunicator : public testing::TestWithParam<std::tuple<size_t, bool>> {
 protected:
  void SetUp() override {
    if (!std::get<1>(GetParam())) setenv(kWithout, "1", 1);
  }
  void TearDown() override { unsetenv(kWithout); }
  static size_t processes() { return std::get<0>(GetParam()); }

 private:
  static constexpr const char* kWithout = "WITHOUT_SHARED_MEMORY";
};

TEST_P(GlooCommunicator, CollectivesHaveTheExpectedValues) {
  std::vector<Process> group = start_group("collectives", free_addresses(processes()));
  for (Process& process : group) {
    EXPECT_EQ(process.wait(120), 0) << process.output();
    EXPECT_EQ(process.last_line(), "done");
  }
}

/// Kills the last process of a group that runs `scenario`; all others name it.
void expect_killed_peer_is_named(const std::string& scenario, size_t processes) {
  const auto addresses = free_addresses(processes);
  std::vector<Process> group = start_group(scenario, addresses);
  for (Process& process : group) ASSERT_TRUE(process.wait_for("running", 60)) << process.output();
  const double start = steady_seconds();
  group.back().kill(SIGKILL);
  group.pop_back();
  for (Process& process : group) {
    EXPECT_EQ(process.wait(20), 1) << process.output();
    EXPECT_TRUE(process.last_line().starts_with("UnavailableError")) << process.output();
    EXPECT_NE(process.last_line().find(addresses.back()), std::string::npos) << process.output();
  }
  EXPECT_LT(steady_seconds() - start, 15);
}

TEST_P(GlooCommunicator, KilledPeerIsNamedWithinSeconds) {
  expect_killed_peer_is_named("forever", processes());
}

TEST_P(GlooCommunicator, KilledPeerEndsMessagesOnTheirWay) {
  expect_killed_peer_is_named("forever_started", processes());
}

TEST_P(GlooCommunicator, KilledPeerEndsHalfSentMessages) {
  expect_killed_peer_is_named("forever_broadcast", processes());
}

TEST_P(GlooCommunicator, HealthChecksEndCollectivesThatWaitForAStoppedPeer) {
  const auto addresses = free_addresses(processes());
  std::vector<Process> group = start_group("forever", addresses, 60, 0.5);
  for (Process& process : group) ASSERT_TRUE(process.wait_for("running", 60)) << process.output();
  const double start = steady_seconds();
  // It keeps its connections open, but does not answer.
  group[1].kill(SIGSTOP);
  for (size_t rank = 0; rank < group.size(); ++rank) {
    if (rank == 1) continue;
    EXPECT_EQ(group[rank].wait(40), 1) << group[rank].output();
    EXPECT_TRUE(group[rank].last_line().starts_with("UnavailableError")) << group[rank].output();
    EXPECT_NE(group[rank].last_line().find(addresses[1]), std::string::npos)
        << group[rank].output();
  }
  EXPECT_LT(steady_seconds() - start, 20);
}

TEST_P(GlooCommunicator, LatePeerExceedsTheDeadline) {
  std::vector<Process> group = start_group("late", free_addresses(processes()), 1.5);
  EXPECT_EQ(group[0].wait(30), 1) << group[0].output();
  EXPECT_TRUE(group[0].last_line().starts_with("DeadlineExceededError") ||
              group[0].last_line().starts_with("UnavailableError"))
      << group[0].output();
  EXPECT_EQ(group.back().wait(30), 1) << group.back().output();
  EXPECT_TRUE(group.back().last_line().starts_with("UnavailableError")) << group.back().output();
}

TEST_P(GlooCommunicator, APeerThatLeavesIsNamed) {
  const auto addresses = free_addresses(processes());
  std::vector<Process> group = start_group("leaves", addresses);
  EXPECT_EQ(group.back().wait(60), 0) << group.back().output();
  group.pop_back();
  for (Process& process : group) {
    EXPECT_EQ(process.wait(20), 1) << process.output();
    EXPECT_TRUE(process.last_line().starts_with("UnavailableError")) << process.output();
    EXPECT_NE(process.last_line().find(addresses.back()), std::string::npos) << process.output();
  }
}

TEST_P(GlooCommunicator, DifferentCallsFail) {
  std::vector<Process> group = start_group("different", free_addresses(processes()), 1.5);
  for (Process& process : group) {
    EXPECT_EQ(process.wait(30), 1) << process.output();
    EXPECT_TRUE(process.last_line().starts_with("DeadlineExceededError") ||
                process.last_line().starts_with("UnavailableError"))
        << process.output();
  }
}

TEST(GlooTimeLimits, CollectivesWaitLongerThanConnections) {
  setenv("WITHOUT_SHARED_MEMORY", "1", 1);
  std::vector<Process> group = start_group("slow", free_addresses(2));
  unsetenv("WITHOUT_SHARED_MEMORY");
  for (Process& process : group) EXPECT_EQ(process.wait(60), 0) << process.output();
}

TEST(GlooTimeLimits, APeerThatNeverConnectsIsNamed) {
  const auto addresses = free_addresses(2);
  Process waits = start_worker("forever", 0, addresses, 5);
  Process vanishes = start_worker("vanishes", 1, addresses, 5);
  EXPECT_EQ(vanishes.wait(60), 0) << vanishes.output();
  // Gloo by itself waits for five times the limit.
  EXPECT_EQ(waits.wait(20), 1) << waits.output();
  EXPECT_TRUE(waits.last_line().starts_with("UnavailableError")) << waits.output();
  EXPECT_NE(waits.last_line().find(addresses[1]), std::string::npos) << waits.output();
}

INSTANTIATE_TEST_SUITE_P(Processes, GlooCommunicator,
                         testing::Combine(testing::Values(2, 3, 4), testing::Bool()),
                         [](const auto& info) {
                           return format("{}_processes_{}", std::get<0>(info.param),
                                         std::get<1>(info.param) ? "shared_memory" : "tcp");
                         });

TEST(GlooCommunicatorErrors, AnotherTokenIsRefused) {
  const auto addresses = free_addresses(2);
  Process first =
      start_worker("collectives", 0, addresses, 30, 30, {{"ANTLER_CLUSTER_TOKEN", "a"}});
  Process second =
      start_worker("collectives", 1, addresses, 30, 30, {{"ANTLER_CLUSTER_TOKEN", "b"}});
  EXPECT_EQ(second.wait(30), 1) << second.output();
  EXPECT_TRUE(second.last_line().starts_with("ValueError")) << second.output();
  EXPECT_NE(second.last_line().find("its token differs"), std::string::npos) << second.output();
  // The first process keeps waiting, and accepts the one with its token.
  Process third =
      start_worker("collectives", 1, addresses, 30, 30, {{"ANTLER_CLUSTER_TOKEN", "a"}});
  EXPECT_EQ(third.wait(60), 0) << third.output();
  EXPECT_EQ(first.wait(60), 0) << first.output();
  EXPECT_NE(first.output().find("refused a call"), std::string::npos) << first.output();
}

TEST(GlooOptions, WrongOnesAreRefused) {
  using cluster::connect;
  EXPECT_THROW(connect({}), ValueError);
  EXPECT_THROW(connect({.rank = 1, .addresses = {"localhost:1"}}), ValueError);
  EXPECT_THROW(connect({.addresses = {"localhost"}}), ValueError);
  EXPECT_THROW(connect({.addresses = {"localhost:0"}}), ValueError);
  EXPECT_THROW(connect({.addresses = {"localhost:99999"}}), ValueError);
  EXPECT_THROW(connect({.addresses = {"a:1", "a:1"}}), ValueError);
  EXPECT_THROW(connect({.addresses = {"a:1"}, .timeout = 0}), ValueError);
}

TEST(GlooOptions, OneProcessNeedsNoConnection) {
  const auto group = cluster::connect({.addresses = {"unknown.invalid:1"}});
  std::vector<float> data = {1, 2};
  group->all_reduce(data.data(), data.size(), DType::float32, ops::ReduceOp::mean);
  EXPECT_EQ(data, (std::vector<float>{1, 2}));
  EXPECT_EQ(group->size(), 1);
}

}  // namespace
}  // namespace antler
