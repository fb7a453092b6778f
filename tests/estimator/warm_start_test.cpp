#include "antler/estimator/warm_start.h"

#include <fstream>

#include "antler/antler.h"
#include "antler/estimator/scaffold.h"
#include "antler/io/tensor_bundle.h"
#include "estimator/folder_test.h"

namespace antler::estimator {
namespace {

class WarmStarting : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    io::save_tensor_bundle(path("model.ckpt-3"),
                           {{"dense/kernel", Tensor::full(DType::float32, {2, 3}, 7)},
                            {"dense/bias", Tensor::full(DType::float32, {3}, 8)},
                            {"table", Tensor::of<float>({1, 1, 2, 2, 3, 3, 4, 4}, {4, 2})},
                            {"global_step", Tensor::full(DType::int64, {}, 3)}});
    std::ofstream(path("checkpoint")) << "model_checkpoint_path: \"model.ckpt-3\"\n";
    infos_.clear();
  }
  static float first(const Graph& graph, const std::string& name) {
    return graph.find(name).stored().to_vector<float>().at(0);
  }
  std::string words(const char* file, const std::string& text) const {
    std::ofstream(path(file)) << text;
    return path(file);
  }
};

TEST_F(WarmStarting, APathStartsAllTrainableVariables) {
  const Graph graph = small_graph();
  warm_start(graph, WarmStart(path()).settings());
  EXPECT_EQ(first(graph, "dense/kernel"), 7);
  EXPECT_EQ(first(graph, "dense/bias"), 8);
  EXPECT_EQ(graph.global_step().stored().item(), 0);
  EXPECT_EQ(infos_, (std::vector<std::string>{
                        "INFO:antler:Warm-starting from: " + path(),
                        "INFO:antler:Warm-starting variables only in TRAINABLE_VARIABLES.",
                        "INFO:antler:Warm-started 2 variables."}));
}

TEST_F(WarmStarting, ExpressionsMatchTheBeginningOfNames) {
  const Graph some = small_graph();
  warm_start(some, {.ckpt_to_initialize_from = path("model.ckpt-3"),
                    .vars_to_warm_start = std::string(".*/kernel")});
  EXPECT_EQ(first(some, "dense/kernel"), 7);
  EXPECT_EQ(first(some, "dense/bias"), 0.5F);
  const Graph none = small_graph();
  warm_start(none, {.ckpt_to_initialize_from = path("model.ckpt-3"),
                    .vars_to_warm_start = std::string("kernel")});
  EXPECT_EQ(first(none, "dense/kernel"), 1);
  // A list chooses among all global variables.
  const Graph global = small_graph();
  warm_start(global, {.ckpt_to_initialize_from = path("model.ckpt-3"),
                      .vars_to_warm_start = std::vector<std::string>{"global", "dense/b"}});
  EXPECT_EQ(global.global_step().stored().item(), 3);
  EXPECT_EQ(first(global, "dense/bias"), 8);
  EXPECT_EQ(first(global, "dense/kernel"), 1);
  const Graph own = small_graph();
  warm_start(own, {.ckpt_to_initialize_from = path("model.ckpt-3"),
                   .vars_to_warm_start = Variables{own.find("dense/bias")}});
  EXPECT_EQ(first(own, "dense/bias"), 8);
  EXPECT_EQ(first(own, "dense/kernel"), 1);
}

TEST_F(WarmStarting, RenamedVariablesAreFoundUnderTheirOldNames) {
  Graph graph;
  {
    const GraphScope scope(graph, false);
    get_variable("body/kernel", Tensor::zeros(DType::float32, {2, 3}));
  }
  warm_start(graph, {.ckpt_to_initialize_from = path(),
                     .var_name_to_prev_var_name = {{"body/kernel", "dense/kernel"}}});
  EXPECT_EQ(first(graph, "body/kernel"), 7);
  EXPECT_THROW(warm_start(graph, {.ckpt_to_initialize_from = path(),
                                  .var_name_to_prev_var_name = {{"body/kernel", "dense/kernel"},
                                                                {"misspelled", "dense/bias"}}}),
               ValueError);
}

TEST_F(WarmStarting, RowsFollowTheirWords) {
  Graph graph;
  {
    const GraphScope scope(graph, false);
    get_variable("table", Tensor::zeros(DType::float32, {6, 2}));
  }
  const VocabInfo info{.new_vocab = words("new", "d\nnew\nb\na\nx\n"),
                       .new_vocab_size = 5,
                       .num_oov_buckets = 1,
                       .old_vocab = words("old", "a\nb\nc\nd\n"),
                       .backup_initializer = "ones"};
  warm_start(graph,
             {.ckpt_to_initialize_from = path(), .var_name_to_vocab_info = {{"table", info}}});
  EXPECT_EQ(graph.find("table").stored().to_vector<float>(),
            (std::vector<float>{4, 4, 1, 1, 2, 2, 1, 1, 1, 1, 1, 1}));
  // Only the first words of the old vocabulary count; None starts variables with one only.
  VocabInfo shorter = info;
  shorter.old_vocab_size = 2;
  warm_start(graph, {.ckpt_to_initialize_from = path(),
                     .vars_to_warm_start = {},
                     .var_name_to_vocab_info = {{"table", shorter}}});
  EXPECT_EQ(graph.find("table").stored().to_vector<float>(),
            (std::vector<float>{1, 1, 1, 1, 2, 2, 1, 1, 1, 1, 1, 1}));
}

TEST_F(WarmStarting, ColumnsFollowTheirWords) {
  Graph graph;
  {
    const GraphScope scope(graph, false);
    get_variable("table", Tensor::zeros(DType::float32, {4, 2}));
  }
  const VocabInfo info{.new_vocab = words("new", "q\np\n"),
                       .new_vocab_size = 2,
                       .old_vocab = words("old", "p\nz\n"),
                       .axis = 1};
  warm_start(graph,
             {.ckpt_to_initialize_from = path(), .var_name_to_vocab_info = {{"table", info}}});
  EXPECT_EQ(graph.find("table").stored().to_vector<float>(),
            (std::vector<float>{0, 1, 0, 2, 0, 3, 0, 4}));
}

TEST_F(WarmStarting, ASavedModelIsFoundByItsVariables) {
  std::filesystem::create_directories(path("saved/variables"));
  io::save_tensor_bundle(path("saved/variables/variables"),
                         {{"dense/kernel", Tensor::full(DType::float32, {2, 3}, 5)},
                          {"dense/bias", Tensor::full(DType::float32, {3}, 6)}});
  const WarmStart start(path("saved"));
  EXPECT_EQ(infos_.back(), "INFO:antler:Warm-starting from a SavedModel");
  const Graph graph = small_graph();
  warm_start(graph, start.settings());
  EXPECT_EQ(first(graph, "dense/kernel"), 5);
}

TEST_F(WarmStarting, WrongSettingsAreRefusedAndChangeNothing) {
  EXPECT_THROW(WarmStart(""), ValueError);
  EXPECT_THROW(WarmStart(WarmStartSettings{}), ValueError);
  const Graph graph = small_graph();
  EXPECT_THROW(warm_start(graph, {.ckpt_to_initialize_from = path("nothing")}), NotFoundError);
  EXPECT_THROW(warm_start(graph, {.ckpt_to_initialize_from = path(),
                                  .vars_to_warm_start = std::string("(")}),
               ValueError);
  Graph other;
  {
    const GraphScope scope(other, false);
    get_variable("dense/bias", Tensor::zeros(DType::float32, {3}));
    get_variable("dense/kernel", Tensor::zeros(DType::float32, {9, 9}));
  }
  EXPECT_THROW(warm_start(other, {.ckpt_to_initialize_from = path()}), ValueError);
  EXPECT_EQ(first(other, "dense/bias"), 0);
  Graph unknown;
  {
    const GraphScope scope(unknown, false);
    get_variable("not/there", Tensor::zeros(DType::float32, {3}));
  }
  EXPECT_THROW(warm_start(unknown, {.ckpt_to_initialize_from = path()}), ValueError);
}

}  // namespace
}  // namespace antler::estimator
