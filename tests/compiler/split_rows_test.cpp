#include "compiler/split_rows.h"

#include <gtest/gtest.h>

#include <functional>

#include "antler/ir/emit.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "compiler/plan_checks.h"

namespace antler::compiler {
namespace {

constexpr int64_t kSplitRows = 6;
constexpr int64_t kParts = 3;

Tensor rows_of(const Tensor& x, int64_t part) {
  const int64_t each = x.dim(0) / kParts;
  return ops::slice_axis(x, 0, part * each, (part + 1) * each);
}

/// Splits `body`, whose first `num_carry` arguments are carries and the first `num_arguments` no
/// captures, and expects every part to compute its rows of the whole. False if the body does not
/// split.
bool splits(const Body& body, const Tensors& arguments, size_t num_carry, size_t num_arguments) {
  const ir::Graph whole = trace(body, arguments);
  const auto split = split_rows(whole, num_carry, num_arguments, kSplitRows, kParts);
  if (!split) return false;
  ir::verify(split->body);
  const Tensors want = ir::interpret(whole, arguments, ir::reference_executor());
  for (int64_t p = 0; p < kParts; ++p) {
    Tensors own;
    for (size_t i = 0; i < arguments.size(); ++i) {
      own.push_back(split->input_is_cut[i] != 0 ? rows_of(arguments[i], p) : arguments[i]);
    }
    const Tensors got = ir::interpret(split->body, own, ir::reference_executor());
    for (size_t i = 0; i < want.size(); ++i) {
      const Tensor expected = split->output_is_cut[i] != 0 ? rows_of(want[i], p) : want[i];
      EXPECT_EQ(got[i].shape(), expected.shape());
      EXPECT_EQ(got[i].to_doubles(), expected.to_doubles()) << "part " << p << ", result " << i;
    }
  }
  return true;
}

TEST(SplitRows, RecurrentStepWithAmbiguousSizes) {
  // The weights have as many rows as the batch; the captured mask has the batch's.
  const Tensor square = random_tensor(DType::float32, {kSplitRows, kSplitRows}, 1);
  EXPECT_TRUE(splits(
      [](const Tensors& in) -> Tensors {
        const Tensor z = ops::matmul(in[0] * in[4], in[3]) + in[1] + in[5];
        const Tensor kept = ops::where(ops::expand_dims(in[2], -1), ops::tanh(z), in[0]);
        return {kept, ops::concatenate({kept, ops::slice_axis(z, 1, 2, 4)}, 1)};
      },
      {random_tensor(DType::float32, {kSplitRows, kSplitRows}, 2), square,
       random_tensor(DType::boolean, {kSplitRows}, 3), square,
       random_tensor(DType::float32, {kSplitRows, kSplitRows}, 4),
       random_tensor(DType::float32, {kSplitRows}, 5)},
      1, 3));
}

TEST(SplitRows, RowsMoveThroughViewsAndBatchedProducts) {
  EXPECT_TRUE(splits(
      [](const Tensors& in) -> Tensors {
        const Tensor heads = ops::transpose(ops::reshape(in[0], {kSplitRows, 2, 4}), {1, 0, 2});
        const Tensor scores = ops::sum(ops::matmul(heads, in[1]), {0});
        const Tensor next = ops::reshape(ops::concatenate({scores, scores}, 1), {kSplitRows, 2, 4});
        const Tensor mixed = ops::matmul(next, ops::transpose(next, {0, 2, 1}));
        return {ops::reshape(next, {kSplitRows, 8}),
                ops::reshape(ops::sum(mixed, {2}), {2 * kSplitRows})};
      },
      {random_tensor(DType::float32, {kSplitRows, 8}, 1),
       random_tensor(DType::float32, {2, 4, 4}, 2)},
      1, 1));
}

TEST(SplitRows, WhatIsOneForAllStaysWhole) {
  EXPECT_TRUE(splits(
      [](const Tensors& in) -> Tensors {
        return {in[0] * in[1] + 1.0, in[1] + 1.0, ops::ones({kSplitRows, 2})};
      },
      {random_tensor(DType::float32, {kSplitRows, 2}, 1), random_tensor(DType::float32, {}, 2)}, 2,
      2));
}

TEST(SplitRows, RowsThatMeetAreRefused) {
  const Tensor h = random_tensor(DType::float32, {kSplitRows, 4}, 1);
  const auto refused = [&](const std::function<Tensor(const Tensor&)>& next) {
    return !splits([&](const Tensors& in) -> Tensors { return {next(in[0])}; }, {h}, 1, 1);
  };
  EXPECT_TRUE(refused([](const Tensor& x) { return x - ops::mean(x, {0}); }));
  EXPECT_TRUE(refused([](const Tensor& x) { return ops::reverse(x, {0}); }));
  EXPECT_TRUE(refused([](const Tensor& x) { return ops::cumsum(x, 0); }));
  EXPECT_TRUE(
      refused([](const Tensor& x) { return ops::matmul(ops::matmul(x, ops::transpose(x)), x); }));
}

TEST(SplitRows, SmallLoopsStayInOnePart) {
  const Body step = [](const Tensors& in) -> Tensors {
    return {ops::tanh(ops::matmul(in[0], in[1]))};
  };
  const Tensors large = {random_tensor(DType::float32, {64, 64}, 1),
                         random_tensor(DType::float32, {64, 64}, 2)};
  const Tensors small = {random_tensor(DType::float32, {64, 2}, 1),
                         random_tensor(DType::float32, {2, 2}, 2)};
  const Tensors prime = {random_tensor(DType::float32, {61, 64}, 1),
                         random_tensor(DType::float32, {64, 64}, 2)};
  EXPECT_EQ(row_parts(trace(step, large), 1, 100), 4);
  EXPECT_EQ(row_parts(trace(step, small), 1, 100), 1);
  EXPECT_EQ(row_parts(trace(step, prime), 1, 100), 1);
}

}  // namespace
}  // namespace antler::compiler
