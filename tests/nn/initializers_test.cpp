#include "antler/nn/initializers.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/layers.h"
#include "antler/nn/random_seed.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"

namespace antler {
namespace {

struct Statistics {
  double mean = 0;
  double stddev = 0;
  double low = 0;
  double high = 0;
};

Statistics statistics(const std::vector<double>& values) {
  Statistics s;
  s.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  for (double v : values) s.stddev += (v - s.mean) * (v - s.mean);
  s.stddev = std::sqrt(s.stddev / static_cast<double>(values.size()));
  s.low = *std::min_element(values.begin(), values.end());
  s.high = *std::max_element(values.begin(), values.end());
  return s;
}

// Standard deviations and limits of Keras 3.15 for these shapes: sqrt(scale / fan), cut at two of
// the uncut normal's, or the ends of the uniform distribution.
void expect_spread(const Initializer& initializer, const Shape& shape, double stddev,
                   double limit) {
  const Statistics s = statistics(initializer(shape).to_doubles());
  const double n = static_cast<double>(shape.num_elements());
  EXPECT_NEAR(s.mean, 0, 5 * stddev / std::sqrt(n));
  EXPECT_NEAR(s.stddev, stddev, 0.03 * stddev);
  EXPECT_GE(s.low, -limit);
  EXPECT_LE(s.high, limit);
  EXPECT_GT(s.high, 0.95 * limit);
}

TEST(Initializers, SpreadFollowsTheFans) {
  const Shape matrix{200, 100};
  const Shape kernel{3, 3, 32, 64};  // fans 288 and 576
  constexpr double kCut = 2 / 0.87962566103423978;
  expect_spread(initializers::GlorotUniform({.seed = 1}), matrix, 0.0816497, 0.1414214);
  expect_spread(initializers::GlorotUniform({.seed = 1}), kernel, 0.0481125, 0.0833334);
  expect_spread(initializers::GlorotNormal({.seed = 1}), matrix, 0.0816497, 0.0816497 * kCut);
  expect_spread(initializers::HeNormal({.seed = 2}), kernel, std::sqrt(2.0 / 288),
                std::sqrt(2.0 / 288) * kCut);
  expect_spread(initializers::HeUniform({.seed = 2}), matrix, 0.1, std::sqrt(3.0) * 0.1);
  expect_spread(initializers::LecunNormal({.seed = 2}), matrix, std::sqrt(1.0 / 200),
                std::sqrt(1.0 / 200) * kCut);
  expect_spread(initializers::LecunUniform({.seed = 2}), matrix, std::sqrt(1.0 / 200),
                std::sqrt(3.0 / 200));
  expect_spread(initializers::VarianceScaling(
                    {.scale = 3, .mode = "fan_out", .distribution = "uniform", .seed = 4}),
                matrix, std::sqrt(0.03), 0.3);
  expect_spread(initializers::RandomUniform({.seed = 4}), matrix, 0.1 / std::sqrt(12.0), 0.05);
  expect_spread(initializers::TruncatedNormal({.seed = 4}), matrix, 0.05 * 0.8796257, 0.1);
  const Statistics normal = statistics(
      initializers::RandomNormal({.mean = 1, .stddev = 2, .seed = 4})(matrix).to_doubles());
  EXPECT_NEAR(normal.mean, 1, 0.07);
  EXPECT_NEAR(normal.stddev, 2, 0.06);
  EXPECT_GT(normal.high, 1 + 2 * 3);
}

TEST(Initializers, FixedValues) {
  EXPECT_EQ(initializers::Zeros()({2}).to_doubles(), (std::vector<double>{0, 0}));
  EXPECT_EQ(initializers::Ones()({2}).to_doubles(), (std::vector<double>{1, 1}));
  EXPECT_EQ(initializers::Constant(0.5)({2}).to_doubles(), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(initializers::Identity(2)({2, 3}).to_doubles(),
            (std::vector<double>{2, 0, 0, 0, 2, 0}));
  EXPECT_EQ(initializers::Ones()({2}, DType::bfloat16).dtype(), DType::bfloat16);
  EXPECT_THROW(initializers::Identity()({2}), ValueError);
}

TEST(Initializers, OrthogonalRowsOrColumns) {
  for (const Shape& shape : {Shape{6, 4}, Shape{4, 6}, Shape{2, 3, 4}}) {
    const Tensor q = initializers::Orthogonal({.gain = 2, .seed = 1})(shape);
    const int64_t columns = shape.back();
    const Tensor m = ops::reshape(q, {-1, columns});
    const bool tall = m.dim(0) >= columns;
    const std::vector<double> gram =
        (tall ? ops::matmul(ops::transpose(m), m) : ops::matmul(m, ops::transpose(m))).to_doubles();
    const auto n = static_cast<size_t>(std::min(m.dim(0), columns));
    for (size_t i = 0; i < n * n; ++i) EXPECT_NEAR(gram[i], i / n == i % n ? 4 : 0, 1e-5);
  }
  EXPECT_THROW(initializers::Orthogonal()({3}), ValueError);
}

TEST(Initializers, NamesAliasesAndConfigurations) {
  EXPECT_EQ(Initializer("glorot_uniform").impl().class_name(), "GlorotUniform");
  EXPECT_EQ(Initializer("HeNormal").impl().class_name(), "HeNormal");
  EXPECT_EQ(Initializer("uniform").impl().class_name(), "RandomUniform");
  EXPECT_EQ(Initializer("normal").impl().class_name(), "RandomNormal");
  EXPECT_EQ(Initializer("zero").impl().class_name(), "Zeros");
  EXPECT_EQ(Initializer("OrthogonalInitializer").impl().class_name(), "Orthogonal");
  EXPECT_THROW(Initializer("no_such"), ValueError);
  EXPECT_EQ(initializers::GlorotUniform({.seed = 3}).impl().get_config().dump(),
            R"({"seed":3,"input_axes":null,"output_axes":null})");
  EXPECT_EQ(
      initializers::VarianceScaling().impl().get_config().dump(),
      R"({"seed":null,"scale":1.0,"mode":"fan_in","distribution":"truncated_normal","input_axes":null,)"
      R"("output_axes":null})");
  EXPECT_THROW(initializers::VarianceScaling({.scale = 0}), ValueError);
  EXPECT_THROW(initializers::VarianceScaling({.mode = "fan"}), ValueError);
  EXPECT_THROW(initializers::VarianceScaling({.distribution = "gamma"}), ValueError);
}

TEST(Initializers, OneObjectGivesTheSameValuesANameOthers) {
  const initializers::GlorotUniform object;
  EXPECT_EQ(object({4, 4}).to_doubles(), object({4, 4}).to_doubles());
  const Initializer name = "glorot_uniform";
  EXPECT_NE(name({4, 4}).to_doubles(), name({4, 4}).to_doubles());
  const DenseOptions shared;  // two layers made from one options struct do not start alike
  Dense a(3, shared);
  Dense b(3, shared);
  a.ensure_built({{1, 4}});
  b.ensure_built({{1, 4}});
  EXPECT_NE(a.get_weights()[0].to_doubles(), b.get_weights()[0].to_doubles());
}

TEST(RandomSeed, SameSeedSameWeights) {
  const auto weights = [](uint64_t seed) {
    set_random_seed(seed);
    Dense a(3);
    Conv2D b(2, 2);
    a.ensure_built({{1, 4}});
    b.ensure_built({{1, 4, 4, 1}});
    std::vector<double> all = a.get_weights()[0].to_doubles();
    for (double v : b.get_weights()[0].to_doubles()) all.push_back(v);
    return all;
  };
  const std::vector<double> first = weights(7);
  EXPECT_EQ(weights(7), first);
  EXPECT_NE(weights(8), first);
}

TEST(RandomSeed, GeneratorCountsDraws) {
  const SeedGenerator generator(5);
  EXPECT_EQ(generator.next().to_vector<uint32_t>(), (std::vector<uint32_t>{5, 0}));
  EXPECT_EQ(generator.next().to_vector<uint32_t>(), (std::vector<uint32_t>{5, 1}));
  EXPECT_EQ(generator.state().stored().to_vector<uint32_t>(), (std::vector<uint32_t>{5, 2}));
}

TEST(Dropout, KeepsTheExpectedPartAndScales) {
  Dropout dropout(0.25, {.seed = 3});
  const Tensor ones = Tensor::full(DType::float32, {200, 100}, 1);
  const std::vector<double> first = dropout(ones, {.training = true}).to_doubles();
  double kept = 0;
  for (double v : first) {
    EXPECT_TRUE(v == 0 || std::abs(v - 1 / 0.75) < 1e-6);
    kept += v != 0 ? 1 : 0;
  }
  EXPECT_NEAR(kept / 20000, 0.75, 0.015);
  EXPECT_NE(dropout(ones, {.training = true}).to_doubles(), first);
  EXPECT_EQ(dropout(ones).to_doubles(), ones.to_doubles());
  EXPECT_EQ(dropout.variables().size(), 1U);
  EXPECT_TRUE(dropout.weights().empty());
  EXPECT_EQ(Dropout(0.25, {.seed = 3})(ones, {.training = true}).to_doubles(), first);
}

TEST(Dropout, NoiseShapeSharesTheMask) {
  Dropout dropout(0.5, {.noise_shape = {None, 1}, .seed = 1});
  const std::vector<double> y =
      dropout(Tensor::full(DType::float32, {8, 3}, 1), {.training = true}).to_doubles();
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(y[3 * i], y[3 * i + 1]);
    EXPECT_EQ(y[3 * i], y[3 * i + 2]);
  }
}

TEST(Initializers, KeepASingleAxisAsANumber) {
  const Json config = {{"seed", 3}, {"input_axes", 0}, {"output_axes", {1, 2}}};
  const Initializer made = initializers::deserialize(
      {{"class_name", "GlorotUniform"}, {"module", "keras.initializers"}, {"config", config}});
  EXPECT_EQ(made.impl().get_config(), config);
}

// Keras 3.15: the kernel (32, 4, 16) of a projection to heads has the fans 32 and 64.
TEST(Initializers, OfAnEinsumDenseCountTheAxesOfItsEquation) {
  EinsumDense layer("abc,cde->abde", {-1, 4, 16});
  layer.ensure_built({Shape({1, 2, 32})});
  const double largest = ops::max(ops::absolute(layer.weights()[0].stored())).item();
  EXPECT_LE(largest, 0.25);
  EXPECT_GE(largest, 0.24);
  EXPECT_TRUE(layer.get_config()["kernel_initializer"]["config"]["input_axes"].is_null());
}

TEST(Initializers, ConstantTakesAnArray) {
  const initializers::Constant eye(ops::reshape(ops::eye(2), {-1}));
  EXPECT_EQ(eye({4}).to_vector<float>(), (std::vector<float>{1, 0, 0, 1}));
  EXPECT_EQ(eye({2, 4}, DType::int32).to_vector<int>(), (std::vector<int>{1, 0, 0, 1, 1, 0, 0, 1}));
  EXPECT_THROW(eye({3}), ValueError);
  const Initializer copy = initializers::deserialize(initializers::serialize(eye));
  EXPECT_EQ(copy({4}).to_vector<float>(), eye({4}).to_vector<float>());
  const auto from = [](const char* value) {
    return initializers::deserialize(Json::parse(
        R"({"class_name": "Constant", "config": {"value": {"class_name": "__numpy__", "config": )" +
        std::string(value) + "}}}"));
  };
  EXPECT_EQ(from(R"({"value": [[1, 2], [3, 4]], "dtype": "int32"})")({2, 2}).to_vector<float>(),
            (std::vector<float>{1, 2, 3, 4}));
  EXPECT_THROW(from(R"({"value": [[1], [2, 3], []], "dtype": "float32"})"), ValueError);
  EXPECT_THROW(from(R"({"value": [1, [2]], "dtype": "float32"})"), ValueError);
  EXPECT_THROW(from(R"({"value": ["a"], "dtype": "float32"})"), ValueError);
  EXPECT_THROW(from(R"({"value": [1]})"), ValueError);
}

TEST(Constant, TakesListsAndBooleansFromConfigurations) {
  const Initializer list = initializers::deserialize(
      Json::parse(R"({"class_name": "Constant", "config": {"value": [1.0, 2.0, 3.0]}})"));
  EXPECT_EQ(list(Shape{2, 3}, DType::float32).to_vector<float>(),
            (std::vector<float>{1, 2, 3, 1, 2, 3}));
  const Initializer one = initializers::deserialize(
      Json::parse(R"({"class_name": "Constant", "config": {"value": true}})"));
  EXPECT_EQ(one(Shape{2}, DType::float32).to_vector<float>(), (std::vector<float>{1, 1}));
}

}  // namespace
}  // namespace antler
