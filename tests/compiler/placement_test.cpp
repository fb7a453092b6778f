#include <gtest/gtest.h>

#include "antler/core/variable.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "compiler/plan_checks.h"

namespace antler::compiler {
namespace {

bool is_dot(const ir::Graph&, const ir::Node& node) {
  return std::string_view(node.op->name) == "dot_general";
}

TEST(Placement, StatesAreUpdatedInPlace) {
  const Variable v(f32({8}));
  const Plan plan = check_plan(
      [&](const Tensors& in) -> Tensors {
        v.assign(ops::add(ops::multiply(v, 0.9), in[0]));
        return {};
      },
      {f32({8}, 2)});
  EXPECT_EQ(plan.kernels.size(), 1u);
  EXPECT_EQ(plan.memory.arena, 0);
}

TEST(Placement, StatesSwap) {
  const Variable a(f32({8}, 1));
  const Variable b(f32({8}, 2));
  const Plan plan = check_plan(
      [&](const Tensors&) -> Tensors {
        const Tensor old = a;
        a.assign(b);
        b.assign(old);
        return {};
      },
      {});
  EXPECT_EQ(count_kernels(plan).loops, 1);
}

// v <- reverse(v): no order of elements writes in place.
TEST(Placement, WhatCannotBeWrittenInPlaceIsCopied) {
  const Variable v(f32({8}));
  const Plan plan = check_plan(
      [&](const Tensors&) -> Tensors {
        v.assign(ops::reverse(v, {0}));
        return {};
      },
      {});
  EXPECT_EQ(plan.kernels.size(), 2u);
  EXPECT_GT(plan.memory.arena, 0);
}

// The old value is read after the kernel that makes the new one, which that reader needs.
TEST(Placement, OldValueReadAfterTheNewOneIsMade) {
  const Variable w(f32({4, 4}));
  check_plan(
      [&](const Tensors& in) -> Tensors {
        const Tensor old = w;
        const Tensor next = ops::matmul(in[0], old);
        w.assign(next);
        return {ops::matmul(next, old)};
      },
      {f32({4, 4}, 3)}, {.prefers_library = is_dot});
}

TEST(Placement, StateThatIsAlsoAResult) {
  const Variable v(f32({4}));
  check_plan(
      [&](const Tensors& in) -> Tensors {
        const Tensor next = ops::add(v, in[0]);
        v.assign(next);
        return {next, ops::reshape(next, {2, 2}), v};
      },
      {f32({4}, 2)});
}

// A chain of products needs two buffers, not five.
TEST(Placement, MemoryIsUsedAgain) {
  const Plan plan = check_plan(
      [](const Tensors& in) -> Tensors {
        Tensor x = in[0];
        for (int i = 0; i < 6; ++i) x = ops::tanh(ops::matmul(x, in[1]));
        return {x};
      },
      {f32({16, 16}), f32({16, 16}, 2)}, {.prefers_library = is_dot}, 1e-4);
  EXPECT_EQ(count_kernels(plan).libraries, 6);
  EXPECT_LE(plan.memory.arena, 2 * 16 * 16 * 4);
}

TEST(Placement, EmptyValues) {
  check_plan(
      [](const Tensors& in) -> Tensors {
        return {ops::multiply(in[0], 2.0), ops::sum(in[0], {0}),
                ops::concatenate({in[0], in[1]}, 0)};
      },
      {f32({0, 3}), f32({2, 3})});
}

TEST(Placement, CountsBytes) {
  const Variable v(f32({8}));
  const Plan plan = check_plan(
      [&](const Tensors& in) -> Tensors {
        v.assign(ops::add(v, ops::sum(in[0], {0})));
        return {ops::exp(in[0])};
      },
      {f32({5, 8})});
  EXPECT_EQ(plan.memory.arguments, 160);
  EXPECT_EQ(plan.memory.states, 32);
  EXPECT_EQ(plan.memory.results, 160);
}

}  // namespace
}  // namespace antler::compiler
