// The models by name, and the arguments that they share.
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/antler.h"

namespace antler {
namespace {

namespace fs = std::filesystem;
using applications::ApplicationOptions;

TEST(Applications, NamesGoInAnyCase) {
  const ApplicationOptions options{.weights = {}, .input_shape = Shape{32, 32, 3}, .classes = 3};
  EXPECT_EQ(applications::by_name("mobilenet_v2", options).count_params(), 2261827);
  EXPECT_EQ(applications::preprocessing_mode("DenseNet-121"), "torch");
  EXPECT_THROW(applications::by_name("resnet18"), ValueError);
}

TEST(Applications, ArgumentsAreChecked) {
  const auto resnet = [](const ApplicationOptions& options) { applications::ResNet50(options); };
  EXPECT_THROW(resnet({.weights = "no such file"}), ValueError);
  EXPECT_THROW(resnet({.classes = 10}), ValueError);
  EXPECT_THROW(resnet({.classifier_activation = "sigmoid"}), ValueError);
  EXPECT_THROW(resnet({.input_shape = Shape{96, 96, 3}}), ValueError);
  EXPECT_THROW(resnet({.weights = {}, .input_shape = Shape{31, 64, 3}}), ValueError);
  EXPECT_THROW(resnet({.weights = {}, .input_shape = Shape{64, 64}}), ValueError);
  EXPECT_THROW(resnet({.weights = {}, .input_shape = Shape{-1, -1, 3}}), ValueError);
  EXPECT_THROW(resnet({.include_top = false, .input_shape = Shape{64, 64, 1}}), ValueError);
  EXPECT_THROW(resnet({.include_top = false, .weights = {}, .pooling = "mean"}), ValueError);
  EXPECT_THROW(applications::InceptionV3({.weights = {}, .input_shape = Shape{74, 74, 3}}),
               ValueError);
  EXPECT_THROW(applications::MobileNet({.alpha = 0.3}), ValueError);
  EXPECT_THROW(applications::MobileNetV2({.alpha = 0.3}), ValueError);
  EXPECT_THROW(applications::MobileNetV3Small({.alpha = 0.5}), ValueError);
}

TEST(Applications, BuildsUponAPlaceholder) {
  clear_session();
  const Tensor images = Input({40, 40, 3});
  Model model = applications::MobileNetV2({.alpha = 0.35,
                                           .include_top = false,
                                           .weights = {},
                                           .input_tensor = Rescaling(2.0)(images),
                                           .pooling = "max"});
  EXPECT_EQ(model.layers()[1]->name(), "rescaling");
  EXPECT_EQ(model.inputs().size(), 1U);
  EXPECT_EQ(model.outputs()[0].shape(), (Shape{Shape::kUnknown, 1280}));
}

/// Keras has a list of one input there, but in ConvNeXt.
TEST(Applications, InputsThatAPlaceholderIsMadeOf) {
  const Tensor images = Input({32, 32, 3}, {.name = "images"});
  const Json one = Json::array({"images", 0, 0});
  const ApplicationOptions options{.include_top = false, .weights = {}, .input_tensor = images};
  EXPECT_EQ(applications::by_name("MobileNet", options).get_config()["input_layers"],
            Json::array({one}));
  EXPECT_EQ(applications::by_name("ConvNeXtTiny", options).get_config()["input_layers"], one);
}

/// The files of ImageNet are where Keras has them: here one that this test wrote.
TEST(Applications, WeightsOfImagenetComeFromTheCache) {
  const fs::path home = fs::temp_directory_path() / "antler_applications_test";
  fs::create_directories(home / "models");
  setenv("KERAS_HOME", home.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  applications::MobileNetOptions options{
      .input_shape = Shape{128, 128, 3}, .alpha = 0.25, .include_top = false, .weights = {}};
  Model written = applications::MobileNet(options);
  written.save_weights((home / "models" / "mobilenet_2_5_128_tf_no_top.h5").string());
  options.weights = "imagenet";
  Model read = applications::MobileNet(options);
  unsetenv("KERAS_HOME");  // NOLINT(concurrency-mt-unsafe)
  fs::remove_all(home);
  const Tensors a = written.get_weights();
  const Tensors b = read.get_weights();
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].to_doubles(), b[i].to_doubles()) << i;
}

/// Loads a file of another model of the same architecture by path, and checks which weights a body
/// takes from it.
TEST(Applications, WeightsOfAFileGiveItsPredictions) {
  const fs::path file = fs::temp_directory_path() / "antler_applications.weights.h5";
  const applications::MobileNetV3Options random{
      .input_shape = Shape{32, 32, 3}, .minimalistic = true, .weights = {}, .classes = 4};
  Model written = applications::MobileNetV3Small(random);
  written.save_weights(file.string());
  applications::MobileNetV3Options loaded = random;
  loaded.weights = file.string();
  Model read = applications::MobileNetV3Small(loaded);
  fs::remove(file);
  const Tensor x =
      ops::reshape(ops::cast(ops::arange(0, 3072), DType::float32) / Tensor(12.0), {1, 32, 32, 3});
  EXPECT_EQ(read(x).to_doubles(), written(x).to_doubles());
}

}  // namespace
}  // namespace antler
