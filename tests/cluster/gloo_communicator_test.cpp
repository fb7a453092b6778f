#include "antler/cluster/gloo_communicator.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cluster/processes.h"

namespace antler {
namespace {

using test::free_addresses;
using test::Process;
using test::start_group;
using test::start_worker;

class GlooCommunicator : public testing::TestWithParam<size_t> {};

TEST_P(GlooCommunicator, CollectivesHaveTheExpectedValues) {
  std::vector<Process> group = start_group("collectives", free_addresses(GetParam()));
  for (Process& process : group) {
    EXPECT_EQ(process.wait(120), 0) << process.output();
    EXPECT_EQ(process.last_line(), "done");
  }
}

TEST_P(GlooCommunicator, KilledPeerIsNamedWithinSeconds) {
  const auto addresses = free_addresses(GetParam());
  std::vector<Process> group = start_group("forever", addresses);
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

INSTANTIATE_TEST_SUITE_P(Processes, GlooCommunicator, testing::Values(2, 3, 4));

TEST(GlooCommunicatorErrors, LatePeerExceedsTheDeadline) {
  std::vector<Process> group = start_group("late", free_addresses(2), 1.5);
  EXPECT_EQ(group[0].wait(30), 1) << group[0].output();
  EXPECT_TRUE(group[0].last_line().starts_with("DeadlineExceededError")) << group[0].output();
  EXPECT_EQ(group[1].wait(30), 1) << group[1].output();
  EXPECT_TRUE(group[1].last_line().starts_with("UnavailableError")) << group[1].output();
}

TEST(GlooCommunicatorErrors, DifferentCallsExceedTheDeadline) {
  std::vector<Process> group = start_group("different", free_addresses(2), 1.5);
  for (Process& process : group) {
    EXPECT_EQ(process.wait(30), 1) << process.output();
    EXPECT_TRUE(process.last_line().starts_with("DeadlineExceededError") ||
                process.last_line().starts_with("UnavailableError"))
        << process.output();
  }
}

}  // namespace
}  // namespace antler
