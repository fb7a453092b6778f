// A program with two calls of fit(), an evaluation and predictions continues wherever a worker is
// killed.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "antler/base/format.h"
#include "cluster/processes.h"
#include "cluster/training_group.h"

namespace antler {
namespace {

namespace fs = std::filesystem;
using test::kPatience;
using test::Process;
using test::TrainingGroup;

constexpr int64_t kEpochs = 3;

struct Loss {
  const char* name;
  const char* place;   ///< see cluster_training/elastic_program.cpp
  const char* worker;  ///< its rank
  const char* when;    ///< before or after the files of the epoch are written
};

void PrintTo(const Loss& loss, std::ostream* out) { *out << loss.name; }

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The first cells of the lines of a CSV file.
std::vector<std::string> first_cells(const fs::path& path) {
  std::istringstream lines(read(path));
  std::vector<std::string> cells;
  for (std::string line; std::getline(lines, line);)
    cells.push_back(line.substr(0, line.find(',')));
  return cells;
}

void expect_complete_files(const fs::path& folder) {
  for (const char* fit : {"0", "1"}) {
    const fs::path files = folder / fit;
    EXPECT_EQ(first_cells(files / "log.csv"), (std::vector<std::string>{"epoch", "0", "1", "2"}))
        << read(files / "log.csv");
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(files))
      names.insert(entry.path().filename().string());
    EXPECT_EQ(names, (std::set<std::string>{"1.weights.h5", "2.weights.h5", "3.weights.h5",
                                            "backup", "log.csv"}));
    EXPECT_NE(read(files / "backup" / "training_metadata.json").find("\"epoch\":3"),
              std::string::npos);
  }
}

/// What a worker prints that was there all the time.
void expect_each_sample_once(const Process& worker) {
  const std::string& output = worker.output();
  for (const char* fit : {"0", "1"}) {
    for (int64_t epoch = 0; epoch < kEpochs; ++epoch) {
      EXPECT_NE(output.find(format("fit {} epoch {} not once 0 val 0\n", fit, epoch)),
                std::string::npos)
          << output;
    }
  }
  EXPECT_NE(output.find("evaluate not once 0\n"), std::string::npos) << output;
  EXPECT_NE(output.find("predict wrong 0\n"), std::string::npos) << output;
}

fs::path new_folder(const std::string& name) {
  const fs::path folder = fs::path(testing::TempDir()) / ("antler_elastic_" + name);
  fs::remove_all(folder);
  return folder;
}

class ElasticProgram : public testing::TestWithParam<Loss> {};

TEST_P(ElasticProgram, GoesOn) {
  const Loss& loss = GetParam();
  const fs::path folder = new_folder(loss.name);
  const TrainingGroup cluster(3);
  std::vector<Process> workers =
      cluster.start_all({"elastic_program", folder, "0", loss.place, loss.worker, loss.when});
  std::vector<std::string> ends;
  for (size_t rank = 0; rank < workers.size(); ++rank) {
    Process& worker = workers[rank];
    if (std::to_string(rank) == loss.worker) {
      EXPECT_EQ(worker.wait(kPatience), 128 + SIGKILL) << worker.output();
      continue;
    }
    EXPECT_EQ(worker.wait(kPatience), 0) << worker.output();
    expect_each_sample_once(worker);
    ends.push_back(worker.last_line());
  }
  EXPECT_EQ(ends.at(0), ends.at(1));
  expect_complete_files(folder);
}

INSTANTIATE_TEST_SUITE_P(Places, ElasticProgram,
                         testing::Values(Loss{"ChiefBeforeItsFiles", "epoch_end0.0", "0", "before"},
                                         Loss{"ChiefAfterItsFiles", "epoch_end0.0", "0", "after"},
                                         Loss{"ChiefAtTheLastEpochsEnd", "epoch_end1.2", "0",
                                              "before"},
                                         Loss{"ChiefInAnEpoch", "fit0.1.4", "0", "before"},
                                         Loss{"Validation", "test0.1.6", "1", "before"},
                                         Loss{"ChiefInValidation", "test1.0.24", "0", "before"},
                                         Loss{"SecondFit", "fit1.0.6", "2", "before"},
                                         Loss{"Evaluate", "evaluate.6", "1", "before"},
                                         Loss{"ChiefInPredict", "predict.4", "0", "before"}),
                         [](const testing::TestParamInfo<Loss>& test) { return test.param.name; });

TEST(ElasticProgramRestart, AWorkerThatComesBackTakesPartInTheSecondFit) {
  const fs::path folder = new_folder("restart");
  const TrainingGroup cluster(3);
  const std::vector<std::string> slow = {"elastic_program", folder, "150"};
  std::vector<Process> workers = cluster.start_all(slow);
  ASSERT_TRUE(workers[1].wait_for("at fit0.2.8", kPatience)) << workers[1].output();
  workers[0].kill(SIGKILL);
  ASSERT_TRUE(workers[1].wait_for("at fit1.0.2", kPatience)) << workers[1].output();
  Process back = cluster.start(0, slow);
  EXPECT_EQ(back.wait(kPatience), 0) << back.output();
  for (const size_t rank : {1, 2}) {
    EXPECT_EQ(workers[rank].wait(kPatience), 0) << workers[rank].output();
    expect_each_sample_once(workers[rank]);
    EXPECT_EQ(workers[rank].last_line(), back.last_line());
  }
  EXPECT_NE(back.output().find("fit 1 epoch 2 not once 0 val 0\n"), std::string::npos)
      << back.output();
  EXPECT_NE(back.output().find("evaluate not once 0\n"), std::string::npos) << back.output();
  EXPECT_NE(back.output().find("predict wrong 0\n"), std::string::npos) << back.output();
  expect_complete_files(folder);
}

}  // namespace
}  // namespace antler
