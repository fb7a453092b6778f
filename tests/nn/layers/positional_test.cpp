// Sizes by position, in braces, and beside named fields: what compiles is half of the test.
#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/nn/layers.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/shape.h"

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

class MyScale : public LayerBase<MyScale> {
 public:
  using Layer::call;
  Tensor call(const Tensor& x, const CallOptions&) override { return x * 3; }
};

class MyNamedScale : public LayerBase<MyNamedScale> {
 public:
  explicit MyNamedScale(const LayerOptions& options) : LayerBase(options) {}
  using Layer::call;
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
