// A worker is preempted.
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "antler/antler.h"
#include "cluster/processes.h"
#include "cluster/training_group.h"

namespace antler {
namespace {

using distribute::PreemptionCheckpointHandler;
using test::kPatience;
using test::Process;
using test::TrainingGroup;

std::string last_step(const Process& worker) {
  const std::string& output = worker.output();
  const size_t at = output.rfind("step ");
  return at == std::string::npos ? "" : output.substr(at, output.find('\n', at) - at);
}

Checkpoint checkpoint_of(const Variable& variable) { return Checkpoint({{"v", variable}}); }

TEST(Preemption, ACheckpointNeedsAFolder) {
  EXPECT_THROW(PreemptionCheckpointHandler(nullptr, checkpoint_of(Variable(ops::zeros({2})))),
               ValueError);
  EXPECT_THROW(PreemptionCheckpointHandler(nullptr, std::shared_ptr<CheckpointManager>()),
               ValueError);
}

TEST(Preemption, TheClusterMustBeThatOfTheStrategy) {
  const auto resolver = std::make_shared<distribute::SimpleClusterResolver>(
      distribute::ClusterSpec({{"worker", {"a:1", "b:1"}}}),
      distribute::SimpleClusterResolverOptions{.task_type = "worker", .task_id = 0});
  EXPECT_THROW(PreemptionCheckpointHandler(resolver, checkpoint_of(Variable(ops::zeros({2}))),
                                           {.checkpoint_dir = testing::TempDir()}),
               ValueError);
}

TEST(Preemption, AGracePeriodIsUsedForTraining) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "antler_grace";
  std::filesystem::remove_all(folder);
  const Variable value(ops::zeros({}));
  const auto manager = std::make_shared<CheckpointManager>(checkpoint_of(value), folder);
  int exits = 0;
  const distribute::TerminationConfig config{.exit_fn = [&] { ++exits; }, .grace_period = 0.2};
  PreemptionCheckpointHandler handler(nullptr, manager, {.termination_config = config});
  const auto step = [&] { value.assign_add(ops::ones({})); };
  handler.run(step);
  std::raise(SIGTERM);
  handler.run(step);
  EXPECT_EQ(manager->checkpoints().size(), 1);
  EXPECT_EQ(exits, 0);
  while (exits == 0) handler.run(step);
  EXPECT_EQ(manager->checkpoints().size(), 2);
  EXPECT_EQ(value.value().item(), static_cast<double>(handler.total_run_calls()));
  // A restart continues from the last checkpoint, before the step that followed it.
  const double saved = value.value().item() - 1;
  value.assign(ops::zeros({}));
  const auto again = std::make_shared<CheckpointManager>(checkpoint_of(value), folder);
  const PreemptionCheckpointHandler restored(nullptr, again);
  EXPECT_EQ(value.value().item(), saved);
  EXPECT_EQ(static_cast<double>(restored.total_run_calls()), saved);
}

TEST(Preemption, AWatcherThatFailsIsCalledAgain) {
  std::atomic<int> calls = 0;
  const distribute::TerminationConfig config{.termination_watcher_fn = [&]() -> bool {
    ++calls;
    throw RuntimeError("no answer");
  }};
  const PreemptionCheckpointHandler handler(
      nullptr, checkpoint_of(Variable(ops::zeros({2}))),
      {.checkpoint_dir = testing::TempDir() + "/antler_watcher", .termination_config = config});
  while (calls < 2) std::this_thread::yield();
}

TEST(Preemption, AWatcherOfTheUserAnnouncesIt) {
  int exits = 0;
  int saves = 0;
  const distribute::TerminationConfig config{.termination_watcher_fn = [] { return true; },
                                             .exit_fn = [&] { ++exits; },
                                             .save_fn = [&] { ++saves; }};
  const Variable value(ops::zeros({}));
  PreemptionCheckpointHandler handler(
      nullptr, checkpoint_of(value),
      {.checkpoint_dir = testing::TempDir() + "antler_watcher", .termination_config = config});
  while (exits == 0) EXPECT_EQ(handler.run([] { return 5; }), 5);
  EXPECT_EQ(saves, 1);
}

TEST(Preemption, AllWorkersSaveAtOneStepAndGoOnFromThere) {
  const TrainingGroup cluster(2);
  const std::string steps = "30";
  const std::filesystem::path folders =
      std::filesystem::path(testing::TempDir()) / "antler_preemption";
  std::filesystem::remove_all(folders);
  std::vector<Process> whole = cluster.start_all({"preemption", folders / "whole", steps});
  for (Process& worker : whole) ASSERT_EQ(worker.wait(kPatience), 0) << worker.output();

  const std::string folder = folders / "preempted";
  std::vector<Process> first = cluster.start_all({"preemption", folder, steps});
  ASSERT_TRUE(first[1].wait_for("step 5\n", kPatience)) << first[1].output();
  first[1].kill(SIGTERM);
  for (Process& worker : first)
    EXPECT_EQ(worker.wait(kPatience), PreemptionCheckpointHandler::kRestart) << worker.output();
  EXPECT_EQ(last_step(first[0]), last_step(first[1]));

  std::vector<Process> second = cluster.start_all({"preemption", folder, steps});
  for (Process& worker : second) EXPECT_EQ(worker.wait(kPatience), 0) << worker.output();
  EXPECT_EQ(second[0].output().find("starts at 0\n"), std::string::npos);
  for (Process& worker : second) EXPECT_EQ(worker.last_line(), whole[0].last_line());
}

#ifdef ANTLER_APP
/// The text after `before`, up to the next space or end of line; "" if `before` does not occur.
std::string word_after(const std::string& text, const std::string& before) {
  const size_t at = text.find(before);
  if (at == std::string::npos) return "";
  const size_t begin = at + before.size();
  return text.substr(begin, text.find_first_of(" \n", begin) - begin);
}

/// The last line that a worker printed under `antler launch`.
std::string last_line_of(const Process& launch, const std::string& worker) {
  const size_t at = launch.output().rfind("[" + worker + "] ");
  const size_t begin = at == std::string::npos ? at : at + worker.size() + 3;
  return begin == std::string::npos
             ? ""
             : launch.output().substr(begin, launch.output().find('\n', begin) - begin);
}

TEST(Preemption, TheLauncherStartsPreemptedWorkersAgain) {
  const std::filesystem::path folders =
      std::filesystem::path(testing::TempDir()) / "antler_preemption_launch";
  std::filesystem::remove_all(folders);
  const auto launch = [&](const std::string& folder, const std::string& restarts) {
    return Process({ANTLER_APP, "launch", "--workers", "3", "--restarts", restarts, "--",
                    ANTLER_CLUSTER_TRAINING, "preemption", folders / folder, "60"},
                   {{"OMP_WAIT_POLICY", "passive"}});
  };
  Process whole = launch("whole", "0");
  ASSERT_EQ(whole.wait(kPatience), 0) << whole.output();

  Process preempted = launch("preempted", "9");
  ASSERT_TRUE(preempted.wait_for("[worker 1] step 5\n", kPatience)) << preempted.output();
  const std::string process = word_after(preempted.output(), "[worker 1] process ");
  ASSERT_NE(process, "") << preempted.output();
  ::kill(std::stoi(process), SIGTERM);
  EXPECT_EQ(preempted.wait(kPatience), 0) << preempted.output();
  for (const char* worker : {"worker 0", "worker 1", "worker 2"}) {
    EXPECT_NE(preempted.output().find(std::string(worker) + " ended with exit code 42"),
              std::string::npos)
        << preempted.output();
    EXPECT_EQ(last_line_of(preempted, worker), last_line_of(whole, worker)) << preempted.output();
  }
}
#endif

}  // namespace
}  // namespace antler
