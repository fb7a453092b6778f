#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/core/variable.h"
#include "antler/ir/attrs.h"
#include "antler/ir/emit.h"
#include "antler/ops/control_flow.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/nn/convolution.h"
#include "antler/ops/nn/pooling.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/ops/op_list.h"
#include "compiler/passes/passes.h"
#include "compiler/plan_checks.h"

// The passes but simplify, one graph each.
namespace antler::compiler {
namespace {

using Pass = ir::Graph (*)(const ir::Graph&, const CompileOptions&);

ir::Graph after(Pass pass, const Body& body, const Tensors& arguments,
                const CompileOptions& options = {}) {
  const ir::Graph before = trace(body, arguments);
  ir::Graph result = pass(before, options);
  ir::verify(result);
  const Tensors want = ir::interpret(before, arguments, ir::reference_executor());
  const Tensors got = ir::interpret(result, arguments, ir::reference_executor());
  for (size_t i = 0; i < want.size(); ++i) {
    const auto a = got[i].to_doubles();
    const auto b = want[i].to_doubles();
    EXPECT_EQ(got[i].spec(), want[i].spec());
    for (size_t k = 0; k < b.size(); ++k)
      EXPECT_NEAR(a[k], b[k], 1e-4 * std::max(1.0, std::abs(b[k])));
  }
  return result;
}

bool everything_in_library(const ir::Graph&, const ir::Node&) { return true; }

TEST(Decompose, CompositesBecomePrimitives) {
  const Body body = [](const Tensors& in) -> Tensors { return {ops::softmax(in[0])}; };
  const ir::Graph g = after(decompose, body, {f32({3, 4})});
  EXPECT_EQ(count_nodes(g, "softmax"), 0);
  EXPECT_EQ(count_nodes(g, "reduce_max"), 1);
  const ir::Graph kept =
      after(decompose, body, {f32({3, 4})}, {.prefers_library = everything_in_library});
  EXPECT_EQ(count_nodes(kept, "softmax"), 1);
}

TEST(Cse, EqualNodesAreOne) {
  const ir::Graph g = after(
      cse,
      [](const Tensors& in) -> Tensors {
        return {ops::add(ops::exp(ops::multiply(in[0], 2.0)), ops::exp(ops::multiply(in[0], 2.0))),
                ops::sum(in[0], {0}), ops::sum(in[0], {1})};
      },
      {f32({3, 4})});
  EXPECT_EQ(count_nodes(g, "exp"), 1);
  EXPECT_EQ(count_nodes(g, "mul"), 1);
  EXPECT_EQ(count_nodes(g, "reduce_sum"), 2);
}

TEST(CanonicalDots, TransposesGoIntoTheProduct) {
  const ir::Graph g = after(canonical_dots,
                            [](const Tensors& in) -> Tensors {
                              return {ops::matmul(ops::transpose(in[0]), ops::transpose(in[1]))};
                            },
                            {f32({3, 4}), f32({5, 3})});
  EXPECT_EQ(count_nodes(g, "transpose"), 0);
}

// [2, 3, 4] x [4, 5] is a product of two matrices, [6, 4] x [4, 5].
TEST(CanonicalDots, FreeDimensionsMerge) {
  const ir::Graph g =
      after(canonical_dots,
            [](const Tensors& in) -> Tensors {
              return {ops::dot_general(in[0], in[1], {.lhs_contract = {2}, .rhs_contract = {0}})};
            },
            {f32({2, 3, 4}), f32({4, 5})});
  for (const ir::Node& node : g.nodes) {
    if (std::string(node.op->name) != "dot_general") continue;
    EXPECT_EQ(g.spec(node.inputs[0]).shape, (Shape{6, 4}));
    EXPECT_EQ(g.spec(node.outputs[0]).shape, (Shape{6, 5}));
  }
}

TEST(CanonicalDots, BatchDimensionsMerge) {
  const ir::Graph g = after(
      canonical_dots, [](const Tensors& in) -> Tensors { return {ops::matmul(in[0], in[1])}; },
      {f32({2, 3, 4, 5}), f32({2, 3, 5, 6})});
  for (const ir::Node& node : g.nodes) {
    if (std::string(node.op->name) != "dot_general") continue;
    EXPECT_EQ(g.spec(node.inputs[0]).shape, (Shape{6, 4, 5}));
  }
}

TEST(ExpandToLoops, SmallProductsAndArgmax) {
  const ir::Graph g = after(
      expand_to_loops,
      [](const Tensors& in) -> Tensors {
        return {ops::matmul(in[0], in[1]), ops::argmax(in[0], 1), ops::argmin(in[0], 0),
                ops::dot_general(in[0], in[0], {.lhs_contract = {0, 1}, .rhs_contract = {0, 1}})};
      },
      {f32({3, 4}), f32({4, 5})});
  EXPECT_EQ(count_nodes(g, "dot_general"), 0);
  EXPECT_EQ(count_nodes(g, "argmax"), 0);
}

TEST(ExpandToLoops, ArgmaxOfTiesAndNans) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::of<float>({1, 3, 3, 0, nan, 9, 2, 2, 2}, {3, 3});
  const ir::Graph g = after(expand_to_loops,
                            [](const Tensors& in) -> Tensors {
                              return {ops::argmax(in[0], 1), ops::argmin(in[0], 1)};
                            },
                            {x});
  EXPECT_EQ(count_nodes(g, "reduce_max"), 1);
}

TEST(SplitReductions, FewResultsOfMuchAreMadeInParts) {
  const Body body = [](const Tensors& in) -> Tensors {
    return {ops::sum(in[0]), ops::sum(in[0], {0}), ops::sum(in[0], {1})};
  };
  const ir::Graph g = after(split_reductions, body, {f32({1024, 64})});
  // The scalar and the columns are split; there are enough rows already.
  EXPECT_EQ(count_nodes(g, "reduce_sum"), 5);
  EXPECT_EQ(count_nodes(after(split_reductions, body, {f32({16, 64})}), "reduce_sum"), 3);
}

TEST(ReuseActivations, TheMaskAsksTheResult) {
  const ir::Graph g = after(reuse_activations,
                            [](const Tensors& in) -> Tensors {
                              const Tensor z = ops::add(in[0], in[1]);
                              const Tensor zero = ops::zeros_like(z);
                              const Tensor mask = ops::less_equal(z, zero);
                              const Tensor h = ops::where(mask, zero, z);
                              return {h, ops::where(mask, zero, in[1])};
                            },
                            {f32({3, 4}, 1), f32({3, 4}, 2)});
  // The last select asks a comparison of h.
  const ir::Node* mask = g.definition(g.definition(g.outputs[1])->inputs[0]);
  EXPECT_EQ(mask->inputs[0], g.outputs[0]);
}

TEST(MasksBeforePools, TheReluIsMaskedWhileThePoolIsSmall) {
  const Body body = [](const Tensors& in) -> Tensors {
    const Tensor zero = ops::zeros_like(in[0]);
    const Tensor mask = ops::less_equal(in[0], zero);
    const Tensor h = ops::where(mask, zero, in[0]);
    const ir::Attrs pool = {{"op", std::string("max")},        {"window", ir::Ints{1, 2, 2, 1}},
                            {"strides", ir::Ints{1, 2, 2, 1}}, {"dilations", ir::Ints{1, 1, 1, 1}},
                            {"pad_low", ir::Ints{0, 0, 0, 0}}, {"pad_high", ir::Ints{0, 1, 0, 0}}};
    const Tensor y = ir::emit_one(*ops::find_op("reduce_window"), {h}, pool);
    const Tensor dh = ir::emit_one(*ops::find_op("select_and_scatter_add"), {h, in[1]}, pool);
    const Tensor dx = ops::where(mask, zero, dh);
    return {y, dx, ops::sum(dx, {0, 1, 2})};
  };
  const Tensors inputs = {f32({3, 5, 6, 4}, 1), f32({3, 3, 3, 4}, 2)};
  const ir::Graph g = after(masks_before_pools, body, inputs);
  // The large select is gone; sums are over the small one.
  EXPECT_EQ(g.definition(g.outputs[1])->op->name, std::string("select_and_scatter_add"));
  const ir::Node* sum = g.definition(g.outputs[2]);
  EXPECT_EQ(g.spec(sum->inputs[0]).shape, Shape({3, 3, 3, 4}));
  check_plan(body, inputs);
}

/// Windows of 2 x 2, edge to edge.
ir::Attrs max_pool() {
  return {{"op", std::string("max")},        {"window", ir::Ints{1, 2, 2, 1}},
          {"strides", ir::Ints{1, 2, 2, 1}}, {"dilations", ir::Ints{1, 1, 1, 1}},
          {"pad_low", ir::Ints{0, 0, 0, 0}}, {"pad_high", ir::Ints{0, 0, 0, 0}}};
}

TEST(FuseConvPools, TheImageBetweenIsNobodysConcern) {
  const ir::Attrs pool = max_pool();
  const auto body = [&pool](bool keeps_image) -> Body {
    return [&pool, keeps_image](const Tensors& in) -> Tensors {
      const Tensor z = ops::add(ops::conv(in[0], in[1], {}), in[2]);
      const Tensor zero = ops::zeros_like(z);
      const Tensor h = ops::where(ops::less_equal(z, zero), zero, z);
      Tensors results = {ir::emit_one(*ops::find_op("reduce_window"), {h}, pool),
                         ir::emit_one(*ops::find_op("select_and_scatter_add"), {h, in[3]}, pool)};
      if (keeps_image) results.push_back(h);
      return results;
    };
  };
  const Tensors inputs = {f32({8, 6, 7, 3}, 1), f32({3, 3, 3, 5}, 2), f32({5}, 3),
                          f32({8, 2, 2, 5}, 4)};
  const CompileOptions library = {.prefers_library = everything_in_library};
  const ir::Graph g = after(fuse_conv_pools, body(false), inputs, library);
  EXPECT_EQ(count_nodes(g, "conv_relu_pool"), 1);
  EXPECT_EQ(count_nodes(g, "pool_scatter"), 1);
  EXPECT_EQ(count_nodes(g, "select_and_scatter_add"), 0);
  check_plan(body(false), inputs, library);
  // Where somebody else asks for the image, or no library has it as one, it must be there.
  EXPECT_EQ(count_nodes(after(fuse_conv_pools, body(true), inputs, library), "conv_relu_pool"), 0);
  EXPECT_EQ(count_nodes(after(fuse_conv_pools, body(false), inputs), "pool_scatter"), 0);
  // In a narrow type; integers as small as these are exact.
  Tensors narrow;
  for (const Tensor& input : inputs) {
    narrow.push_back(ops::cast(ops::floor(ops::multiply(input, 2.0)), DType::bfloat16));
  }
  EXPECT_EQ(count_nodes(after(fuse_conv_pools, body(false), narrow, library), "pool_scatter"), 1);
}

TEST(FuseConvPools, AFiltersGradientIsTakenFromThePool) {
  const ir::Attrs pool = max_pool();
  const auto body = [&pool](bool keeps_grad) -> Body {
    return [&pool, keeps_grad](const Tensors& in) -> Tensors {
      const Tensor z = ops::add(ops::conv(in[0], in[1], {}), in[2]);
      const Tensor zero = ops::zeros_like(z);
      const Tensor h = ops::where(ops::less_equal(z, zero), zero, z);
      const Tensor dh = ir::emit_one(*ops::find_op("select_and_scatter_add"), {h, in[3]}, pool);
      ir::Attrs attrs = {{"strides", ir::Ints{1, 1}},      {"pad_low", ir::Ints{0, 0}},
                         {"pad_high", ir::Ints{0, 0}},     {"lhs_dilation", ir::Ints{1, 1}},
                         {"rhs_dilation", ir::Ints{1, 1}}, {"groups", int64_t{1}}};
      attrs.set("filter_shape", in[1].shape().dims());
      Tensors results = {ir::emit_one(*ops::find_op("reduce_window"), {h}, pool),
                         ir::emit_one(*ops::find_op("conv_filter_grad"), {in[0], dh}, attrs)};
      if (keeps_grad) results.push_back(dh);
      return results;
    };
  };
  const Tensors inputs = {f32({8, 6, 7, 3}, 1), f32({3, 3, 3, 16}, 2), f32({16}, 3),
                          f32({8, 2, 2, 16}, 4)};
  const CompileOptions library = {.prefers_library = everything_in_library};
  const auto fused = [&](bool keeps_grad, const CompileOptions& options) {
    return count_nodes(after(fuse_conv_pools, body(keeps_grad), inputs, options),
                       "conv_pool_filter_grad");
  };
  EXPECT_EQ(fused(false, library), 1);
  check_plan(body(false), inputs, library);
  // Where no kernel of a library does it, or somebody else asks for the image's gradient.
  EXPECT_EQ(fused(false, {}), 0);
  EXPECT_EQ(fused(true, library), 0);
}

TEST(DisjointWindows, SumsOfWindowsEdgeToEdgeAreReductions) {
  const auto pool = [](const std::vector<int64_t>& size,
                       const std::vector<int64_t>& strides) -> Body {
    return [=](const Tensors& in) -> Tensors {
      return {ops::average_pool(in[0], size, {.strides = strides})};
    };
  };
  // The last row and column belong to no window.
  const Tensors inputs = {f32({2, 7, 9, 3})};
  EXPECT_EQ(count_nodes(after(disjoint_windows, pool({3, 2}, {3, 2}), inputs), "reduce_window"), 0);
  EXPECT_EQ(count_nodes(after(disjoint_windows, pool({3, 2}, {2, 2}), inputs), "reduce_window"), 1);
  check_plan(pool({3, 2}, {3, 2}), inputs);
}

TEST(OwnResults, InputsLiteralsAndDuplicatesAreCopied) {
  const Body body = [](const Tensors& in) -> Tensors {
    const Tensor y = ops::exp(in[0]);
    return {in[0], y, y, ops::reshape(y, {12}), Tensor::of<float>({1, 2})};
  };
  const ir::Graph g = after(own_results, body, {f32({3, 4})});
  EXPECT_EQ(count_nodes(g, "stop_gradient"), 4);
  check_plan(body, {f32({3, 4})});
}

TEST(Pipeline, RegionsAreSimplifiedToo) {
  const ir::Graph graph = trace(
      [](const Tensors& in) -> Tensors {
        const auto step = [](const Tensors& carry, const Tensors& x) {
          return std::pair(Tensors{ops::add(ops::multiply(ops::softmax(carry[0]), 1.0), x[0])},
                           Tensors{});
        };
        return ops::scan(step, {in[0]}, {in[1]}).carry;
      },
      {f32({3}), f32({4, 3})});
  const Plan plan = compile(graph, {});
  ASSERT_EQ(count_nodes(plan.graph, "scan"), 1) << ir::print(plan.graph);
  for (const ir::Node& node : plan.graph.nodes) {
    if (std::string(node.op->name) != "scan") continue;
    EXPECT_EQ(count_nodes(*node.regions[0], "softmax"), 0);
    EXPECT_EQ(count_nodes(*node.regions[0], "mul"), 0);
  }
}

TEST(Pipeline, PassesCanBeLeftOutAndWatched) {
  const ir::Graph graph =
      trace([](const Tensors& in) -> Tensors { return {ops::multiply(ops::add(in[0], 0.0), 1.0)}; },
            {f32({3})});
  std::vector<std::string> seen;
  CompileOptions options;
  options.disabled_passes = {"simplify"};
  options.dump = [&](const std::string& pass, const std::string& text) {
    seen.push_back(pass);
    EXPECT_NE(text.find("return"), std::string::npos);
  };
  const Plan plan = compile(graph, options);
  EXPECT_EQ(count_nodes(plan.graph, "add"), 1);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), "simplify"), 0);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), "own_results"), 1);
  EXPECT_EQ(count_nodes(compile(graph, {}).graph, "add"), 0);
}

TEST(Pipeline, IllegalGraphsAreRefused) {
  ir::Graph graph =
      trace([](const Tensors& in) -> Tensors { return {ops::exp(in[0])}; }, {f32({3})});
  graph.values[static_cast<size_t>(graph.outputs[0])].spec.shape = {4};
  EXPECT_THROW(compile(graph, {.disabled_passes = {"simplify"}}), InternalError);
}

}  // namespace
}  // namespace antler::compiler
