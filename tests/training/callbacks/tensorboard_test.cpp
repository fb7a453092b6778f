#include "antler/training/callbacks/tensorboard.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/antler.h"
#include "antler/base/file.h"
#include "antler/io/tensor_bundle.h"
#include "antler/io/tfrecord.h"
#include "antler/saving/checkpoint.h"

namespace antler {
namespace {

namespace fs = std::filesystem;

class TensorBoardTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::path(::testing::TempDir()) / "antler_tensorboard" /
           ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }

  /// One fit of two epochs of four batches.
  void fit(callbacks::TensorBoardOptions options, bool validation = true) const {
    options.log_dir = dir_.string();
    const Tensor x = Tensor::full(DType::float32, {8, 3}, 1);
    const Tensor y = Tensor::zeros(DType::float32, {8, 1});
    Sequential model({Input({3}), Dense(1)});
    model.compile({.optimizer = "sgd", .loss = "mse"});
    FitOptions fit_options{
        .batch_size = 2, .epochs = 2, .verbose = 0, .callbacks = {callbacks::TensorBoard(options)}};
    if (validation) fit_options.validation_data = {x, y};
    model.fit(x, y, fit_options);
  }

  /// Events of the one file of a folder that contain `tag`; -1 where there is no file.
  int count(const std::string& run, const std::string& tag) const {
    if (!fs::exists(dir_ / run)) return -1;
    int found = 0;
    for (const auto& entry : fs::directory_iterator(dir_ / run)) {
      io::TFRecordReader reader(entry.path().string());
      while (const auto record = reader.next()) found += record->find(tag) != std::string::npos;
    }
    return found;
  }

  fs::path dir_;
};

TEST_F(TensorBoardTest, EpochValuesGoToTheRunTheyBelongTo) {
  fit({});
  EXPECT_EQ(count("train", "epoch_loss"), 2);
  EXPECT_EQ(count("train", "epoch_val_loss"), 0);
  EXPECT_EQ(count("train", "batch_loss"), 0);
  EXPECT_EQ(count("train", "graph_keras_model"), 1);
  EXPECT_EQ(count("validation", "epoch_loss"), 2);
  EXPECT_EQ(count("validation", "evaluation_loss_vs_iterations"), 2);
}

TEST_F(TensorBoardTest, NoValidationNoFolder) {
  fit({}, false);
  EXPECT_EQ(count("validation", ""), -1);
}

TEST_F(TensorBoardTest, BatchValuesEverySoManyBatches) {
  fit({.update_freq = 3});
  // Batches 3 and 6 of 8.
  EXPECT_EQ(count("train", "batch_loss"), 2);
}

TEST_F(TensorBoardTest, HistogramsImagesAndRates) {
  fit({.histogram_freq = 1, .write_images = true, .write_steps_per_second = true});
  EXPECT_EQ(count("train", "kernel_0/histogram"), 2);
  EXPECT_EQ(count("train", "bias_0/image"), 2);
  EXPECT_EQ(count("train", "epoch_steps_per_second"), 2);
  EXPECT_EQ(count("train", "batch_steps_per_second"), 8);
}

TEST_F(TensorBoardTest, ProfileIsATraceFile) {
  fit({.profile_batch = {2, 4}});
  int traces = 0;
  for (const auto& entry : fs::recursive_directory_iterator(dir_ / "plugins" / "profile")) {
    traces += entry.path().filename() == "antler.trace.json" && entry.file_size() > 100 ? 1 : 0;
  }
  EXPECT_EQ(traces, 1);
}

// TensorBoard 2.21's projector plugin lists both tensors, with these metadata.
TEST_F(TensorBoardTest, EmbeddingsForTheProjector) {
  const Tensor words = Input({2}, {.dtype = "int32"});
  const Tensor first = Embedding(5, 3, {.name = "first"})(words);
  const Tensor second = Embedding(5, 3, {.name = "second"})(words);
  Model model(words, Dense(1)(Flatten()(Concatenate()({first, second}))));
  model.compile({.optimizer = "adam", .loss = "mse"});
  const auto fit = [&](const callbacks::EmbeddingsMetadata& metadata) {
    const callbacks::TensorBoard board(
        {.log_dir = dir_.string(), .embeddings_freq = 2, .embeddings_metadata = metadata});
    model.fit(Tensor::zeros(DType::int32, {4, 2}), Tensor::zeros(DType::float32, {4, 1}),
              {.epochs = 3, .verbose = 0, .callbacks = {board}});
  };
  EXPECT_THROW(fit(std::map<std::string, std::string>{{"third", "x"}}), ValueError);
  fit(std::map<std::string, std::string>{{"second", "a \"b\".tsv"}});
  const std::string key = "/embeddings/.ATTRIBUTES/VARIABLE_VALUE";
  EXPECT_EQ(read_file((dir_ / "projector_config.pbtxt").string()),
            "embeddings {\n  tensor_name: \"layer_with_weights-0" + key +
                "\"\n}\nembeddings {\n  tensor_name: \"layer_with_weights-1" + key +
                "\"\n  metadata_path: \"a \\\"b\\\".tsv\"\n}\n");
  EXPECT_TRUE(fs::exists(dir_ / "train/keras_embedding.ckpt-0.index"));
  EXPECT_FALSE(fs::exists(dir_ / "train/keras_embedding.ckpt-1.index"));
  const auto latest = latest_checkpoint(dir_.string());
  EXPECT_EQ(latest, (dir_ / "train/keras_embedding.ckpt-2").string());
  const Tensor kept = io::TensorBundle::open(*latest).read("layer_with_weights-1" + key);
  EXPECT_EQ(kept.to_doubles(), model.get_layer("second")->get_weights()[0].to_doubles());
}

TEST(TensorBoardOptions, WrongValuesAreRefused) {
  using callbacks::ProfileBatch;
  using callbacks::UpdateFreq;
  EXPECT_THROW(UpdateFreq("sometimes"), ValueError);
  EXPECT_THROW(UpdateFreq(0), ValueError);
  EXPECT_THROW(ProfileBatch(-1), ValueError);
  EXPECT_THROW(ProfileBatch(3, 2), ValueError);
  EXPECT_THROW(ProfileBatch("1,2,3"), ValueError);
  EXPECT_THROW(ProfileBatch("two"), ValueError);
  EXPECT_EQ(ProfileBatch("2,6").last, 6);
  EXPECT_THROW(callbacks::TensorBoard({.histogram_freq = -1}), ValueError);
  EXPECT_THROW(callbacks::TensorBoard({.embeddings_freq = -1}), ValueError);
  const auto made = callbacks::deserialize({{"class_name", "TensorBoard"},
                                            {"config",
                                             {{"log_dir", "somewhere"},
                                              {"update_freq", 5},
                                              {"profile_batch", {2, 4}},
                                              {"embeddings_freq", 1},
                                              {"embeddings_metadata", "words.tsv"}}}});
  EXPECT_NE(dynamic_cast<callbacks::TensorBoard*>(made.get().get()), nullptr);
}

}  // namespace
}  // namespace antler
