#include <gtest/gtest.h>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/one_hot.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "support/op_cases.h"

namespace antler {
namespace {

using test::expect_close;
using test::tensor_of;

Tensor zero_to_n(const Shape& shape) {
  return ops::reshape(ops::arange(0, shape.num_elements(), 1, {.dtype = DType::float32}), shape);
}

void expect_values(const Tensor& x, const Shape& shape, const std::vector<double>& values) {
  EXPECT_EQ(x.shape(), shape);
  expect_close(x, values);
}

TEST(Movement, Cases) { test::check_ops(test::movement_cases()); }
TEST(Indexing, Cases) { test::check_ops(test::indexing_cases()); }

TEST(Create, Filled) {
  expect_values(ops::zeros({2}), {2}, {0, 0});
  expect_values(ops::ones({1, 2}, DType::int8), {1, 2}, {1, 1});
  expect_values(ops::full({2}, 2.5, DType::float64), {2}, {2.5, 2.5});
  expect_values(ops::full_like(tensor_of(DType::int32, {2}, {4, 5}), 7), {2}, {7, 7});
  expect_values(ops::zeros_like(zero_to_n({0, 3})), {0, 3}, {});
  EXPECT_EQ(ops::ones_like(zero_to_n({2})).dtype(), DType::float32);
}

TEST(Create, FilledTensorsOfATraceAreNoLargeLiterals) {
  ir::Tracer tracer;
  const Tensor zeros = ops::zeros({1000, 1000});
  const ir::Graph graph = tracer.finish(std::vector<Tensor>{zeros}).graph;
  for (const ir::Node& node : graph.nodes) {
    if (node.op != &ir::kConstant) continue;
    EXPECT_EQ(node.attrs.get<Tensor>("value").size(), 1);
  }
}

TEST(Create, Arange) {
  expect_values(ops::arange(2, 9, 3), {3}, {2, 5, 8});
  expect_values(ops::arange(5, 0, -2), {3}, {5, 3, 1});
  expect_values(ops::arange(3, 3), {0}, {});
  expect_values(ops::arange(2047, 2052, 1, {.dtype = DType::float16}), {5},
                {2047, 2048, 2048, 2050, 2052});
  EXPECT_EQ(ops::arange(0, 3, 1, {.dtype = DType::uint8}).dtype(), DType::uint8);
  EXPECT_THROW(ops::arange(0, 3, 0), ValueError);
}

TEST(Create, EyeAndOneHot) {
  expect_values(ops::eye(2, 3), {2, 3}, {1, 0, 0, 0, 1, 0});
  expect_values(ops::eye(2, 3, 1), {2, 3}, {0, 1, 0, 0, 0, 1});
  expect_values(ops::eye(3, 2, -1), {3, 2}, {0, 0, 1, 0, 0, 1});
  const Tensor labels = tensor_of(DType::int32, {3}, {1, -1, 3});
  expect_values(ops::one_hot(labels, 3), {3, 3}, {0, 1, 0, 0, 0, 0, 0, 0, 0});
  expect_values(ops::one_hot(labels, 2, {.axis = 0, .dtype = "int32"}), {2, 3}, {0, 0, 0, 1, 0, 0});
  EXPECT_THROW(ops::one_hot(zero_to_n({2}), 3), TypeError);
}

TEST(Create, Triangles) {
  const Tensor x = zero_to_n({3, 3});
  expect_values(ops::tril(x), {3, 3}, {0, 0, 0, 3, 4, 0, 6, 7, 8});
  expect_values(ops::triu(x, 1), {3, 3}, {0, 1, 2, 0, 0, 5, 0, 0, 0});
  expect_values(ops::tril(zero_to_n({1, 2, 3}), -1), {1, 2, 3}, {0, 0, 0, 3, 0, 0});
  EXPECT_THROW(ops::tril(zero_to_n({3})), ValueError);
}

TEST(Reshape, InfersOneDimension) {
  EXPECT_EQ(ops::reshape(zero_to_n({2, 6}), {3, -1}).shape(), (Shape{3, 4}));
  EXPECT_EQ(ops::reshape(zero_to_n({0, 6}), {-1, 6}).shape(), (Shape{0, 6}));
  EXPECT_THROW(ops::reshape(zero_to_n({2, 6}), {5, -1}), ValueError);
  EXPECT_THROW(ops::reshape(zero_to_n({2, 6}), {-1, -1}), ValueError);
  EXPECT_THROW(ops::reshape(zero_to_n({2, 6}), {13}), ValueError);
}

TEST(Reshape, SameShapeIsTheSameTensor) {
  const Tensor x = zero_to_n({2, 3});
  EXPECT_EQ(ops::reshape(x, {2, -1}).id(), x.id());
  EXPECT_EQ(ops::broadcast_to(x, {2, 3}).id(), x.id());
  EXPECT_EQ(ops::transpose(x, {0, 1}).id(), x.id());
  EXPECT_EQ(ops::strided_slice(x, {0, 0}, {2, 3}).id(), x.id());
  EXPECT_EQ(ops::pad(x, {0, 0}, {0, 0}).id(), x.id());
}

TEST(Reshape, ExpandAndSqueeze) {
  const Tensor x = zero_to_n({2, 1, 3});
  EXPECT_EQ(ops::expand_dims(x, -1).shape(), (Shape{2, 1, 3, 1}));
  EXPECT_EQ(ops::squeeze(x).shape(), (Shape{2, 3}));
  EXPECT_EQ(ops::squeeze(x, 1).shape(), (Shape{2, 3}));
  EXPECT_THROW(ops::squeeze(x, 0), ValueError);
  EXPECT_THROW(ops::expand_dims(x, 5), ValueError);
}

TEST(Transpose, AxesByName) {
  const Tensor x = zero_to_n({2, 3, 4});
  EXPECT_EQ(ops::transpose(x).shape(), (Shape{4, 3, 2}));
  EXPECT_EQ(ops::swapaxes(x, 0, -1).shape(), (Shape{4, 3, 2}));
  EXPECT_EQ(ops::moveaxis(x, 0, -1).shape(), (Shape{3, 4, 2}));
  EXPECT_EQ(ops::moveaxis(x, -1, 0).shape(), (Shape{4, 2, 3}));
  EXPECT_THROW(ops::transpose(x, {0, 0, 1}), ValueError);
  EXPECT_THROW(ops::transpose(x, {0, 1}), ValueError);
}

TEST(Broadcast, Errors) {
  EXPECT_THROW(ops::broadcast_to(zero_to_n({2, 3}), {2, 4}), ValueError);
  EXPECT_THROW(ops::broadcast_to(zero_to_n({2, 3}), {3}), ValueError);
  EXPECT_THROW(ops::broadcast_to(zero_to_n({3}), {3, 2}), ValueError);
}

TEST(Broadcast, TileAndRepeat) {
  const Tensor x = zero_to_n({2, 2});
  expect_values(ops::tile(x, {2, 1}), {4, 2}, {0, 1, 2, 3, 0, 1, 2, 3});
  expect_values(ops::tile(x, {2}), {2, 4}, {0, 1, 0, 1, 2, 3, 2, 3});
  EXPECT_EQ(ops::tile(x, {3, 1, 1}).shape(), (Shape{3, 2, 2}));
  EXPECT_EQ(ops::tile(x, {0, 1}).shape(), (Shape{0, 2}));
  expect_values(ops::repeat(x, 2, 0), {4, 2}, {0, 1, 0, 1, 2, 3, 2, 3});
  expect_values(ops::repeat(x, 2, -1), {2, 4}, {0, 0, 1, 1, 2, 2, 3, 3});
}

TEST(Slice, PartsOfAnArray) {
  const Tensor x = zero_to_n({2, 4});
  expect_values(ops::slice_axis(x, -1, 1, 4, 2), {2, 2}, {1, 3, 5, 7});
  const Tensors halves = ops::split(x, 2, 1);
  expect_values(halves[1], {2, 2}, {2, 3, 6, 7});
  expect_values(ops::unstack(x, 0)[1], {4}, {4, 5, 6, 7});
  EXPECT_EQ(ops::unstack(zero_to_n({0, 2})).size(), 0U);
  EXPECT_THROW(ops::split(x, 3, 1), ValueError);
  EXPECT_THROW(ops::strided_slice(x, {0, 0}, {2, 5}), ValueError);
  EXPECT_THROW(ops::strided_slice(x, {0}, {2}), ValueError);
}

// keras.ops.slice(x, starts, sizes) of NumPy's arange(8).reshape(2, 4).
TEST(Slice, StartsAndSizes) {
  const Tensor x = zero_to_n({2, 4});
  expect_values(ops::slice(x, {0, 1}, {2, 2}), {2, 2}, {1, 2, 5, 6});
  expect_values(ops::slice(x, {1, 2}, {1, -1}), {1, 2}, {6, 7});
  EXPECT_EQ(ops::slice(x, {2, 0}, {0, 4}).shape(), (Shape{0, 4}));
  EXPECT_THROW(ops::slice(x, {1, 0}, {2, 4}), ValueError);
  EXPECT_THROW(ops::slice(x, {-1, 0}, {1, 4}), ValueError);
  EXPECT_THROW(ops::slice(x, {0, 0}, {1}), ValueError);
}

TEST(DTypes, ByName) {
  EXPECT_EQ(ops::cast(zero_to_n({2}), "int32").dtype(), DType::int32);
  EXPECT_EQ(ops::zeros({2}, std::string("bool")).dtype(), DType::boolean);
  EXPECT_EQ(ops::arange(0.0, 1.0, 0.5, {.dtype = "bfloat16"}).dtype(), DType::bfloat16);
  EXPECT_THROW(ops::ones({2}, "float31"), ValueError);
}

TEST(Concatenate, PromotesAndStacks) {
  const Tensor x = tensor_of(DType::int32, {2}, {1, 2});
  const Tensor y = tensor_of(DType::float32, {1}, {0.5});
  expect_values(ops::concatenate({x, y}), {3}, {1, 2, 0.5});
  expect_values(ops::stack({x, x}, -1), {2, 2}, {1, 1, 2, 2});
  EXPECT_THROW(ops::concatenate({x, zero_to_n({2, 2})}), ValueError);
  EXPECT_THROW(ops::stack({x, y}), ValueError);
  EXPECT_THROW(ops::concatenate({}), ValueError);
}

TEST(Roll, Wraps) {
  const Tensor x = zero_to_n({5});
  expect_values(ops::roll(x, 2, 0), {5}, {3, 4, 0, 1, 2});
  expect_values(ops::roll(x, -1, 0), {5}, {1, 2, 3, 4, 0});
  expect_values(ops::roll(x, 12, 0), {5}, {3, 4, 0, 1, 2});
  EXPECT_EQ(ops::roll(x, 5, 0).id(), x.id());
}

TEST(Pad, ValueTakesTheDtype) {
  const Tensor x = tensor_of(DType::int8, {2}, {1, 2});
  const Tensor padded = ops::pad(x, {1}, {0}, {}, 7);
  EXPECT_EQ(padded.dtype(), DType::int8);
  expect_values(padded, {3}, {7, 1, 2});
  EXPECT_THROW(ops::pad(x, {-3}, {0}), ValueError);
  EXPECT_THROW(ops::pad(x, {1, 1}, {0, 0}), ValueError);
}

TEST(Take, WithoutAnAxisTakesFromTheFlattenedArray) {
  const Tensor x = zero_to_n({3, 2});
  expect_values(ops::take(x, tensor_of(DType::int32, {2}, {4, -1})), {2}, {4, 5});
  expect_values(ops::take_along_axis(x, tensor_of(DType::int32, {2, 1}, {3, 1})), {2}, {3, 1});
}

TEST(Take, NegativeAndOutOfRange) {
  const Tensor x = zero_to_n({3, 2});
  expect_values(ops::take(x, tensor_of(DType::int32, {3}, {-1, 0, 7}), 0), {3, 2},
                {4, 5, 0, 1, 4, 5});
  expect_values(ops::take(x, tensor_of(DType::int8, {}, {-2}), 1), {3}, {0, 2, 4});
  EXPECT_THROW(ops::take(x, zero_to_n({2}), 0), TypeError);
  EXPECT_THROW(ops::take(zero_to_n({0, 2}), tensor_of(DType::int32, {1}, {0}), 0), ValueError);
}

TEST(Take, AlongAxis) {
  const Tensor x = zero_to_n({2, 3});
  expect_values(ops::take_along_axis(x, tensor_of(DType::int64, {2, 2}, {2, 0, -1, 1}), 1), {2, 2},
                {2, 0, 5, 4});
  expect_values(ops::take_along_axis(x, tensor_of(DType::int32, {1, 3}, {1, 0, 1}), 0), {1, 3},
                {3, 1, 5});
  // Other dimensions broadcast, as in NumPy.
  expect_values(ops::take_along_axis(x, tensor_of(DType::int32, {1, 2}, {2, 0}), 1), {2, 2},
                {2, 0, 5, 3});
  expect_values(ops::take_along_axis(zero_to_n({1, 3}), tensor_of(DType::int32, {2, 1}, {2, 1}), 1),
                {2, 1}, {2, 1});
  EXPECT_THROW(ops::take_along_axis(x, tensor_of(DType::int32, {3, 1}, {0, 0, 0}), 1), ValueError);
  EXPECT_THROW(ops::take_along_axis(x, tensor_of(DType::int32, {1}, {0}), 1), ValueError);
  test::check_gradients(
      [](const Tensors& xs) -> Tensors { return {ops::take_along_axis(xs[0], xs[1], 1)}; },
      {x, tensor_of(DType::int32, {2, 3}, {0, 2, 2, 1, 1, 1})});
}

TEST(Scatter, NegativeCountsFromTheEnd) {
  const Tensor x = zero_to_n({3});
  const Tensor last = tensor_of(DType::int32, {1}, {-1});
  expect_values(ops::scatter(x, last, tensor_of(DType::float32, {1}, {9}), ops::ScatterMode::set),
                {3}, {0, 1, 9});
  expect_values(ops::scatter_nd(zero_to_n({2, 2}), tensor_of(DType::int32, {1, 2}, {-1, -2}),
                                tensor_of(DType::float32, {1}, {9}), ops::ScatterMode::add),
                {2, 2}, {0, 1, 11, 3});
  EXPECT_THROW(ops::scatter(x, last, zero_to_n({2}), ops::ScatterMode::set), ValueError);
  EXPECT_THROW(ops::scatter(x, zero_to_n({1}), zero_to_n({1}), ops::ScatterMode::set), TypeError);
}

TEST(Indexing, ScatterIntoZerosAddsAtEqualIndices) {
  const Tensor indices = tensor_of(DType::int32, {3, 1}, {0, 2, 0});
  expect_values(ops::scatter(indices, tensor_of(DType::float32, {3}, {1, 2, 3}), {4}), {4},
                {4, 0, 2, 0});
  EXPECT_EQ(ops::scatter(indices, zero_to_n({3, 2}), {3, 2}).shape(), Shape({3, 2}));
  EXPECT_THROW(ops::scatter(indices, zero_to_n({2}), {4}), ValueError);
}

TEST(Indexing, NarrowIndicesReachTheirRangeInGradients) {
  for (const int64_t size : {256, 300}) {
    const Tensor index = tensor_of(DType::uint8, {1}, {250});
    const auto gradients = [&](const auto& f, const Tensors& xs) {
      GradientTape tape;
      for (const Tensor& x : xs) tape.watch(x);
      return tape.gradient(ops::sum(f()), xs);
    };
    const Tensor x = ops::ones({size});
    const Tensor update = ops::ones({1});
    const Tensor taken = gradients([&] { return ops::take(x, index, 0); }, {x})[0];
    EXPECT_EQ(taken.to_doubles()[250], 1);
    const Tensor nd = ops::reshape(index, Shape{1, 1});
    EXPECT_EQ(gradients([&] { return ops::gather_nd(x, nd); }, {x})[0].to_doubles()[250], 1);
    for (const auto mode : {ops::ScatterMode::set, ops::ScatterMode::add, ops::ScatterMode::mul}) {
      const auto one = gradients([&] { return ops::scatter(x, index, update, mode); }, {update});
      EXPECT_EQ(one[0].item(), 1);
      const auto two = gradients([&] { return ops::scatter_nd(x, nd, update, mode); }, {update});
      EXPECT_EQ(two[0].item(), 1);
    }
  }
}

}  // namespace
}  // namespace antler
