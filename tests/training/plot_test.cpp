#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "antler/antler.h"
#include "antler/base/file.h"
#include "antler/training/plot_history.h"
#include "antler/training/plot_model.h"

namespace antler {
namespace {

namespace fs = std::filesystem;

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

Model two_branches() {
  const Tensor input = Input({4}, {.name = "first"});
  Sequential inner({Input({3}), Dense(3, {.activation = "tanh", .name = "deep"})}, "inner");
  const Tensor a = Dense(3, {.activation = "relu", .name = "left"})(input);
  const Tensor b = inner(Dense(3, {.name = "right", .trainable = false})(input));
  return Model(input, layers::add({a, b}));
}

TEST(PlotModel, DotHasLayersEdgesAndWhatIsAskedFor) {
  const Model model = two_branches();
  const std::string plain = model_to_dot(model);
  EXPECT_TRUE(plain.starts_with("digraph G {\n  rankdir=TB;"));
  EXPECT_EQ(count(plain, "[label="), 5);
  EXPECT_EQ(count(plain, " -> "), 5);
  EXPECT_EQ(count(plain, "Dense"), 2);
  EXPECT_EQ(count(plain, "shape: ") + count(plain, "left") + count(plain, "cluster"), 0);
  const std::string full = model_to_dot(model, {.show_shapes = true,
                                                .show_dtype = true,
                                                .show_layer_names = true,
                                                .rankdir = "LR",
                                                .expand_nested = true,
                                                .show_layer_activations = true,
                                                .show_trainable = true});
  EXPECT_EQ(count(full, "subgraph cluster_"), 1);
  EXPECT_EQ(count(full, "left (Dense)"), 1);
  EXPECT_EQ(count(full, "Activation: tanh"), 1);
  EXPECT_EQ(count(full, "Non-trainable"), 1);
  EXPECT_EQ(count(full, "Output shape: (None, 4)"), 1);
  EXPECT_EQ(count(full, "float32"), count(full, "Output dtype: "));
  // Into the nested model's input and out of its last layer.
  EXPECT_EQ(count(full, " -> "), 6);
  EXPECT_THROW(model_to_dot(model, {.rankdir = "UP"}), ValueError);
  EXPECT_THROW(model_to_dot(Model()), ValueError);
  EXPECT_THROW(plot_model(model, "model.jpg"), ValueError);
}

TEST(PlotModel, FilesByGraphvizOrAnErrorThatNamesIt) {
  const fs::path folder = fs::temp_directory_path() / "antler_plot_test";
  fs::create_directories(folder);
  const std::string svg = (folder / "model.svg").string();
  const char* path = std::getenv("PATH");
  const std::string before = path == nullptr ? "" : path;
  setenv("PATH", folder.c_str(), 1);
  EXPECT_THROW(plot_model(two_branches(), svg), RuntimeError);
  // A program in its place that writes its arguments.
  write_file_atomically((folder / "dot").string(), "#!/bin/sh\n/bin/cp \"$4\" \"$3\"\n");
  fs::permissions(folder / "dot", fs::perms::owner_all);
  plot_model(two_branches(), svg);
  setenv("PATH", before.c_str(), 1);
  EXPECT_TRUE(read_file(svg).starts_with("digraph"));
  plot_model(two_branches(), (folder / "model.dot").string());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 3) << "something was left over";
  fs::remove_all(folder);
}

TEST(PlotHistory, ChartsOfHistoryAndLog) {
  History history;
  history.epoch = {0, 1, 2, 3};
  history.history["loss"] = {4, 3, 2, 1};
  history.history["val_loss"] = {5, 4};
  history.history["mae"] = {1, 1, 1, 1};
  const auto charts = history_charts(history);
  ASSERT_EQ(charts.size(), 2U);
  ASSERT_EQ(charts[0].series.size(), 2U);
  EXPECT_EQ(charts[0].series[0].x, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(charts[0].series[1].x, (std::vector<double>{3, 4}));
  const fs::path log = fs::temp_directory_path() / "antler_plot_log.csv";
  write_file_atomically(log.string(), "epoch,loss,val_loss\n0,2.5,3\n1,1.5,2\n");
  const auto from_log = csv_log_charts(log.string());
  ASSERT_EQ(from_log.size(), 1U);
  EXPECT_EQ(from_log[0].series[1].y, (std::vector<double>{3, 2}));
  write_file_atomically(log.string(), "a,b\n1,2\n");
  EXPECT_THROW(csv_log_charts(log.string()), ValueError);
  EXPECT_THROW(save_charts(charts, "curves.gif"), ValueError);
  EXPECT_THROW(save_charts({}, "curves.svg"), ValueError);
  fs::remove(log);
}

}  // namespace
}  // namespace antler
