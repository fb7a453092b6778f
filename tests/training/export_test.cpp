#include "antler/training/export.h"

#include <filesystem>
#include <functional>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/ir/graph.h"
#include "antler/nn/layers.h"
#include "antler/nn/layers/input.h"
#include "antler/ops/op_list.h"
#include "antler/ops/ops.h"
#include "antler/training/sequential.h"
#include "io/wire_reader.h"
#include "saving/export/batch_graph.h"

// tools/peers/check_exports.py checks the results of the exported files, with ONNX Runtime and
// TensorFlow.
namespace antler {
namespace {

namespace fs = std::filesystem;
using io::WireReader;

class Export : public testing::Test {
 protected:
  // A folder for each test: they run side by side.
  Export()
      : folder_(fs::temp_directory_path() /
                (std::string("antler_export_") +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Export() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  fs::path folder_;
};

Sequential exported_network() {
  return Sequential(
      {Input({6, 6, 2}, {.name = "image"}), Conv2D(3, {3, 3}, {.activation = "relu"}),
       BatchNormalization(), Flatten(), Dense(4, {.activation = "softmax", .name = "class"})},
      "net");
}

/// The first field of this number of a message.
std::string_view field(std::string_view message, int number) {
  for (WireReader reader(message, "The message"); reader.next();) {
    if (reader.field() == number) return reader.bytes();
  }
  return {};
}

TEST_F(Export, OnnxHasTheWeightsAndAnyBatch) {
  Sequential model = exported_network();
  export_model(model, path("net.onnx"));
  const std::string file = read_file(path("net.onnx"));
  const std::string_view graph = field(file, 7);
  EXPECT_EQ(field(graph, 2), "net");
  size_t nodes = 0;
  size_t weights = 0;
  std::string ops;
  for (WireReader reader(graph, "The graph"); reader.next();) {
    if (reader.field() == 1) {
      ++nodes;
      ops += std::string(field(reader.bytes(), 4)) + " ";
    }
    if (reader.field() == 5) {
      const std::string_view bytes = field(reader.bytes(), 9);
      for (const Variable& v : model.weights()) {
        const Tensor value = v.stored();
        if (bytes == std::string_view(static_cast<const char*>(value.data()), value.bytes())) {
          ++weights;
          break;
        }
      }
    }
  }
  EXPECT_GE(weights, model.weights().size());
  for (const char* op : {"Conv ", "MatMul ", "Softmax ", "Reshape "}) {
    EXPECT_NE(ops.find(op), std::string::npos) << ops;
  }
  const std::string_view input = field(graph, 11);
  EXPECT_EQ(field(input, 1), "image");
  EXPECT_NE(input.find("batch"), std::string_view::npos);
  EXPECT_EQ(field(field(graph, 12), 1), "class");

  export_model(model, path("fixed.onnx"), {.batch_size = 5});
  const std::string fixed = read_file(path("fixed.onnx"));
  EXPECT_EQ(field(field(fixed, 7), 11).find("batch"), std::string_view::npos);
}

TEST_F(Export, AttentionTakesAnyBatchHoweverItIsComputedHere) {
  const Tensor x = Input({5, 4});
  const Model model(x, MultiHeadAttention(2, 3, {.flash_attention = true})({x, x}));
  export_model(model, path("attention.onnx"));
  export_model(model, path("attention"));
  EXPECT_TRUE(fs::exists(path("attention.onnx")));
  EXPECT_TRUE(fs::exists(path("attention") + "/saved_model.pb"));
}

TEST_F(Export, SavedModelHasASignatureAndACheckpoint) {
  Sequential model = exported_network();
  export_model(model, path("served"));
  const std::string file = read_file(path("served/saved_model.pb"));
  const std::string_view signature = field(field(file, 2), 5);
  EXPECT_EQ(field(signature, 1), "serving_default");
  EXPECT_EQ(field(field(field(signature, 2), 1), 1), "image");
  Sequential other = exported_network();
  other.load_weights(path("served"));
  for (size_t i = 0; i < model.weights().size(); ++i) {
    EXPECT_EQ(other.weights()[i].stored().to_doubles(), model.weights()[i].stored().to_doubles());
  }
}

TEST_F(Export, WhatCannotBeSaidIsAnErrorThatNamesIt) {
  Sequential model = exported_network();
  EXPECT_THROW(export_model(model, path("x"), {.format = "coreml"}), ValueError);
  EXPECT_THROW(export_model(model, path("x.onnx"), {.batch_size = 0}), ValueError);
  EXPECT_THROW(export_model(Sequential({Dense(3)}), path("x.onnx")), ValueError);
  const Tensor any = Input({Shape::kUnknown, 3});
  EXPECT_THROW(export_model(Model(any, Dense(2)(any)), path("x.onnx")), ValueError);
}

TEST(BatchGraph, TellsSizesThatFollowTheBatch) {
  const auto trace = [&](int64_t batch) {
    ir::Graph graph;
    graph.inputs.push_back(graph.add_input({DType::float32, {3 * batch, 4}}));
    return graph;
  };
  const saving::BatchGraph graph{saving::BatchGraph::Trace(trace)};
  EXPECT_EQ(graph.dims(0), (saving::Dims{{6, 3}, {4, 0}}));
  const saving::BatchGraph fixed(saving::BatchGraph::Trace(trace), 5);
  EXPECT_EQ(fixed.dims(0), (saving::Dims{{15, 0}, {4, 0}}));
  const auto shifted = [&](int64_t batch) {
    ir::Graph odd;
    odd.add_input({DType::float32, {batch + 1}});
    return odd;
  };
  EXPECT_THROW((saving::BatchGraph{saving::BatchGraph::Trace(shifted)}.dims(0)),
               NotImplementedError);
}

TEST(BatchGraph, ConstantsThatGrowWithTheBatchAreOneRow) {
  const auto graph_of = [](const std::function<Tensor(int64_t)>& value) {
    return saving::BatchGraph(saving::BatchGraph::Trace([&](int64_t batch) {
      ir::Graph graph;
      const Tensor made = value(batch);
      graph.add_node(*ops::find_op("constant"), {}, {{"value", made}}, {}, {made.spec()});
      return graph;
    }));
  };
  const auto rows = graph_of([](int64_t batch) {
    return ops::broadcast_to(Tensor::of<float>({1, 2, 3}), {batch, 3});
  });
  EXPECT_EQ(rows.constant(0).value.shape(), (Shape{1, 3}));
  EXPECT_EQ(rows.constant(0).value.to_doubles(), (std::vector<double>{1, 2, 3}));
  const auto counted = graph_of([](int64_t batch) { return ops::arange(0, batch); });
  EXPECT_THROW(counted.constant(0), NotImplementedError);
  const auto expect = [&](const std::function<double(double)>& value, double times, int power) {
    const auto constant = graph_of([&](int64_t batch) {
                            return Tensor(value(static_cast<double>(batch)));
                          }).constant(0);
    EXPECT_FLOAT_EQ(static_cast<float>(constant.value.item()), static_cast<float>(times));
    EXPECT_EQ(constant.batch_power, power);
  };
  expect([](double batch) { return 5 / batch; }, 5, -1);
  expect([](double batch) { return 5 * batch; }, 5, 1);
  expect([](double) { return 5; }, 5, 0);
  const auto square =
      graph_of([](int64_t batch) { return Tensor(static_cast<double>(batch * batch)); });
  EXPECT_THROW(square.constant(0), NotImplementedError);
}

}  // namespace
}  // namespace antler
