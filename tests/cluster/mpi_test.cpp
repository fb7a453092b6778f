// Communication by MPI, which a plug-in brings.
#include "antler/cluster/mpi_communicator.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "antler/base/error.h"
#include "antler/cluster/multi_worker_mirrored_strategy.h"
#include "cluster/processes.h"
#include "cluster/training_group.h"

namespace antler {
namespace {

using test::kPatience;
using test::Process;
using test::TrainingGroup;

/// Sets an environment variable during its lifetime.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~Setting() { unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
};

TEST(MpiPlugin, IsNotLoadedBeforeItIsNeeded) {
  std::ifstream maps("/proc/self/maps");
  const std::string text{std::istreambuf_iterator<char>(maps), {}};
  EXPECT_NE(text.find("libstdc++"), std::string::npos);
  EXPECT_EQ(text.find("libmpi"), std::string::npos);
}

TEST(MpiPlugin, NeedsALauncherAndTheLibrary) {
  EXPECT_FALSE(cluster::is_started_by_mpi());
  EXPECT_THROW(cluster::connect_mpi({.rank = 0, .size = 2}), RuntimeError);
  const Setting launcher("OMPI_COMM_WORLD_SIZE", "2");
  const Setting path("ANTLER_MPI_PLUGIN", "/nonexistent/libantler_mpi.so");
  EXPECT_TRUE(cluster::is_started_by_mpi());
  EXPECT_FALSE(cluster::has_mpi_plugin());
  EXPECT_THROW(cluster::connect_mpi({.rank = 0, .size = 2}), NotFoundError);
}

TEST(MpiPlugin, ElasticTrainingIsRefused) {
  EXPECT_THROW(
      cluster::MultiWorkerMirroredStrategy(
          {.communication_options = {.implementation = cluster::CommunicationImplementation::mpi},
           .elastic = true}),
      ValueError);
}

class MpirunTest : public testing::Test {
 protected:
  void SetUp() override {
#ifndef ANTLER_MPI_PLUGIN_FILE
    GTEST_SKIP() << "built without ANTLER_BUILD_MPI";
#else
    for (const char* folder : {"/usr/bin/", "/usr/local/bin/"}) {
      if (std::filesystem::exists(std::string(folder) + "mpirun")) mpirun_ = folder;
    }
    if (mpirun_.empty()) GTEST_SKIP() << "there is no mpirun";
    mpirun_ += "mpirun";
#endif
  }

  Process start(int processes, const std::vector<std::string>& program) const {
    std::vector<std::string> line = {mpirun_, "-n", std::to_string(processes),
                                     "--allow-run-as-root", "--oversubscribe"};
    line.insert(line.end(), program.begin(), program.end());
#ifdef ANTLER_MPI_PLUGIN_FILE
    const std::string plugin = ANTLER_MPI_PLUGIN_FILE;
#else
    const std::string plugin;
#endif
    return Process(line, {{"ANTLER_MPI_PLUGIN", plugin},
                          {"OMP_WAIT_POLICY", "passive"},
                          // Containers may not allow its way of copying between processes.
                          {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"}});
  }

  std::string mpirun_;
};

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST_F(MpirunTest, CollectivesHaveTheExpectedValues) {
  for (const int processes : {2, 3}) {
    Process group = start(processes, {ANTLER_CLUSTER_WORKER, "collectives", "mpi", "-"});
    EXPECT_EQ(group.wait(kPatience), 0) << group.output();
    EXPECT_EQ(count(group.output(), "done\n"), processes) << group.output();
  }
}

TEST_F(MpirunTest, LatePeerExceedsTheDeadline) {
  Process group = start(2, {ANTLER_CLUSTER_WORKER, "late", "mpi", "-", "1.5"});
  EXPECT_NE(group.wait(kPatience), 0) << group.output();
  EXPECT_NE(group.output().find("DeadlineExceededError"), std::string::npos) << group.output();
}

/// mpirun ends all processes of a job when one dies.
TEST_F(MpirunTest, KilledPeerEndsAll) {
  Process group = start(3, {ANTLER_CLUSTER_WORKER, "dies", "mpi", "-", "300"});
  const int status = group.wait(kPatience);
  EXPECT_NE(status, 0) << group.output();
  EXPECT_NE(status, -1) << group.output();
}

TEST_F(MpirunTest, TrainsLikeGloo) {
  const auto digest = [](const std::string& output) {
    const size_t at = output.find("loss ");
    return at == std::string::npos ? output : output.substr(at, output.find('\n', at + 5) - at);
  };
  std::string by_gloo;
  {
    const Setting communication("ANTLER_TEST_COMMUNICATION", "ring");
    const TrainingGroup cluster(2);
    std::vector<Process> workers = cluster.start_all({"fixed", "", ""});
    for (Process& worker : workers) EXPECT_EQ(worker.wait(kPatience), 0) << worker.output();
    by_gloo = digest(workers[0].output()) + workers[0].last_line();
  }
  for (const std::string settings : {"mpi", "mpi pack=1000"}) {
    const Setting communication("ANTLER_TEST_COMMUNICATION", settings);
    Process group = start(2, {ANTLER_CLUSTER_TRAINING, "fixed", "", ""});
    EXPECT_EQ(group.wait(kPatience), 0) << group.output();
    EXPECT_EQ(digest(group.output()) + group.last_line(), by_gloo) << group.output();
  }
}

}  // namespace
}  // namespace antler
