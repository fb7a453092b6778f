#include <fstream>

#include "antler/antler.h"
#include "antler/base/file.h"
#include "antler/estimator/scaffold.h"
#include "antler/io/tensor_bundle.h"
#include "estimator/folder_test.h"
#include "saving/checkpoint_state.h"

namespace antler::estimator {
namespace {

using SaverFiles = FolderTest;

TEST_F(SaverFiles, GlobalVariablesComeBack) {
  const Graph graph = small_graph(2.5F, 7);
  Saver saver;
  const std::string prefix = saver.save(graph, path("model.ckpt"), 7);
  EXPECT_EQ(prefix, path("model.ckpt-7"));
  const io::TensorBundle bundle = io::TensorBundle::open(prefix);
  EXPECT_EQ(bundle.keys(), (std::vector<std::string>{"dense/bias", "dense/kernel", "global_step"}));
  const Graph other = small_graph();
  saver.restore(other, prefix);
  EXPECT_EQ(other.find("dense/kernel").stored().to_vector<float>(), std::vector<float>(6, 2.5F));
  EXPECT_EQ(other.global_step().stored().item(), 7);
  EXPECT_EQ(infos_.back(), "INFO:antler:Restoring parameters from " + prefix);
}

TEST_F(SaverFiles, TheOldestAreDeletedAndTheStateNamesTheOthers) {
  const Graph graph = small_graph();
  Saver saver({.max_to_keep = 2, .save_relative_paths = true});
  for (const int64_t step : {0, 3, 6}) saver.save(graph, path("model.ckpt"), step);
  EXPECT_FALSE(exists("model.ckpt-0.index"));
  EXPECT_FALSE(exists("model.ckpt-0.data-00000-of-00001"));
  EXPECT_FALSE(exists("model.ckpt-0.meta"));
  EXPECT_TRUE(exists("model.ckpt-3.index"));
  EXPECT_EQ(read_file(path("checkpoint")),
            "model_checkpoint_path: \"model.ckpt-6\"\n"
            "all_model_checkpoint_paths: \"model.ckpt-3\"\n"
            "all_model_checkpoint_paths: \"model.ckpt-6\"\n");
  EXPECT_EQ(latest_checkpoint(path()), path("model.ckpt-6"));
}

TEST_F(SaverFiles, TheStateMayEscapeBytes) {
  write_file_atomically(path("checkpoint"),
                        "model_checkpoint_path: \"m\\303\\266del \\\"a\\\" \\\\-1\"\n");
  EXPECT_EQ(get_checkpoint_state(path()).model_checkpoint_path, path("m\303\266del \"a\" \\-1"));
}

TEST_F(SaverFiles, AStepThatIsSavedAgainIsListedOnceAndLast) {
  const Graph graph = small_graph();
  Saver saver;
  for (const int64_t step : {0, 3, 0}) saver.save(graph, path("model.ckpt"), step);
  EXPECT_EQ(get_checkpoint_state(path()).all_model_checkpoint_paths,
            (std::vector<std::string>{path("model.ckpt-3"), path("model.ckpt-0")}));
}

TEST_F(SaverFiles, AnotherSaverGoesOnWithTheList) {
  const Graph graph = small_graph();
  {
    Saver first({.max_to_keep = 2});
    first.save(graph, path("model.ckpt"), 1);
    first.save(graph, path("model.ckpt"), 2);
  }
  Saver second({.max_to_keep = 2});
  second.recover_last_checkpoints(path());
  second.save(graph, path("model.ckpt"), 3);
  EXPECT_FALSE(exists("model.ckpt-1.index"));
  EXPECT_TRUE(exists("model.ckpt-2.index"));
}

TEST_F(SaverFiles, ASaverThatKeepsAllNamesTheNewest) {
  const Graph graph = small_graph();
  Saver saver({.max_to_keep = 0});
  for (const int64_t step : {1, 2, 3}) saver.save(graph, path("model.ckpt"), step);
  EXPECT_TRUE(exists("model.ckpt-1.index"));
  EXPECT_EQ(get_checkpoint_state(path()).all_model_checkpoint_paths,
            std::vector<std::string>{path("model.ckpt-3")});
}

TEST_F(SaverFiles, OnePerPeriodIsPreserved) {
  const Graph graph = small_graph();
  // Each save is later than the period allows for.
  Saver saver({.max_to_keep = 1, .keep_checkpoint_every_n_hours = 1e-12});
  saver.save(graph, path("model.ckpt"), 1);
  saver.save(graph, path("model.ckpt"), 2);
  EXPECT_TRUE(exists("model.ckpt-1.index"));
}

TEST_F(SaverFiles, AMissingVariableIsNamed) {
  const Graph graph = small_graph();
  Saver saver;
  const std::string prefix = saver.save(graph, path("model.ckpt"), 0);
  Graph larger = small_graph(4);
  {
    const GraphScope scope(larger, false);
    get_variable("body/extra", Tensor::zeros(DType::float32, {2}));
  }
  try {
    saver.restore(larger, prefix);
    FAIL();
  } catch (const NotFoundError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("not found in checkpoint"), std::string::npos) << text;
    EXPECT_NE(text.find("body/extra " + Shape({2}).str()), std::string::npos) << text;
    EXPECT_NE(text.find("dense/kernel " + Shape({2, 3}).str()), std::string::npos) << text;
  }
  EXPECT_EQ(larger.find("dense/kernel").stored().to_vector<float>()[0], 4);
}

TEST_F(SaverFiles, AVariableThatIsRefusedLeavesNoTrace) {
  Graph graph;
  const GraphScope scope(graph, false);
  // Trainable variables cannot be synchronized when they are read.
  EXPECT_THROW(
      get_variable("refused", {.shape = {2}, .synchronization = VariableSynchronization::on_read}),
      ValueError);
  const Variable next(Tensor::zeros(DType::float32, {1}), {.name = "next"});
  EXPECT_TRUE(graph.find("next").defined());
  EXPECT_FALSE(graph.find("refused").defined());
}

TEST_F(SaverFiles, AnotherShapeIsRefusedWithBothShapes) {
  Saver saver;
  const std::string prefix = saver.save(small_graph(), path("model.ckpt"), 0);
  Graph other;
  {
    const GraphScope scope(other, false);
    get_variable("dense/bias", Tensor::zeros(DType::float32, {3}));
    get_variable("dense/kernel", Tensor::full(DType::float32, {4, 3}, 9));
  }
  try {
    saver.restore(other, prefix);
    FAIL();
  } catch (const ValueError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("(4, 3)"), std::string::npos) << text;
    EXPECT_NE(text.find("(2, 3)"), std::string::npos) << text;
  }
  EXPECT_EQ(other.find("dense/bias").stored().to_vector<float>()[0], 0);
}

TEST_F(SaverFiles, AStateThatNamesNothingIsLogged) {
  EXPECT_FALSE(latest_checkpoint(path()));
  EXPECT_TRUE(warnings_.empty());
  std::ofstream(path("checkpoint")) << "model_checkpoint_path: \"model.ckpt-5\"\n";
  EXPECT_FALSE(latest_checkpoint(path()));
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_NE(warnings_[0].find("model.ckpt-5"), std::string::npos);
}

TEST_F(SaverFiles, AFolderThatCannotBeWrittenIsAnError) {
  std::ofstream(path("file")) << "x";
  EXPECT_THROW(Saver().save(small_graph(), path("file/model.ckpt"), 0), IOError);
  EXPECT_THROW(Saver({.max_to_keep = -1}), ValueError);
}

}  // namespace
}  // namespace antler::estimator
