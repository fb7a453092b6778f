#include <string>

#include <gtest/gtest.h>

#include "antler/autodiff/gradient_tape.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/nn/losses.h"
#include "antler/ops/nn/normalization.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "compiler/plan_checks.h"

namespace antler::compiler {
namespace {

// x -- exp -- mul -- out
//        \___/
TEST(Fusion, ElementwiseChainIsOneNest) {
  const Plan plan = check_plan(
      [](const Tensors& in) -> Tensors {
        const Tensor e = ops::exp(in[0]);
        return {ops::multiply(ops::add(e, 1.0), e)};
      },
      {f32({4, 5}, 1)});
  EXPECT_EQ(count_kernels(plan).loops, 1);
  EXPECT_EQ(plan.memory.arena, 0);
}

// x -- max -- sub -- exp -- sum -- div: three phases over rows.
TEST(Fusion, SoftmaxIsOneNestOverRows) {
  const Plan plan = check_plan([](const Tensors& in) -> Tensors { return {ops::softmax(in[0])}; },
                               {f32({6, 5}, 2)});
  ASSERT_EQ(plan.kernels.size(), 1u);
  const LoopNest& nest = plan.kernels[0].nest;
  EXPECT_EQ(nest.extents, (std::vector<int64_t>{6}));
  ASSERT_EQ(nest.phases.size(), 3u);
  EXPECT_EQ(nest.phases[2].extents, (std::vector<int64_t>{5}));
}

TEST(Fusion, SoftmaxOverAMiddleAxis) {
  const Plan plan = check_plan(
      [](const Tensors& in) -> Tensors { return {ops::softmax(in[0], 1)}; }, {f32({3, 5, 4}, 2)});
  EXPECT_EQ(plan.kernels.size(), 1u);
}

// The elementwise value is stored from the phase that reduces it over rows.
TEST(Fusion, ColumnSumSharesItsOperand) {
  const Plan plan = check_plan(
      [](const Tensors& in) -> Tensors {
        const Tensor y = ops::multiply(in[0], in[1]);
        return {y, ops::sum(y, {0})};
      },
      {f32({6, 5}, 3), f32({6, 5}, 4)});
  ASSERT_EQ(plan.kernels.size(), 1u);
  EXPECT_EQ(plan.kernels[0].nest.extents, (std::vector<int64_t>{5}));
}

TEST(Fusion, LayerNormalizationIsOneNest) {
  const Plan plan = check_plan(
      [](const Tensors& in) -> Tensors { return {ops::layer_normalization(in[0], in[1], in[2])}; },
      {f32({6, 8}, 3), f32({8}, 4), f32({8}, 5)});
  EXPECT_EQ(plan.kernels.size(), 1u);
}

TEST(Fusion, ScalarsShareANest) {
  const Plan plan = check_plan(
      [](const Tensors& in) -> Tensors {
        const Tensor a = ops::mean(in[0]);
        const Tensor b = ops::max(in[1]);
        return {ops::sqrt(ops::absolute(a)), ops::add(a, b), ops::multiply(b, 2.0)};
      },
      {f32({7}, 1), f32({3, 3}, 2)});
  EXPECT_EQ(plan.kernels.size(), 1u);
}

TEST(Fusion, WithoutFusionEveryOpIsAKernel) {
  const Plan plan = check_plan(
      [](const Tensors& in) -> Tensors {
        return {ops::sum(ops::exp(ops::multiply(in[0], in[0])), {1})};
      },
      {f32({6, 5}, 2)}, {.fuse = false});
  EXPECT_EQ(count_kernels(plan).loops, 3);
}

TEST(Fusion, ReshapesAreFree) {
  const Plan plan = check_plan(
      [](const Tensors& in) -> Tensors {
        const Tensor x = ops::transpose(ops::reshape(in[0], {6, 4}), {1, 0});
        const Tensor y = ops::reshape(ops::exp(x), {2, 2, 6});
        return {ops::sum(y, {2})};
      },
      {f32({24}, 2)});
  EXPECT_EQ(plan.kernels.size(), 1u);
}

// (6, 4) and (8, 3) have no common refinement: the transposed value is stored between two nests.
TEST(Fusion, IndicesThatDoNotFitAreStored) {
  check_plan(
      [](const Tensors& in) -> Tensors {
        const Tensor x = ops::exp(ops::transpose(in[0], {1, 0}));
        return {ops::transpose(ops::reshape(x, {8, 3}), {1, 0})};
      },
      {f32({4, 6}, 2)});
}

/// The gates' gradients of a recurrent cell: several values of one nest side by side.
Tensors gates(const Tensors& in) {
  const Tensor e = ops::exp(in[0]);
  return {ops::multiply(e, in[1]), ops::add(e, in[1]), ops::multiply(e, e)};
}

TEST(Fusion, NestWritesAConcatenationOfItsValues) {
  for (const int64_t axis : {0, 1, 2}) {
    const Plan plan = check_plan(
        [&](const Tensors& in) -> Tensors { return {ops::concatenate(gates(in), axis)}; },
        {f32({2, 6, 16}, 1), f32({2, 6, 16}, 2)});
    EXPECT_EQ(count_kernels(plan).loops, 1) << axis;
    EXPECT_EQ(plan.kernels.size(), 1u) << axis;
    EXPECT_EQ(plan.memory.arena, 0) << axis;
  }
}

TEST(Fusion, ValuesOfAConcatenationMayHaveOtherReaders) {
  const Plan plan = check_plan(
      [](const Tensors& in) -> Tensors {
        const Tensors parts = gates(in);
        const Tensor joined = ops::concatenate(parts, 1);
        return {joined, parts[1], ops::sum(parts[2], {0}), ops::concatenate({joined, joined}, 0)};
      },
      {f32({4, 32}, 1), f32({4, 32}, 2)});
  EXPECT_EQ(count_kernels(plan).libraries, 1);  // only the concatenation of `joined` with itself
}

TEST(Fusion, ConcatenationOfRowsOfASoftmax) {
  const Plan plan = check_plan(
      [](const Tensors& in) -> Tensors {
        const Tensor p = ops::softmax(in[0]);
        return {ops::concatenate({p, ops::negative(p)}, 1)};
      },
      {f32({6, 48}, 1)});
  EXPECT_EQ(plan.kernels.size(), 1u);
}

// Parts of three elements would break up the loop, and values of two makers have no one writer.
TEST(Fusion, OtherConcatenationsStayKernels) {
  const Plan narrow =
      check_plan([](const Tensors& in) -> Tensors { return {ops::concatenate(gates(in), 1)}; },
                 {f32({40, 3}, 1), f32({40, 3}, 2)});
  EXPECT_EQ(count_kernels(narrow).libraries, 1);
  const Plan input = check_plan(
      [](const Tensors& in) -> Tensors {
        return {ops::concatenate({in[0], ops::exp(in[1])}, 1)};
      },
      {f32({4, 32}, 1), f32({4, 32}, 2)});
  EXPECT_EQ(count_kernels(input).libraries, 1);
}

// The exponentials of a cross-entropy are taken once: its gradient finds them where it is written.
TEST(Fusion, CrossentropyTakesExponentialsOnce) {
  const Plan plan = check_plan(
      [](const Tensors& in) -> Tensors {
        GradientTape tape;
        tape.watch(in[0]);
        const Tensor loss =
            ops::sparse_categorical_crossentropy(in[1], in[0], {.from_logits = true});
        return {loss, tape.gradient(loss, in[0])};
      },
      {f32({8, 40}, 1), random_tensor(DType::int32, {8}, 2)});
  ASSERT_EQ(plan.kernels.size(), 1u);
  int exponentials = 0;
  for (const Phase& phase : plan.kernels[0].nest.phases) {
    for (const Expr& e : phase.exprs) {
      if (e.kind == Expr::Kind::op && std::string(e.op->name) == "exp") ++exponentials;
    }
  }
  EXPECT_EQ(exponentials, 1);
}

}  // namespace
}  // namespace antler::compiler
