#include "data/class_weight.h"

#include <gtest/gtest.h>

#include <limits>

#include "antler/base/error.h"
#include "antler/data/array_source.h"

namespace antler::data {
namespace {

using Map = std::map<int64_t, double>;
const Map kTwo = {{0, 0.5}, {1, 3}};

std::vector<float> values(const Tensor& t) { return t.to_vector<float>(); }

TEST(ClassWeightTest, OfNumbersRoundsToTheClass) {
  const Tensor y = Tensor::of<float>({0.2F, 0.9F, 1});
  EXPECT_EQ(values(apply_class_weight(kTwo, y, {})), (std::vector<float>{0.5F, 3, 3}));
  const Tensor column = Tensor::of<int32_t>({1, 0}, {2, 1});
  const Tensor weights = apply_class_weight(kTwo, column, {});
  EXPECT_EQ(weights.shape(), Shape({2}));
  EXPECT_EQ(values(weights), (std::vector<float>{3, 0.5F}));
  EXPECT_EQ(values(apply_class_weight(kTwo, Tensor::of<bool>({true, false}), {})),
            (std::vector<float>{3, 0.5F}));
}

TEST(ClassWeightTest, OfOneHotRowsTakesTheLargestEntry) {
  const Tensor y = Tensor::of<float>({0, 0, 1, 1, 0, 0, 0.2F, 0.7F, 0.1F}, {3, 3});
  const Map map = {{0, 10}, {1, 20}, {2, 30}};
  EXPECT_EQ(values(apply_class_weight(map, y, {})), (std::vector<float>{30, 10, 20}));
}

TEST(ClassWeightTest, MultipliesIntoSampleWeights) {
  const Tensor y = Tensor::of<int32_t>({0, 1});
  const Tensor weights = Tensor::of<double>({2, 4});
  EXPECT_EQ(values(apply_class_weight(kTwo, y, weights)), (std::vector<float>{1, 12}));
  // [2, 2, 2] one-hot: a class for each time step, a weight for each sample.
  const Tensor steps = Tensor::of<float>({1, 0, 0, 1, 0, 1, 1, 0}, {2, 2, 2});
  const Tensor product = apply_class_weight(kTwo, steps, weights);
  EXPECT_EQ(product.shape(), Shape({2, 2}));
  EXPECT_EQ(values(product), (std::vector<float>{1, 6, 12, 2}));
  const Tensor column = Tensor::of<float>({2, 4}, {2, 1});
  EXPECT_EQ(apply_class_weight(kTwo, y, column).shape(), Shape({2, 1}));
  EXPECT_THROW(apply_class_weight(kTwo, steps, Tensor::zeros(DType::float32, {2, 3})), ValueError);
}

TEST(ClassWeightTest, RefusesWhatDoesNotFit) {
  const Tensor y = Tensor::of<int32_t>({0, 1, 2});
  EXPECT_THROW(apply_class_weight({{0, 1}, {2, 1}}, y, {}), ValueError);
  EXPECT_THROW(apply_class_weight({{1, 1}, {2, 1}}, y, {}), ValueError);
  EXPECT_THROW(apply_class_weight({{-1, 1}, {0, 1}}, y, {}), ValueError);
  EXPECT_THROW(apply_class_weight(kTwo, y, {}), ValueError);  // no class 2
  EXPECT_THROW(apply_class_weight(kTwo, Tensor::of<int32_t>({-1}), {}), ValueError);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(apply_class_weight(kTwo, Tensor::of<float>({nan}), {}), ValueError);
  EXPECT_THROW(apply_class_weight(kTwo, {}, {}), ValueError);
  EXPECT_THROW(apply_class_weight(kTwo, Nest{y, y}, {}), ValueError);
}

TEST(ClassWeightTest, TheSourceGivesTheWeights) {
  const Tensor y = Tensor::of<int32_t>({0, 1, 1});
  const auto source = array_source(y, y, {}, {.batch_size = 3, .class_weight = kTwo});
  Nest specs;
  ASSERT_TRUE(source->peek(specs));
  EXPECT_EQ(specs[2].tensor().spec(), (TensorSpec{DType::float32, {3}}));
  int32_t x[3];
  int32_t labels[3];
  float weights[3];
  void* const buffers[] = {x, labels, weights};
  ASSERT_TRUE(source->fill(buffers));
  EXPECT_EQ(weights[0], 0.5F);
  EXPECT_EQ(weights[2], 3.0F);
}

}  // namespace
}  // namespace antler::data
