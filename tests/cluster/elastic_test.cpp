// Trainings that continue when workers are killed.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "cluster/processes.h"
#include "cluster/training_group.h"

namespace antler {
namespace {

using test::kPatience;
using test::Process;
using test::TrainingGroup;

/// Epochs, samples, batch, steps per execution, pause in ms, timeout in s, and where which worker
/// ends itself.
std::vector<std::string> training(const std::string& steps_per_execution = "1",
                                  const std::string& place = "", const std::string& worker = "") {
  return {"elastic", "2", "250", "12", steps_per_execution, "10", "10", place, worker};
}

void expect_samples_seen_once(const Process& worker) {
  for (const char* epoch : {"0", "1"}) {
    EXPECT_NE(worker.output().find(std::string("epoch ") + epoch + " seen 250 not once 0\n"),
              std::string::npos)
        << worker.output();
  }
}

/// The sum of all weights at the end.
double weights(const Process& worker) {
  const size_t at = worker.output().find("weights ");
  return at == std::string::npos ? 0 : std::atof(worker.output().c_str() + at + 8);
}

double undisturbed_weights() {
  static const double sum = [] {
    const TrainingGroup cluster(2);
    std::vector<Process> workers = cluster.start_all(training());
    for (Process& worker : workers) EXPECT_EQ(worker.wait(kPatience), 0) << worker.output();
    expect_samples_seen_once(workers[0]);
    return weights(workers[0]);
  }();
  return sum;
}

TEST(Elastic, AWorkerThatDiesCostsNoSample) {
  const TrainingGroup cluster(3);
  std::vector<Process> workers = cluster.start_all(training());
  ASSERT_TRUE(workers[1].wait_for("at 0.4", kPatience)) << workers[1].output();
  workers[1].kill(SIGKILL);
  for (const size_t rank : {0, 2}) {
    EXPECT_EQ(workers[rank].wait(kPatience), 0) << workers[rank].output();
    expect_samples_seen_once(workers[rank]);
    EXPECT_NE(workers[rank].output().find("workers 2"), std::string::npos);
    EXPECT_NEAR(weights(workers[rank]), undisturbed_weights(), 1e-3);
  }
  EXPECT_EQ(workers[0].last_line(), workers[2].last_line());
}

/// What was traced while the group changed belongs to no group, also when the lost worker is back.
TEST(Elastic, AWorkerDiesWhileTheStepIsTracedAndComesBack) {
  const TrainingGroup cluster(3);
  const std::vector<std::string> long_training = {"elastic", "6", "250", "12", "1", "30", "10"};
  std::vector<std::string> dies = long_training;
  dies.insert(dies.end(), {"trace", "2"});
  std::vector<Process> workers;
  for (const size_t rank : {0, 1}) workers.push_back(cluster.start(rank, long_training));
  EXPECT_EQ(cluster.start(2, dies).wait(kPatience), 128 + SIGKILL);
  workers.push_back(cluster.start(2, long_training));
  for (Process& worker : workers) {
    EXPECT_EQ(worker.wait(kPatience), 0) << worker.output();
    EXPECT_EQ(worker.last_line(), workers[0].last_line());
  }
  EXPECT_NE(workers[0].output().find("workers 3"), std::string::npos) << workers[0].output();
}

TEST(Elastic, AWorkerThatDiesWithMessagesOnTheirWayCostsNoSample) {
  setenv("ANTLER_TEST_COMMUNICATION", "ring pack=1", 1);
  const TrainingGroup cluster(3);
  std::vector<Process> workers = cluster.start_all(training());
  unsetenv("ANTLER_TEST_COMMUNICATION");
  ASSERT_TRUE(workers[1].wait_for("at 0.4", kPatience)) << workers[1].output();
  workers[1].kill(SIGKILL);
  for (const size_t rank : {0, 2}) {
    EXPECT_EQ(workers[rank].wait(kPatience), 0) << workers[rank].output();
    expect_samples_seen_once(workers[rank]);
    EXPECT_NEAR(weights(workers[rank]), undisturbed_weights(), 1e-3);
  }
  EXPECT_EQ(workers[0].last_line(), workers[2].last_line());
}

TEST(Elastic, TheLastOneGoesOnAlone) {
  const TrainingGroup cluster(2);
  std::vector<Process> workers = cluster.start_all(training("3"));
  ASSERT_TRUE(workers[1].wait_for("at 0.5", kPatience)) << workers[1].output();
  workers[0].kill(SIGKILL);
  EXPECT_EQ(workers[1].wait(kPatience), 0) << workers[1].output();
  expect_samples_seen_once(workers[1]);
  EXPECT_NEAR(weights(workers[1]), undisturbed_weights(), 1e-3);
}

TEST(Elastic, AWorkerThatComesBackJoins) {
  const TrainingGroup cluster(2);
  std::vector<std::string> slow = training();
  slow[5] = "40";
  std::vector<Process> workers = cluster.start_all(slow);
  ASSERT_TRUE(workers[1].wait_for("at 0.2", kPatience)) << workers[1].output();
  workers[0].kill(SIGKILL);
  ASSERT_TRUE(workers[1].wait_for("workers 1", kPatience)) << workers[1].output();
  Process back = cluster.start(0, slow);
  EXPECT_EQ(back.wait(kPatience), 0) << back.output();
  EXPECT_EQ(workers[1].wait(kPatience), 0) << workers[1].output();
  expect_samples_seen_once(workers[1]);
  EXPECT_NE(back.output().find("workers 2"), std::string::npos) << back.output();
  EXPECT_EQ(back.last_line(), workers[1].last_line());
  EXPECT_NEAR(weights(workers[1]), undisturbed_weights(), 1e-3);
}

TEST(Elastic, TheSameHistoryGivesTheSameWeights) {
  std::vector<std::string> digests;
  for (int run = 0; run < 2; ++run) {
    const TrainingGroup cluster(3);
    std::vector<Process> workers = cluster.start_all(training("1", "0.7", "0"));
    EXPECT_EQ(workers[0].wait(kPatience), 128 + SIGKILL);
    for (const size_t rank : {1, 2}) {
      EXPECT_EQ(workers[rank].wait(kPatience), 0) << workers[rank].output();
      expect_samples_seen_once(workers[rank]);
      digests.push_back(workers[rank].last_line());
    }
  }
  for (const std::string& digest : digests) EXPECT_EQ(digest, digests[0]);
}

}  // namespace
}  // namespace antler
