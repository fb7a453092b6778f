#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "antler/base/logging.h"
#include "antler/estimator/graph.h"
#include "estimator/graph_state.h"

namespace antler::estimator {

/// A fixture with its own folder that collects the log lines.
class FolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) / "antler_estimator" /
              info->test_suite_name() / info->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    logging::set_info_sink([this](std::string_view text) { add(infos_, text); });
    logging::set_warning_sink([this](std::string_view text) { add(warnings_, text); });
  }
  void TearDown() override {
    logging::set_info_sink({});
    logging::set_warning_sink({});
    std::filesystem::remove_all(folder_);
  }
  std::string path(const std::string& name = "") const {
    return name.empty() ? folder_.string() : (folder_ / name).string();
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }

  std::filesystem::path folder_;
  std::vector<std::string> infos_;
  std::vector<std::string> warnings_;

 private:
  static void add(std::vector<std::string>& lines, std::string_view text) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    lines.emplace_back(text);
  }
};

/// A graph with the variables dense/kernel [2, 3], dense/bias [3] and global_step.
inline Graph small_graph(float kernel = 1, int64_t step = 0) {
  Graph graph;
  const GraphScope scope(graph, false);
  get_variable("dense/kernel", Tensor::full(DType::float32, {2, 3}, kernel));
  get_variable("dense/bias", Tensor::full(DType::float32, {3}, 0.5));
  get_variable("local", Tensor::zeros(DType::float32, {}), false, Collection::local);
  graph.global_step().store(Tensor::full(DType::int64, {}, static_cast<double>(step)));
  return graph;
}

}  // namespace antler::estimator
