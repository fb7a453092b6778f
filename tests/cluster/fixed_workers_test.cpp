// Training with a fixed set of workers: their communication, and the effects of losing one.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "antler/antler.h"
#include "antler/cluster/multi_worker_mirrored_strategy.h"
#include "cluster/processes.h"
#include "cluster/training_group.h"

namespace antler {
namespace {

using test::kPatience;
using test::Process;
using test::TrainingGroup;

/// Longer than kPatience, so that no test passes because of the collectives' timeout.
constexpr const char* kTimeout = " timeout=300";

class Communication {
 public:
  explicit Communication(const std::string& settings) { setenv(kVariable, settings.c_str(), 1); }
  ~Communication() { unsetenv(kVariable); }
  Communication(const Communication&) = delete;
  Communication& operator=(const Communication&) = delete;

 private:
  static constexpr const char* kVariable = "ANTLER_TEST_COMMUNICATION";
};

std::filesystem::path empty_folder(const std::string& name) {
  std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / ("antler_" + name);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

/// What two workers print at the end: the loss and the digest of their weights.
std::string result_of_training(const std::string& settings) {
  const Communication communication(settings);
  const TrainingGroup cluster(2);
  std::vector<Process> workers = cluster.start_all({"fixed", "", ""});
  for (Process& worker : workers) EXPECT_EQ(worker.wait(kPatience), 0) << worker.output();
  EXPECT_EQ(workers[0].last_line(), workers[1].last_line());
  const std::string& output = workers[0].output();
  const size_t at = output.find("loss ");
  return at == std::string::npos ? output : output.substr(at);
}

TEST(CommunicationOptions, EveryWayGivesTheSameWeights) {
  const std::string result = result_of_training("");
  EXPECT_EQ(result_of_training("ring"), result);
  EXPECT_EQ(result_of_training("ring pack=1"), result);
  EXPECT_EQ(result_of_training("ring pack=1000"), result);
  EXPECT_EQ(result_of_training("pack=1000"), result);
}

TEST(CommunicationOptions, ShortGradientsAreTheSameEverywhere) {
  for (const std::string dtype : {"dtype=bfloat16", "dtype=float16"}) {
    const std::string result = result_of_training(dtype);
    EXPECT_NE(result, result_of_training(""));
    EXPECT_EQ(result_of_training(dtype + " ring"), result);
    EXPECT_EQ(result_of_training(dtype + " ring pack=1000"), result);
  }
}

TEST(CommunicationOptions, WrongOnesAreRefused) {
  using cluster::CommunicationOptions;
  const auto strategy = [](const CommunicationOptions& options) {
    return cluster::MultiWorkerMirroredStrategy({.communication_options = options});
  };
  EXPECT_THROW(strategy({.bytes_per_pack = -1}), ValueError);
  EXPECT_THROW(strategy({.timeout_seconds = 0}), ValueError);
  EXPECT_THROW(strategy({.gradient_dtype = DType::float64}), ValueError);
  EXPECT_THROW(strategy({.implementation = cluster::CommunicationImplementation::nccl}),
               NotImplementedError);
  EXPECT_NO_THROW(strategy({.bytes_per_pack = 1 << 20, .gradient_dtype = DType::float16}));
}

TEST(CommunicationOptions, TheTimeoutEndsAStepThatOneWorkerDoesNotTake) {
  for (const std::string settings : {"timeout=2", "timeout=2 ring", "timeout=2 ring pack=1000"}) {
    const Communication communication(settings);
    const TrainingGroup cluster(2);
    std::vector<Process> workers = cluster.start_all({"fixed", "", "step"});
    ASSERT_TRUE(workers[0].wait_for("phase step", kPatience)) << workers[0].output();
    workers[1].kill(SIGSTOP);
    EXPECT_EQ(workers[0].wait(kPatience), 1) << workers[0].output();
    EXPECT_TRUE(workers[0].last_line().starts_with("DeadlineExceededError") ||
                workers[0].last_line().starts_with("UnavailableError"))
        << workers[0].output();
  }
}

/// The phase in which a worker is killed, the worker, and how values travel.
class LostWorker : public testing::TestWithParam<std::tuple<const char*, size_t, const char*>> {};

TEST_P(LostWorker, IsAnErrorOfTheOther) {
  const auto& [phase, rank, settings] = GetParam();
  const Communication communication(std::string(settings) + kTimeout);
  const std::filesystem::path folder = empty_folder("lost_worker");
  const TrainingGroup cluster(2);
  std::vector<Process> workers = cluster.start_all({"fixed", folder, phase});
  Process& lost = workers[rank];
  Process& left = workers[1 - rank];
  const std::string text = std::string("phase ") + phase;
  ASSERT_TRUE(lost.wait_for(text, kPatience)) << lost.output();
  ASSERT_TRUE(left.wait_for(text, kPatience)) << left.output();
  lost.kill(SIGKILL);
  EXPECT_EQ(left.wait(kPatience), 1) << left.output();
  EXPECT_TRUE(left.last_line().starts_with("UnavailableError")) << left.output();
  EXPECT_NE(left.last_line().find(rank == 0 ? "worker 0" : "worker 1"), std::string::npos)
      << left.output();
  // No file is half written.
  if (std::filesystem::exists(folder / "model.keras")) {
    EXPECT_EQ(phase, std::string("save"));
    EXPECT_NO_THROW(load_model(folder / "model.keras"));
  }
}

INSTANTIATE_TEST_SUITE_P(Phases, LostWorker,
                         testing::Combine(testing::Values("build", "step", "save", "evaluate"),
                                          testing::Values(size_t{0}, size_t{1}),
                                          testing::Values("", "ring", "ring pack=1000")));

TEST(LostWorkerAtStart, IsWaitedForOrAnError) {
  const Communication communication(kTimeout);
  for (const double seconds : {0.0, 0.05, 0.2}) {
    const TrainingGroup cluster(2);
    Process left = cluster.start(0, {"fixed", "", ""});
    // It does not train, so that it cannot have finished before it is killed.
    Process lost = cluster.start(1, {"fixed", "", "connected"});
    ASSERT_TRUE(lost.wait_for("phase connect", kPatience)) << lost.output();
    lost.wait_for("no such text", seconds);
    lost.kill(SIGKILL);
    // It starts again. The other one has waited for it, or was connected and has failed.
    Process again = cluster.start(1, {"fixed", "", ""});
    const int status = left.wait(kPatience);
    if (status == 0) {
      EXPECT_EQ(again.wait(kPatience), 0) << again.output();
      EXPECT_EQ(again.last_line(), left.last_line());
    } else {
      EXPECT_EQ(status, 1) << left.output();
      EXPECT_TRUE(left.last_line().starts_with("UnavailableError")) << left.output();
    }
  }
}

}  // namespace
}  // namespace antler
