#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "antler/autodiff/gradient_tape.h"
#include "antler/ir/emit.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/nn/convolution.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "compiler/passes/passes.h"
#include "compiler/plan_checks.h"
#include "ops/core/shards.h"

namespace antler::compiler {
namespace {

const Sharding kRows = {{0, 2, "model"}};
const Sharding kColumns = {{1, 2, "model"}};

/// Runs the passes up to partition, and compares results.
ir::Graph partitioned(const Body& body, const Tensors& arguments) {
  const ir::Graph before = trace(body, arguments);
  ir::Graph result = simplify(partition(decompose(before, {}), {}), {});
  ir::verify(result);
  const Tensors want = ir::interpret(before, arguments, ir::reference_executor());
  const Tensors got = ir::interpret(result, arguments, ir::reference_executor());
  EXPECT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(got[i].spec(), want[i].spec());
    const auto a = got[i].to_doubles();
    const auto b = want[i].to_doubles();
    for (size_t k = 0; k < b.size(); ++k)
      EXPECT_NEAR(a[k], b[k], 1e-5 * std::max(1.0, std::abs(b[k])));
  }
  return result;
}

/// Whether a node has a result of this shape.
bool makes(const ir::Graph& graph, const Shape& shape) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const ir::Node& node) {
    return graph.spec(node.outputs[0]).shape == shape;
  });
}

Tensors parts_of(const Tensors& in, size_t first) { return {in[first], in[first + 1]}; }

TEST(Partition, LeavesOtherGraphsAlone) {
  const ir::Graph graph =
      trace([](const Tensors& in) -> Tensors { return {in[0] + in[0]}; }, {f32({2})});
  EXPECT_EQ(ir::print(partition(graph, {})), ir::print(graph));
}

TEST(Partition, ColumnsThenRowsNeedOneSumAndNoWholeArray) {
  const Body body = [](const Tensors& in) -> Tensors {
    const Tensor hidden =
        ops::relu(ops::matmul(in[0], ops::join_shards(parts_of(in, 1), kColumns)) +
                  ops::join_shards(parts_of(in, 3), kRows));
    return {ops::matmul(hidden, ops::join_shards(parts_of(in, 5), kRows))};
  };
  const ir::Graph graph =
      partitioned(body, {f32({3, 4}), f32({4, 5}, 2), f32({4, 5}, 3), f32({5}, 4), f32({5}, 5),
                         f32({5, 2}, 6), f32({5, 2}, 7)});
  EXPECT_FALSE(makes(graph, {4, 10}));
  EXPECT_FALSE(makes(graph, {3, 10}));
  EXPECT_FALSE(makes(graph, {10, 2}));
  EXPECT_EQ(count_nodes(graph, "dot_general"), 4);
  EXPECT_EQ(count_nodes(graph, "concatenate"), 0);
}

/// One step of gradient descent with momentum on the mean square of a Dense layer.
Tensors step(const Tensor& x, const Tensor& kernel, const Tensor& momentum) {
  GradientTape tape;
  tape.watch(kernel);
  const Tensor loss = ops::mean(ops::square(ops::softmax(ops::matmul(x, kernel))));
  const Tensor gradient = tape.gradient(loss, kernel);
  const Tensor norm = ops::sqrt(ops::sum(ops::square(gradient)));
  const Tensor m = momentum * 0.9 - gradient / norm * 0.1;
  return {loss, m, kernel + m};
}

TEST(Partition, GradientsAndUpdatesHaveTheParts) {
  for (const Sharding& sharding : {kRows, kColumns}) {
    const Body body = [&](const Tensors& in) -> Tensors {
      const Tensors results = step(in[0], ops::join_shards(parts_of(in, 1), sharding),
                                   ops::join_shards(parts_of(in, 3), sharding));
      Tensors all = {results[0]};
      for (const size_t k : {1, 2}) {
        const Tensors parts = ops::split_shards(results[k], sharding);
        all.insert(all.end(), parts.begin(), parts.end());
      }
      return all;
    };
    const Shape part = sharding == kRows ? Shape{4, 6} : Shape{8, 3};
    const ir::Graph graph =
        partitioned(body, {f32({5, 8}), f32(part, 2), f32(part, 3), f32(part, 4), f32(part, 5)});
    EXPECT_FALSE(makes(graph, {8, 6})) << ir::print(graph);
    EXPECT_TRUE(makes(graph, part));
  }
}

TEST(Partition, ATableDividedByRows) {
  const Body body = [](const Tensors& in) -> Tensors {
    const Tensor table = ops::join_shards(parts_of(in, 1), kRows);
    GradientTape tape;
    tape.watch(table);
    const Tensor rows = ops::take(table, in[0], 0);
    const Tensor gradient = tape.gradient(ops::sum(ops::square(rows)), table);
    const Tensors updated = ops::split_shards(table - gradient * 0.1, kRows);
    return {rows, updated[0], updated[1]};
  };
  // Negative indices count from the end; those out of range take the last row.
  const Tensor indices = Tensor::of(std::vector<int32_t>{0, 5, 2, 3, -1, 5, 17, 1}, {2, 4});
  const ir::Graph graph = partitioned(body, {indices, f32({3, 4}, 2), f32({3, 4}, 3)});
  EXPECT_FALSE(makes(graph, {6, 4})) << ir::print(graph);
  EXPECT_EQ(count_nodes(graph, "gather"), 2);
  EXPECT_EQ(count_nodes(graph, "scatter"), 2);
}

TEST(Partition, ATableDividedByColumns) {
  const Body body = [](const Tensors& in) -> Tensors {
    const Tensor table = ops::join_shards(parts_of(in, 1), kColumns);
    return {ops::sum(ops::take(table, in[0], 0), 1)};
  };
  const Tensor indices = Tensor::of(std::vector<int32_t>{0, 2, 1, 1}, {2, 2});
  const ir::Graph graph = partitioned(body, {indices, f32({3, 4}, 2), f32({3, 4}, 3)});
  EXPECT_FALSE(makes(graph, {2, 2, 8}));
}

TEST(Partition, AGridOfTwoAxes) {
  const Sharding grid = {{0, 2, "x"}, {1, 2, "y"}};
  const Body body = [&](const Tensors& in) -> Tensors {
    const Tensors results = step(in[0], ops::join_shards({in[1], in[2], in[3], in[4]}, grid),
                                 ops::join_shards({in[5], in[6], in[7], in[8]}, grid));
    Tensors all = {results[0]};
    for (const size_t k : {1, 2}) {
      const Tensors parts = ops::split_shards(results[k], grid);
      all.insert(all.end(), parts.begin(), parts.end());
    }
    return all;
  };
  Tensors arguments = {f32({5, 8})};
  for (uint64_t i = 0; i < 8; ++i) arguments.push_back(f32({4, 3}, 2 + i));
  const ir::Graph graph = partitioned(body, arguments);
  for (const Shape& whole : {Shape{8, 6}, Shape{4, 6}, Shape{8, 3}})
    EXPECT_FALSE(makes(graph, whole)) << ir::print(graph);
}

TEST(Partition, HeadsOfAttention) {
  // [batch, time, heads * width] as [batch, time, heads, width], and back.
  const Body body = [](const Tensors& in) -> Tensors {
    const Tensor projected =
        ops::reshape(ops::dot_general(in[0], ops::join_shards(parts_of(in, 1), kColumns),
                                      {.lhs_contract = {2}, .rhs_contract = {0}}),
                     {2, 3, 4, 2});
    const Tensor heads = ops::transpose(projected, {0, 2, 1, 3});
    const Tensor scores = ops::softmax(ops::dot_general(
        heads, heads,
        {.lhs_contract = {3}, .rhs_contract = {3}, .lhs_batch = {0, 1}, .rhs_batch = {0, 1}}));
    const Tensor mixed = ops::dot_general(
        scores, heads,
        {.lhs_contract = {3}, .rhs_contract = {2}, .lhs_batch = {0, 1}, .rhs_batch = {0, 1}});
    return {ops::reshape(ops::transpose(mixed, {0, 2, 1, 3}), {2, 3, 8})};
  };
  const ir::Graph graph = partitioned(body, {f32({2, 3, 5}), f32({5, 4}, 2), f32({5, 4}, 3)});
  EXPECT_FALSE(makes(graph, {2, 4, 3, 3})) << "half of the heads per part";
  EXPECT_TRUE(makes(graph, {2, 2, 3, 3}));
}

TEST(Partition, ConvolutionsByOutputOrInputChannels) {
  for (const int axis : {2, 3}) {
    const Sharding sharding = {{axis, 2, "model"}};
    const Body body = [&](const Tensors& in) -> Tensors {
      const Tensor kernel = ops::join_shards(parts_of(in, 1), sharding);
      GradientTape tape;
      tape.watch(kernel);
      tape.watch(in[0]);
      const Tensor loss = ops::sum(ops::square(ops::relu(
          ops::conv(in[0], kernel, {.strides = {2, 2}, .pad_low = {0, 0}, .pad_high = {1, 1}}))));
      const Tensors gradients = tape.gradient(loss, {kernel, in[0]});
      Tensors results = ops::split_shards(kernel - gradients[0] * 0.01, sharding);
      results.push_back(gradients[1]);
      return results;
    };
    const Shape part = axis == 2 ? Shape{3, 3, 2, 6} : Shape{3, 3, 4, 3};
    const ir::Graph graph = partitioned(body, {f32({2, 6, 6, 4}), f32(part, 2), f32(part, 3)});
    EXPECT_FALSE(makes(graph, {3, 3, 4, 6})) << ir::print(graph);
    EXPECT_EQ(count_nodes(graph, "conv"), 2);
    EXPECT_EQ(count_nodes(graph, "conv_filter_grad"), 2);
  }
}

TEST(Partition, WhatHasNoRuleGetsWholeArrays) {
  const Body body = [](const Tensors& in) -> Tensors {
    const Tensor x = ops::join_shards(parts_of(in, 0), kRows);
    return {ops::argmax(x, 0),
            ops::reshape(x, {3, 4}),
            ops::slice_axis(x, 0, 1, 4),
            ops::concatenate({x, x}, 0),
            ops::max(x),
            ops::min(x, 0),
            ops::flip(x, 1),
            ops::any(ops::greater(x, 1.5)),
            ops::all(ops::greater(x, -1.5)),
            ops::prod(x)};
  };
  partitioned(body, {f32({3, 2}), f32({3, 2}, 2)});
}

TEST(Partition, ProgramsAreCorrectWithoutIt) {
  const Body body = [](const Tensors& in) -> Tensors {
    return ops::split_shards(ops::matmul(in[0], ops::join_shards(parts_of(in, 1), kColumns)) * 2.0,
                             kColumns);
  };
  const Tensors arguments = {f32({3, 4}), f32({4, 5}, 2), f32({4, 5}, 3)};
  check_plan(body, arguments);
  check_plan(body, arguments, {.disabled_passes = {"partition"}});
}

}  // namespace
}  // namespace antler::compiler
