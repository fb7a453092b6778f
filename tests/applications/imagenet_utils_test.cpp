// Figures of Keras 3.15's keras.applications.imagenet_utils.preprocess_input, of NumPy arrays.
#include "antler/applications/imagenet_utils.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/antler.h"
#include "applications/class_index.h"

namespace antler {
namespace {

using applications::ImagenetPrediction;
namespace imagenet_utils = applications::imagenet_utils;

void expect_close(const Tensor& got, const std::vector<double>& expected) {
  const std::vector<double> values = got.to_doubles();
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 2e-5) << i;
}

const std::vector<double> kCaffe = {-83.939003, -106.778999, -123.68,
                                    -39.939003, 11.221001,   126.32};
const std::vector<double> kTorch = {-2.1179039, -1.8606442, -1.4558606,
                                    2.1632845,  0.2051822,  -0.688976};

TEST(PreprocessInput, DoesWhatKerasDoesInEachMode) {
  const Tensor images = Tensor::of<float>({0, 10, 20, 250, 128, 64}, {1, 2, 3});
  expect_close(imagenet_utils::preprocess_input(images), kCaffe);
  expect_close(imagenet_utils::preprocess_input(images, {.mode = "torch"}), kTorch);
  expect_close(imagenet_utils::preprocess_input(images, {.mode = "tf"}),
               {-1, -0.9215686, -0.8431373, 0.9607843, 0.0039216, -0.498039});
  const Tensor bytes = ops::cast(images, DType::uint8);
  expect_close(applications::vgg16::preprocess_input(bytes), kCaffe);
  expect_close(applications::densenet::preprocess_input(bytes), kTorch);
  EXPECT_EQ(applications::convnext::preprocess_input(bytes).to_doubles(), bytes.to_doubles());
}

TEST(PreprocessInput, KnowsChannelsFirst) {
  const Tensor images = Tensor::of<float>({0, 250, 10, 128, 20, 64}, {1, 3, 1, 2});
  expect_close(imagenet_utils::preprocess_input(images, {.data_format = "channels_first"}),
               {-83.939003, -39.939003, -106.778999, 11.221001, -123.68, 126.32});
  expect_close(applications::densenet::preprocess_input(images, "channels_first"),
               {-2.1179039, 2.1632845, -1.8606442, 0.2051822, -1.4558606, -0.688976});
}

TEST(PreprocessInput, IsAPartOfAModelOnAPlaceholder) {
  const Tensor input = Input({1, 2, 3});
  Model model(input, applications::resnet50::preprocess_input(input));
  expect_close(model(Tensor::of<float>({0, 10, 20, 250, 128, 64}, {1, 1, 2, 3})), kCaffe);
  EXPECT_NE(model.to_json().find("Flip"), std::string::npos);
}

TEST(PreprocessInput, RefusesOtherModesAndFormats) {
  const Tensor images = ops::zeros({1, 2, 3});
  EXPECT_THROW(imagenet_utils::preprocess_input(images, {.mode = "keras"}), ValueError);
  EXPECT_THROW(imagenet_utils::preprocess_input(images, {.data_format = "NCHW"}), ValueError);
}

TEST(DecodePredictions, NamesTheBestClasses) {
  Json index = Json::object();
  for (int i = 0; i < 1000; ++i) {
    index[std::to_string(i)] = {"n" + std::to_string(i), "class " + std::to_string(i)};
  }
  std::vector<float> scores(2000, 0.0F);
  scores[7] = 0.25F;
  scores[999] = 0.5F;
  scores[1000 + 3] = 1.0F;
  const auto decoded = applications::decode_with(index, Tensor::of<float>(scores, {2, 1000}), 2);
  ASSERT_EQ(decoded.size(), 2U);
  EXPECT_EQ(decoded[0],
            (std::vector<ImagenetPrediction>{{"n999", "class 999", 0.5}, {"n7", "class 7", 0.25}}));
  EXPECT_EQ(decoded[1][0], (ImagenetPrediction{"n3", "class 3", 1.0}));
}

TEST(DecodePredictions, WantsAThousandScoresPerSample) {
  EXPECT_THROW(applications::decode_predictions(ops::zeros({2, 10})), ValueError);
  EXPECT_THROW(applications::decode_predictions(ops::zeros({1000})), ValueError);
}

}  // namespace
}  // namespace antler
