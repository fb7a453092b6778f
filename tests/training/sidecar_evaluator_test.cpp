#include "antler/training/sidecar_evaluator.h"

#include <filesystem>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "antler/base/logging.h"
#include "antler/data/dataset.h"
#include "antler/nn/layers/core.h"
#include "antler/nn/layers/input.h"
#include "antler/saving/checkpoint.h"
#include "antler/training/saving.h"
#include "antler/training/sequential.h"

namespace antler {
namespace {

namespace fs = std::filesystem;

class Sidecar : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    logging::set_sink([this](std::string_view text) { printed_ += text; });
  }
  void TearDown() override {
    logging::set_sink({});
    fs::remove_all(folder_);
  }
  static Sequential model() {
    Sequential m({Input({2}), Dense(1, {.kernel_initializer = "ones"})});
    m.compile({.optimizer = "sgd", .loss = "mse"});
    return m;
  }
  // Tests run side by side.
  fs::path folder_ =
      fs::temp_directory_path() / (std::string("antler_sidecar_") +
                                   testing::UnitTest::GetInstance()->current_test_info()->name());
  const Tensor x_ = Tensor::of<float>({1, 2, 3, 4}, {2, 2});
  const Tensor y_ = Tensor::of<float>({1, 0}, {2, 1});
  std::string printed_;
};

TEST_F(Sidecar, EvaluatesWhatFitSaves) {
  Sequential trained = model();
  trained.fit(x_, y_,
              {.epochs = 3,
               .verbose = 0,
               .callbacks = {callbacks::ModelCheckpoint(
                   (folder_ / "ckpt-{epoch:04d}.ckpt").string(), {.save_weights_only = true})}});
  Sequential evaluated = model();
  const std::string best = (folder_ / "best-{epoch:04d}.keras").string();
  utils::SidecarEvaluator evaluator(
      evaluated, FitData(data::Dataset::from_tensor_slices({x_, y_}).batch(2)), folder_.string(),
      {.max_evaluations = 3,
       .callbacks = {callbacks::SidecarEvaluatorModelExport(
           best, (folder_ / "ckpt-{epoch:04d}.ckpt").string(), {.monitor = "loss"})},
       .poll_seconds = 0.01});
  evaluator.start();
  EXPECT_EQ(evaluated.predict(x_).tensor().to_doubles(), trained.predict(x_).tensor().to_doubles());
  EXPECT_EQ(*evaluator.results().find("loss"),
            *trained.evaluate(x_, y_, {.verbose = 0}).find("loss"));
  EXPECT_NE(printed_.find("SidecarEvaluator stops."), std::string::npos);
  // Exported under the epoch of the checkpoint.
  EXPECT_EQ(load_model((folder_ / "best-0003.keras").string()).get_weights()[0].to_doubles(),
            trained.get_weights()[0].to_doubles());
}

/// Checkpoints come one by one while it waits; iterations are those of the training side.
TEST_F(Sidecar, WaitsForCheckpointsOfAManager) {
  Sequential evaluated = model();
  utils::SidecarEvaluator evaluator(evaluated,
                                    FitData(data::Dataset::from_tensor_slices({x_, y_}).batch(2)),
                                    folder_.string(), {.max_evaluations = 2, .poll_seconds = 0.01});
  Sequential trained = model();
  CheckpointManager manager(
      Checkpoint({{"model", trained.share()}, {"optimizer", trained.optimizer().share()}}),
      folder_.string());
  std::thread training([&] {
    for (int i = 0; i < 2; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      trained.train_on_batch(x_, y_);
      manager.save();
    }
  });
  evaluator.start();
  training.join();
  EXPECT_EQ(evaluated.get_weights()[0].to_doubles(), trained.get_weights()[0].to_doubles());
  EXPECT_EQ(evaluated.optimizer().iterations().value().item(), 2);
}

}  // namespace
}  // namespace antler
