// Sizes as positional arguments, in braces, and together with named fields. Half of the test is
// that this compiles.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/constraint.h"
#include "antler/nn/initializers.h"
#include "antler/nn/layers.h"
#include "antler/nn/losses.h"
#include "antler/nn/mask.h"
#include "antler/nn/metrics.h"
#include "antler/nn/optimizers.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"

namespace antler {
namespace {

template <class L>
Shape shape_of(L layer, const Shape& input) {
  return layer(ops::ones(input)).shape();
}

TEST(PoolSize, MayComeByPosition) {
  const Shape image = {1, 12, 12, 1};
  EXPECT_EQ(shape_of(MaxPooling2D(3), image), (Shape{1, 4, 4, 1}));
  EXPECT_EQ(shape_of(MaxPooling2D({3, 2}), image), (Shape{1, 4, 6, 1}));
  EXPECT_EQ(shape_of(MaxPooling2D({3, 2}, {.padding = "same"}), image), (Shape{1, 4, 6, 1}));
  EXPECT_EQ(shape_of(AveragePooling2D(2, {.strides = 1}), image), (Shape{1, 11, 11, 1}));
  EXPECT_EQ(shape_of(MaxPooling2D({.strides = 1}), image), (Shape{1, 11, 11, 1}));
  EXPECT_EQ(shape_of(MaxPooling2D({.pool_size = 3}), image), (Shape{1, 4, 4, 1}));
  EXPECT_EQ(shape_of(AveragePooling2D({.pool_size = {4, 3}}), image), (Shape{1, 3, 4, 1}));
  EXPECT_EQ(shape_of(MaxPooling1D(4), {1, 12, 1}), (Shape{1, 3, 1}));
  EXPECT_EQ(shape_of(MaxPooling3D({2, 1, 4}), {1, 4, 4, 4, 1}), (Shape{1, 2, 4, 1, 1}));
  EXPECT_THROW(MaxPooling2D(2, {.pool_size = 3}), TypeError);
}

TEST(Edges, MayComeByPosition) {
  const Shape image = {1, 4, 4, 1};
  EXPECT_EQ(shape_of(ZeroPadding2D(1), image), (Shape{1, 6, 6, 1}));
  EXPECT_EQ(shape_of(ZeroPadding2D({1, 2}), image), (Shape{1, 6, 8, 1}));
  EXPECT_EQ(shape_of(ZeroPadding2D({{1, 0}, {0, 3}}), image), (Shape{1, 5, 7, 1}));
  EXPECT_EQ(shape_of(ZeroPadding2D({.padding = 1}), image), (Shape{1, 6, 6, 1}));
  EXPECT_EQ(shape_of(ZeroPadding2D({.padding = {{1, 0}, {0, 3}}}), image), (Shape{1, 5, 7, 1}));
  EXPECT_EQ(shape_of(Cropping2D({{1, 0}, {0, 3}}), image), (Shape{1, 3, 1, 1}));
  EXPECT_EQ(shape_of(Cropping2D({.cropping = 1}), image), (Shape{1, 2, 2, 1}));
  EXPECT_EQ(shape_of(ZeroPadding1D({1, 2}), {1, 4, 1}), (Shape{1, 7, 1}));
  EXPECT_EQ(shape_of(Cropping1D(1), {1, 4, 1}), (Shape{1, 2, 1}));
  EXPECT_EQ(shape_of(ZeroPadding3D({{1, 0}, 0, 2}), {1, 2, 2, 2, 1}), (Shape{1, 3, 2, 6, 1}));
  EXPECT_EQ(shape_of(UpSampling2D({2, 3}), image), (Shape{1, 8, 12, 1}));
  EXPECT_EQ(shape_of(UpSampling2D({.size = 3}), image), (Shape{1, 12, 12, 1}));
  EXPECT_EQ(shape_of(UpSampling1D(2), {1, 4, 1}), (Shape{1, 8, 1}));
}

TEST(FirstArguments, MayComeByPosition) {
  const Tensor x = Tensor::of({{-2.F, 1.F, 9.F}});
  EXPECT_EQ(ReLU(6)(x).to_doubles(), (std::vector<double>{0, 1, 6}));
  EXPECT_EQ(ReLU(6, {.threshold = 2})(x).to_doubles(), (std::vector<double>{0, 0, 6}));
  EXPECT_NEAR(ELU(2.0)(x).to_doubles()[0], -1.7293294, 1e-6);
  EXPECT_EQ(Softmax(0)(x).to_doubles(), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(Concatenate(1)({x, x}).shape(), (Shape{1, 6}));
  EXPECT_EQ(keras_mask(Masking(1.0)(ops::ones({1, 2, 3}))).to_doubles(),
            (std::vector<double>{0, 0}));
  EXPECT_EQ(RandomFlip("horizontal").get_config().at("mode"), "horizontal");
  EXPECT_EQ(RandomFlip({.mode = "vertical"}).get_config().at("mode"), "vertical");
  EXPECT_EQ(initializers::RandomUniform(2, 3)({2}, DType::float32).shape(), (Shape{2}));
  EXPECT_EQ(constraints::MaxNorm(1)(Tensor::of({{3.F}, {4.F}})).to_doubles()[0], 0.6F);
  EXPECT_EQ(float(losses::Huber(2.0)(Tensor::of({{0.F}}), Tensor::of({{4.F}}))), 6.F);
  EXPECT_EQ(metrics::Mean("loss").name(), "loss");
  EXPECT_EQ(metrics::TopKCategoricalAccuracy(3).get_config().at("k"), 3);
}

TEST(LearningRates, MayComeByPosition) {
  EXPECT_FLOAT_EQ(float(optimizers::Adam(1e-2).learning_rate()), 1e-2F);
  EXPECT_FLOAT_EQ(float(optimizers::SGD(1, {.momentum = 0.9}).learning_rate()), 1);
  const optimizers::schedules::ExponentialDecay decay(0.5, 10, 0.9);
  EXPECT_TRUE(optimizers::AdamW(decay, {.weight_decay = 0.1}).has_schedule());
  EXPECT_THROW(optimizers::Adam(0.1, {.learning_rate = 0.2}), TypeError);
}

class MyScale : public LayerBase<MyScale> {
 public:
  Tensor call(const Tensor& x) override { return x * 3; }
};

class MySum : public LayerBase<MySum> {
 public:
  Nest call(const Nest& xs) override { return xs[0] + xs[1]; }
};

TEST(LayerBase, CallMayLeaveTheOptionsOut) {
  const Tensor x = Tensor::of({1.F, 2.F});
  EXPECT_EQ(MyScale()(x, {.training = true}).to_doubles(), (std::vector<double>{3, 6}));
  EXPECT_EQ(MySum()({x, x}).to_doubles(), (std::vector<double>{2, 4}));
  EXPECT_THROW(MyScale()({x, x}), ValueError);
}

TEST(LayerCall, TakesInputsOneByOneWhereKerasNamesThem) {
  const Tensor x = ops::ones({1, 2, 4});
  MultiHeadAttention attention({.num_heads = 2, .key_dim = 3});
  EXPECT_EQ(attention(x, x * 2).to_doubles(), attention({x, x * 2}).to_doubles());
  EXPECT_EQ(attention(x, x, x * 3, {.training = true}).to_doubles(),
            attention({x, x, x * 3}).to_doubles());
  EXPECT_THROW(Attention()(x, x * 2), TypeError);  // Keras's takes a list
  EXPECT_THROW(Dense(2)(x, x), TypeError);
}

class MyNamedScale : public LayerBase<MyNamedScale> {
 public:
  explicit MyNamedScale(const LayerOptions& options) : LayerBase(options) {}
  Tensor call(const Tensor& x, const CallOptions&) override { return x * 3; }
};

TEST(LayerBase, KnowsTheNameOfItsClass) {
  EXPECT_EQ(MyScale().class_name(), "MyScale");
  EXPECT_EQ(MyScale().name().rfind("my_scale", 0), 0U);
  EXPECT_EQ(MyNamedScale({.name = "third"}).name(), "third");
  EXPECT_EQ(MyNamedScale({}).class_name(), "MyNamedScale");
}

TEST(LambdaLayer, TakesAFunctionWithoutAName) {
  Lambda twice([](const Tensor& x) { return x * 2; });
  EXPECT_EQ(twice(Tensor::of({1.F})).to_doubles(), (std::vector<double>{2}));
  Lambda sum([](const Nest& xs) { return xs[0] + xs[1]; }, {.name = "sum"});
  EXPECT_EQ(sum({Tensor::of({1.F}), Tensor::of({2.F})}).to_doubles(), (std::vector<double>{3}));
}

TEST(Weights, AreThoseWithoutStatesOfRandomDraws) {
  Dropout dropout(0.5, {.seed = 1});
  dropout(ops::ones({2}));
  EXPECT_EQ(dropout.non_trainable_variables().size(), 1U);
  EXPECT_TRUE(dropout.non_trainable_weights().empty());
  Dense dense(2);
  dense(ops::ones({1, 3}));
  EXPECT_EQ(dense.trainable_weights().size(), 2U);
  dense.set_trainable(false);
  EXPECT_EQ(dense.non_trainable_weights().size(), 2U);
}

}  // namespace
}  // namespace antler
