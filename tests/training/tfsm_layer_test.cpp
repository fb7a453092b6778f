#include "antler/saving/tfsm_layer.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/philox.h"
#include "antler/nn/layers.h"
#include "antler/nn/layers/input.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/training/export.h"
#include "antler/training/saving.h"
#include "antler/training/sequential.h"

// Cases of the conformance runner check graphs that TensorFlow wrote; these tests use graphs
// written by export_model().
namespace antler {
namespace {

namespace fs = std::filesystem;

class TFSMLayerTest : public testing::Test {
 protected:
  TFSMLayerTest()
      : folder_(fs::temp_directory_path() /
                (std::string("antler_tfsm_") +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~TFSMLayerTest() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  fs::path folder_;
};

Sequential network() {
  return Sequential(
      {Input({6, 6, 2}, {.name = "image"}), Conv2D(3, {3, 3}, {.activation = "relu"}),
       BatchNormalization(), MaxPooling2D({2, 2}), Flatten(), Dense(4, {.activation = "softmax"})},
      "net");
}

Tensor images(int64_t count) {
  std::vector<float> values(static_cast<size_t>(count * 72));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 101) / 50 - 1;
  return Tensor::of(values, {count, 6, 6, 2});
}

double distance(const Tensor& a, const Tensor& b) {
  return ops::max(ops::absolute(ops::subtract(a, b))).item();
}

TEST_F(TFSMLayerTest, ComputesWhatWasExported) {
  Sequential model = network();
  export_model(model, path("net"));
  TFSMLayer layer(path("net"), {.call_endpoint = "serving_default"});
  const Tensor x = images(3);
  const Nest outputs = layer(Nest(x));
  ASSERT_TRUE(outputs.is_dict());
  EXPECT_LT(distance(outputs.flatten()[0], model(x)), 1e-6);
}

TEST_F(TFSMLayerTest, CanBeExportedAgain) {
  // The states of a recurrent layer begin as zeros for each sample, which a graph has as a number.
  Sequential model({Input({5, 2}), LSTM(3), Dense(2)});
  export_model(model, path("first"));
  export_model(load_model(path("first")), path("second"));
  const Tensor x =
      ops::reshape(ops::strided_slice(ops::reshape(images(1), {72}), {0}, {40}), {4, 5, 2});
  const Nest outputs = load_model(path("second")).predict(x, {.verbose = 0});
  EXPECT_LT(distance(outputs.flatten()[0], model(x)), 1e-6);
}

TEST_F(TFSMLayerTest, StandsInModels) {
  Sequential inner = network();
  export_model(inner, path("net"));
  TFSMLayer layer(path("net"), {.call_endpoint = "serving_default", .name = "graph"});
  const Tensor x = Input({6, 6, 2});
  const Tensor classes = layer(Nest(x)).flatten()[0];
  EXPECT_EQ(classes.shape(), (Shape{Shape::kUnknown, 4}));
  Model model(x, Dense(1)(classes));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  model.fit(images(8), Tensor::zeros(DType::float32, {8, 1}), {.epochs = 1, .verbose = 0});
  model.save(path("model.keras"));
  Model loaded = load_model(path("model.keras"));
  EXPECT_LT(distance(loaded(images(5)), model(images(5))), 1e-6);
}

TEST_F(TFSMLayerTest, ASavedModelLoadsAsAModel) {
  Sequential inner = network();
  export_model(inner, path("net"));
  Model model = load_model(path("net"));
  EXPECT_EQ(model.input_names(), std::vector<std::string>{"image"});
  const Nest predicted = model.predict(images(70), {.verbose = 0});
  EXPECT_LT(distance(predicted.flatten()[0], inner(images(70))), 1e-6);
}

TEST_F(TFSMLayerTest, AnArchitectureThatCannotBeBuiltLeavesTheGraph) {
  Sequential inner = network();
  export_model(inner, path("net"));
  // Keras 2's metadata: one object of path "root", field 3, whose JSON is field 5.
  const std::string json = R"({"class_name":"OfAProgram","config":{}})";
  std::string object = std::string("\x1a\x04root\x2a") + static_cast<char>(json.size()) + json;
  object = std::string("\x0a") + static_cast<char>(object.size()) + object;
  write_file_atomically(path("net") + "/keras_metadata.pb", object);
  Model model = load_model(path("net"));
  EXPECT_EQ(model.layers().back()->class_name(), "TFSMLayer");
  EXPECT_LT(distance(model(Nest(images(5))).flatten()[0], inner(images(5))), 1e-6);
}

TEST_F(TFSMLayerTest, SaysWhatIsWrong) {
  EXPECT_THROW(TFSMLayer(path("nothing")), NotFoundError);
  Sequential model = network();
  export_model(model, path("net"));
  try {
    TFSMLayer layer(path("net"), {.call_endpoint = "other"});
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("['serving_default']"), std::string::npos)
        << error.what();
  }
  TFSMLayer layer(path("net"), {.call_endpoint = "serving_default"});
  EXPECT_THROW(layer(Nest({images(1), images(1)})), ValueError);
}

TEST_F(TFSMLayerTest, RefusesDamagedFiles) {
  Sequential model = network();
  export_model(model, path("net"));
  const std::string file = path("net") + "/saved_model.pb";
  const std::string whole = read_file(file);
  int refused = 0;
  for (uint32_t round = 0; round < 300; ++round) {
    const auto draw = philox({round, 0, 0, 0}, {7, 9});
    std::string bytes = whole;
    if (round % 3 == 0) {
      bytes.resize(draw[0] % bytes.size());
    } else {
      for (size_t i = 0; i < 3; ++i)
        bytes[draw[i] % bytes.size()] = static_cast<char>(draw[3] >> i);
    }
    write_file_atomically(file, bytes);
    try {
      TFSMLayer layer(path("net"), {.call_endpoint = "serving_default"});
      layer(Nest(images(1)));
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace antler
