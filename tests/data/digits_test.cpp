#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "antler/base/error.h"
#include "antler/data/datasets.h"

namespace antler::data {
namespace {

TEST(DigitsTest, HasTheFiguresOfTheSource) {
  const auto [train, test] = digits();
  EXPECT_EQ(train.x.spec(), (TensorSpec{DType::float32, {1437, 8, 8, 1}}));
  EXPECT_EQ(test.x.spec(), (TensorSpec{DType::float32, {360, 8, 8, 1}}));
  EXPECT_EQ(train.y.spec(), (TensorSpec{DType::int32, {1437}}));
  EXPECT_EQ(test.y.spec(), (TensorSpec{DType::int32, {360}}));
  // From scikit-learn 1.9's load_digits(): the sum of all pixels, and images per class.
  double sum = 0;
  std::array<int, 10> classes{};
  for (const Split& part : {train, test}) {
    for (const float pixel : part.x.to_vector<float>()) {
      EXPECT_GE(pixel, 0);
      EXPECT_LE(pixel, 1);
      sum += pixel * 16;
    }
    for (const int32_t label : part.y.to_vector<int32_t>())
      ++classes.at(static_cast<size_t>(label));
  }
  EXPECT_EQ(sum, 561718);
  EXPECT_EQ(classes, (std::array{178, 182, 177, 183, 181, 182, 181, 179, 174, 180}));
}

TEST(DigitsTest, LabelsStayWithTheirImages) {
  // The first image of the source, a zero.
  const std::vector<int> zero = {0, 0, 5,  13, 9,  1,  0, 0, 0, 0, 13, 15, 10, 15, 5, 0,
                                 0, 3, 15, 2,  0,  11, 8, 0, 0, 4, 12, 0,  0,  8,  8, 0,
                                 0, 5, 8,  0,  0,  9,  8, 0, 0, 4, 11, 0,  1,  12, 7, 0,
                                 0, 2, 14, 5,  10, 12, 0, 0, 0, 0, 6,  13, 10, 0,  0, 0};
  const TrainTest data = digits();
  int found = 0;
  for (const Split& part : {data.train, data.test}) {
    for (int64_t i = 0; i < part.y.size(); ++i) {
      const float* image = part.x.data<float>() + 64 * i;
      const bool same = std::equal(zero.begin(), zero.end(), image,
                                   [](int a, float b) { return static_cast<float>(a) == b * 16; });
      if (!same) continue;
      ++found;
      EXPECT_EQ(part.y.data<int32_t>()[i], 0);
    }
  }
  EXPECT_EQ(found, 1);
}

TEST(DigitsTest, TheSeedDecidesTheSplit) {
  const auto labels = [](const DigitsOptions& options) {
    return digits(options).test.y.to_vector<int32_t>();
  };
  EXPECT_EQ(labels({.seed = 1}), labels({.seed = 1}));
  EXPECT_NE(labels({.seed = 1}), labels({.seed = 2}));
  EXPECT_EQ(labels({.test_fraction = 0.5}).size(), 899U);
  EXPECT_THROW(digits({.test_fraction = 0}), ValueError);
  EXPECT_THROW(digits({.test_fraction = 1}), ValueError);
}

}  // namespace
}  // namespace antler::data
