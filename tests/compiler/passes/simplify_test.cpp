#include <gtest/gtest.h>

#include "antler/core/variable.h"
#include "antler/ir/emit.h"
#include "antler/ops/control_flow.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "compiler/passes/passes.h"
#include "compiler/plan_checks.h"

namespace antler::compiler {
namespace {

/// The graph of `body` after the pass, which must compute the same.
ir::Graph simplified(const Body& body, const Tensors& arguments) {
  const ir::Graph before = trace(body, arguments);
  ir::Graph after = simplify(before, {});
  ir::verify(after);
  const Tensors want = ir::interpret(before, arguments, ir::reference_executor());
  const Tensors got = ir::interpret(after, arguments, ir::reference_executor());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(got[i].shape(), want[i].shape());
    EXPECT_EQ(got[i].to_doubles(), want[i].to_doubles());
  }
  return after;
}

const Tensor kInput = random_tensor(DType::float32, {4, 6}, 1);
const Tensor kInts = random_tensor(DType::int32, {4, 6}, 2);

TEST(Simplify, NeutralElementsGo) {
  const ir::Graph g = simplified(
      [](const Tensors& in) -> Tensors {
        return {ops::subtract(ops::divide(ops::multiply(ops::add(in[0], 0.0), 1.0), 1.0), 0.0)};
      },
      {kInput});
  EXPECT_TRUE(g.nodes.empty()) << ir::print(g);
}

TEST(Simplify, ProductsWithZeroVanishForIntegersOnly) {
  EXPECT_EQ(
      count_nodes(simplified([](const Tensors& in) -> Tensors { return {ops::multiply(in[0], 0)}; },
                             {kInts}),
                  "mul"),
      0);
  // 0 * infinity is NaN.
  EXPECT_EQ(count_nodes(
                simplified([](const Tensors& in) -> Tensors { return {ops::multiply(in[0], 0.0)}; },
                           {kInput}),
                "mul"),
            1);
}

TEST(Simplify, SumsOfNeighbouringPadsAreJoined) {
  // The gradient of ops::split().
  const ir::Graph g = simplified(
      [](const Tensors& in) -> Tensors {
        const Tensor a = ops::pad(in[0], {0, 12}, {0, 0});
        const Tensor b = ops::pad(in[0] * 2.0, {0, 6}, {0, 6});
        const Tensor c = ops::pad(in[0] * 3.0, {0, 0}, {0, 12});
        return {a + b + c};
      },
      {kInput});
  EXPECT_EQ(count_nodes(g, "pad"), 0) << ir::print(g);
  EXPECT_EQ(count_nodes(g, "concatenate"), 1);
  // Neither ranges that overlap nor other values than zero.
  const ir::Graph kept = simplified(
      [](const Tensors& in) -> Tensors {
        const Tensor a = ops::pad(in[0], {0, 3}, {0, 0});
        const Tensor b = ops::pad(in[0], {0, 0}, {0, 3});
        const Tensor c = ops::pad(in[0], {0, 6}, {0, 0}, {0, 0}, 1.0);
        const Tensor d = ops::pad(in[0], {0, 0}, {0, 6}, {0, 0}, 1.0);
        return {a + b, c + d};
      },
      {kInput});
  EXPECT_EQ(count_nodes(kept, "pad"), 4) << ir::print(kept);
}

TEST(Simplify, DoubleNegationsGo) {
  const ir::Graph g = simplified(
      [](const Tensors& in) -> Tensors { return {ops::negative(ops::negative(in[0]))}; }, {kInput});
  EXPECT_TRUE(g.nodes.empty());
}

TEST(Simplify, ConversionsThatKeepEveryValueAreSkipped) {
  const auto there_and_back = [](DType dtype) {
    return [dtype](const Tensors& in) -> Tensors {
      return {ops::cast(ops::cast(in[0], dtype), in[0].dtype())};
    };
  };
  EXPECT_TRUE(simplified(there_and_back(DType::float64), {kInput}).nodes.empty());
  EXPECT_EQ(simplified(there_and_back(DType::int32), {kInput}).nodes.size(), 2u);
  EXPECT_TRUE(simplified(there_and_back(DType::int64), {kInts}).nodes.empty());
  EXPECT_EQ(simplified(there_and_back(DType::float32), {kInts}).nodes.size(), 2u);
}

TEST(Simplify, ViewsOfViewsAreOne) {
  const ir::Graph g = simplified(
      [](const Tensors& in) -> Tensors {
        const Tensor t = ops::transpose(ops::transpose(in[0], {1, 0}), {1, 0});
        const Tensor r = ops::reshape(ops::reshape(in[0], {24}), {8, 3});
        const Tensor s = ops::slice_axis(ops::slice_axis(in[0], 1, 1, 6), 1, 1, 5, 2);
        const Tensor v = ops::reverse(ops::reverse(in[0], {0}), {0, 1});
        const Tensor b =
            ops::broadcast_to(ops::expand_dims(ops::broadcast_to(in[1], {4, 6}), 0), {2, 4, 6});
        return {t, r, s, v, b};
      },
      {kInput, random_tensor(DType::float32, {6}, 3)});
  EXPECT_EQ(count_nodes(g, "transpose"), 0);
  EXPECT_EQ(count_nodes(g, "reshape"), 1);
  EXPECT_EQ(count_nodes(g, "slice"), 1);
  EXPECT_EQ(count_nodes(g, "reverse"), 1);
  EXPECT_EQ(count_nodes(g, "broadcast"), 1);
}

TEST(Simplify, TransposesOfSizeOneAreReshapes) {
  const ir::Graph g = simplified(
      [](const Tensors& in) -> Tensors {
        return {ops::transpose(ops::reshape(in[0], {4, 1, 6}), {1, 0, 2})};
      },
      {kInput});
  EXPECT_EQ(count_nodes(g, "transpose"), 0);
}

TEST(Simplify, TransposeGoesBelowABroadcast) {
  const ir::Graph g = simplified(
      [](const Tensors& in) -> Tensors {
        return {ops::transpose(ops::broadcast_to(ops::reshape(in[0], {4, 6, 1}), {4, 6, 5}),
                               {2, 1, 0})};
      },
      {kInput});
  ASSERT_EQ(count_nodes(g, "transpose"), 1);
  EXPECT_EQ(g.spec(g.nodes.back().outputs[0]).shape, (Shape{5, 6, 4}));
  EXPECT_STREQ(g.nodes.back().op->name, "broadcast");
}

TEST(Simplify, ScalarsStayScalar) {
  // Spreading comes last: (a * b + 1) is computed once.
  const ir::Graph g = simplified(
      [](const Tensors& in) -> Tensors {
        const Tensor a = ops::broadcast_to(in[1], {4, 6});
        const Tensor b = ops::broadcast_to(in[2], {4, 6});
        return {ops::multiply(in[0], ops::add(ops::multiply(a, b), 1.0))};
      },
      {kInput, random_tensor(DType::float32, {}, 3), random_tensor(DType::float32, {}, 4)});
  EXPECT_EQ(count_nodes(g, "broadcast"), 1);
  EXPECT_EQ(g.spec(g.nodes[0].outputs[0]).shape, Shape{});
}

TEST(Simplify, LiteralsAreComputedNow) {
  const ir::Graph g = simplified(
      [](const Tensors& in) -> Tensors {
        const Tensor table = Tensor::of<float>({1, 2, 3, 4, 5, 6});
        return {ops::add(in[0], ops::exp(ops::reshape(table, {2, 3}))),
                ops::multiply(in[0], ops::sqrt(ops::full({2, 3}, 4.0, DType::float32)))};
      },
      {random_tensor(DType::float32, {2, 3}, 1)});
  EXPECT_EQ(count_nodes(g, "exp"), 0);
  EXPECT_EQ(count_nodes(g, "sqrt"), 0);
}

TEST(Simplify, ReductionsOfCopiesAreProducts) {
  const ir::Graph g = simplified(
      [](const Tensors& in) -> Tensors {
        const Tensor wide = ops::broadcast_to(in[0], {8, 4, 6});
        return {ops::sum(wide, {0}), ops::max(wide, {0}),
                ops::sum(ops::reshape(in[0], {4, 1, 6}), {1})};
      },
      {kInput});
  EXPECT_EQ(count_nodes(g, "reduce_sum"), 0);
  EXPECT_EQ(count_nodes(g, "reduce_max"), 0);
}

TEST(Simplify, ReductionTakesATranspose) {
  const ir::Graph g = simplified(
      [](const Tensors& in) -> Tensors {
        return {ops::max(ops::transpose(in[0], {1, 0}), {0})};
      },
      {kInput});
  EXPECT_EQ(count_nodes(g, "transpose"), 0);
}

TEST(Simplify, KnownPredicatesChoose) {
  const ir::Graph g = simplified(
      [](const Tensors& in) -> Tensors {
        const Tensor yes = ops::broadcast_to(Tensor::full(DType::boolean, {}, 1), {4, 6});
        return {ops::where(yes, in[0], ops::exp(in[0])),
                ops::where(ops::greater(in[0], 0.0), in[0], in[0])};
      },
      {kInput});
  EXPECT_TRUE(g.nodes.empty()) << ir::print(g);
}

TEST(Simplify, CondWithAKnownPredicateIsItsBranch) {
  const ir::Graph g = simplified(
      [](const Tensors& in) -> Tensors {
        return ops::cond(
            Tensor::full(DType::boolean, {}, 0), [&] { return Tensors{ops::exp(in[0])}; },
            [&] { return Tensors{ops::absolute(in[0])}; });
      },
      {kInput});
  ASSERT_EQ(g.nodes.size(), 1u) << ir::print(g);
  EXPECT_STREQ(g.nodes[0].op->name, "abs");
}

TEST(Simplify, ScanOfOneStepIsItsBody) {
  const ir::Graph g = simplified(
      [](const Tensors& in) -> Tensors {
        const auto step = [](const Tensors& carry, const Tensors& x) {
          const Tensor next = ops::add(carry[0], ops::multiply(x[0], 2.0));
          return std::pair(Tensors{next}, Tensors{ops::exp(next)});
        };
        const auto result = ops::scan(step, {in[0]}, {in[1]});
        return {result.carry[0], result.ys[0]};
      },
      {random_tensor(DType::float32, {3}, 1), random_tensor(DType::float32, {1, 3}, 2)});
  EXPECT_EQ(count_nodes(g, "scan"), 0);
  EXPECT_EQ(count_nodes(g, "exp"), 1);
}

}  // namespace
}  // namespace antler::compiler
