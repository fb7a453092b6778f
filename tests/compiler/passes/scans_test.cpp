#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "antler/autodiff/gradient_tape.h"
#include "antler/ir/emit.h"
#include "antler/ops/control_flow.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "compiler/passes/passes.h"
#include "compiler/plan_checks.h"

// The passes over scans: what remains in a body, and that the results do not change.
namespace antler::compiler {
namespace {

constexpr int64_t kSteps = 5;
const Tensor kX = random_tensor(DType::float32, {kSteps, 3, 4}, 1);
const Tensor kH = random_tensor(DType::float32, {3, 6}, 2);
const Tensor kW = random_tensor(DType::float32, {4, 6}, 3);
const Tensor kR = random_tensor(DType::float32, {6, 6}, 4);

void expect_equal_results(const ir::Graph& before, const ir::Graph& after,
                          const Tensors& arguments) {
  ir::verify(after);
  const Tensors want = ir::interpret(before, arguments, ir::reference_executor());
  const Tensors got = ir::interpret(after, arguments, ir::reference_executor());
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    ASSERT_EQ(got[i].spec(), want[i].spec());
    const auto a = got[i].to_doubles();
    const auto b = want[i].to_doubles();
    for (size_t j = 0; j < a.size(); ++j) {
      ASSERT_NEAR(a[j], b[j], 2e-5 * std::max(1.0, std::abs(b[j]))) << i << " " << j;
    }
  }
}

/// The graph of `body` after the passes over scans.
ir::Graph hoisted(const Body& body, const Tensors& arguments) {
  const ir::Graph before = trace(body, arguments);
  const CompileOptions options;
  ir::Graph after = cse(simplify(decompose(before, options), options), options);
  after = hoist_scans(transpose_weights(share_scans(after, options), options), options);
  expect_equal_results(before, after, arguments);
  return after;
}

std::vector<const ir::Node*> scans(const ir::Graph& graph) {
  std::vector<const ir::Node*> result;
  for (const ir::Node& node : graph.nodes) {
    if (std::string(node.op->name) == "scan") result.push_back(&node);
  }
  return result;
}

/// h' = tanh(h r + x w), ys h'.
ops::ScanResult rnn(const Tensor& x, const Tensor& h, const Tensor& w, const Tensor& r,
                    bool reverse = false) {
  const ops::ScanStep step = [&](const Tensors& carry, const Tensors& now) {
    const Tensor next = ops::tanh(ops::matmul(carry[0], r) + ops::matmul(now[0], w));
    return std::pair<Tensors, Tensors>({next}, {next});
  };
  return ops::scan(step, {h}, {x}, {.reverse = reverse});
}

TEST(HoistScans, ProductsOfInputsAreTakenBeforeTheLoop) {
  const ir::Graph g =
      hoisted([](const Tensors& in) -> Tensors { return rnn(in[0], in[1], in[2], in[3], true).ys; },
              {kX, kH, kW, kR});
  ASSERT_EQ(scans(g).size(), 1U);
  EXPECT_EQ(count_nodes(*scans(g)[0]->regions[0], "dot_general"), 1) << ir::print(g);
  EXPECT_EQ(count_nodes(g, "dot_general"), 1);
}

TEST(HoistScans, GradientsSumOverTimeInOneProductAndRecomputeNothing) {
  for (const bool reverse : {false, true}) {
    const ir::Graph g = hoisted(
        [&](const Tensors& in) -> Tensors {
          GradientTape tape;
          for (const Tensor& t : in) tape.watch(t);
          const auto result = rnn(in[0], in[1], in[2], in[3], reverse);
          return tape.gradient(ops::sum(ops::square(result.ys[0])), in);
        },
        {kX, kH, kW, kR});
    ASSERT_EQ(scans(g).size(), 2U);
    const ir::Graph& back = *scans(g)[1]->regions[0];
    EXPECT_EQ(scans(g)[1]->attrs.integer("num_carry"), 1) << ir::print(g);
    EXPECT_EQ(count_nodes(back, "dot_general"), 1) << ir::print(back);
    EXPECT_EQ(count_nodes(back, "tanh"), 0);
    // Weights that are read across come turned from outside.
    EXPECT_EQ(count_nodes(back, "transpose"), 0);
    for (const ir::Node& node : back.nodes) {
      if (std::string(node.op->name) != "dot_general") continue;
      EXPECT_EQ(node.attrs.ints("rhs_contract"), ir::Ints{0});
    }
  }
}

TEST(HoistScans, ProductsForResultsAloneAreTakenBehindTheLoop) {
  const Body body = [](const Tensors& in) -> Tensors {
    const ops::ScanStep step = [&](const Tensors& carry, const Tensors& now) {
      const Tensor next = ops::tanh(ops::matmul(carry[0], in[2]) + now[0]);
      const Tensor y = ops::maximum(ops::matmul(next, in[2]) + 1.0, 0.0);
      return std::pair<Tensors, Tensors>({next}, {y, ops::exp(now[0])});
    };
    const auto result = ops::scan(step, {in[0]}, {in[1]});
    return {result.carry[0], result.ys[0], result.ys[1]};
  };
  const ir::Graph g = hoisted(body, {kH, random_tensor(DType::float32, {kSteps, 3, 6}, 5), kR});
  ASSERT_EQ(scans(g).size(), 1U);
  const ir::Graph& left = *scans(g)[0]->regions[0];
  EXPECT_EQ(count_nodes(left, "dot_general"), 1) << ir::print(left);
  EXPECT_EQ(count_nodes(left, "max"), 0);
  EXPECT_EQ(count_nodes(left, "exp"), 0);
}

TEST(HoistScans, SumsThatStepsReadStay) {
  const Body body = [](const Tensors& in) -> Tensors {
    const ops::ScanStep step = [&](const Tensors& carry, const Tensors& now) {
      const Tensor sum = carry[1] + ops::matmul(ops::transpose(now[0]), carry[0]);
      return std::pair<Tensors, Tensors>({carry[0] * 0.5 + ops::sum(carry[1]), sum}, {});
    };
    return ops::scan(step, {in[0], in[1]}, {in[2]}).carry;
  };
  const ir::Graph g = hoisted(body, {kH, kW, kX});
  ASSERT_EQ(scans(g).size(), 1U);
  EXPECT_EQ(scans(g)[0]->attrs.integer("num_carry"), 2);
}

TEST(HoistScans, CountersAndSumsOfInputsNeedNoLoop) {
  const Body body = [](const Tensors& in) -> Tensors {
    const ops::ScanStep step = [&](const Tensors& carry, const Tensors& now) {
      return std::pair<Tensors, Tensors>({carry[0] + now[0], carry[1] + 1}, {});
    };
    return ops::scan(step, {in[0], Tensor::of(std::vector<int32_t>{7})}, {in[1]}).carry;
  };
  const ir::Graph g = hoisted(body, {random_tensor(DType::float32, {3, 4}, 6), kX});
  EXPECT_TRUE(scans(g).empty()) << ir::print(g);
}

TEST(HoistScans, MemoryIsBounded) {
  // All steps of the wide product at once would take a hundred times what the scan reads.
  const Body body = [](const Tensors& in) -> Tensors {
    const ops::ScanStep step = [&](const Tensors& carry, const Tensors& now) {
      const Tensor wide = ops::tanh(ops::matmul(now[0], in[2]));
      return std::pair<Tensors, Tensors>({carry[0] * 0.5 + ops::mean(wide)}, {});
    };
    return ops::scan(step, {in[0]}, {in[1]}).carry;
  };
  const ir::Graph g = hoisted(
      body, {Tensor::of(std::vector<float>{1}), random_tensor(DType::float32, {40, 1, 1}, 7),
             random_tensor(DType::float32, {1, 500}, 8)});
  ASSERT_EQ(scans(g).size(), 1U);
  EXPECT_EQ(count_nodes(*scans(g)[0]->regions[0], "tanh"), 1) << ir::print(g);
}

TEST(HoistScans, SecondOrderGradients) {
  hoisted(
      [](const Tensors& in) -> Tensors {
        GradientTape outer;
        for (const Tensor& t : in) outer.watch(t);
        Tensors first;
        {
          GradientTape inner;
          for (const Tensor& t : in) inner.watch(t);
          first = inner.gradient(ops::sum(rnn(in[0], in[1], in[2], in[3]).ys[0]), in);
        }
        return outer.gradient(ops::sum(ops::square(first[3])), {in[0], in[2], in[3]});
      },
      {kX, kH, kW, kR});
}

TEST(CanonicalDots, SumsOverTwoDimensionsReadBothOperandsInOneOrder) {
  // As in the gradient of a recurrent layer: x [batch, time, ..] is there turned as well.
  const Body body = [](const Tensors& in) -> Tensors {
    const Tensor turned = ops::swapaxes(in[0], 0, 1);
    return {ops::tanh(turned),
            ops::dot_general(turned, in[1], {.lhs_contract = {0, 1}, .rhs_contract = {0, 1}})};
  };
  const Tensors arguments = {random_tensor(DType::float32, {3, kSteps, 4}, 9), kX};
  const ir::Graph before = trace(body, arguments);
  const ir::Graph after = canonical_dots(simplify(decompose(before, {}), {}), {});
  expect_equal_results(before, after, arguments);
  for (const ir::Node& node : after.nodes) {
    if (std::string(node.op->name) != "dot_general") continue;
    EXPECT_EQ(node.attrs.ints("lhs_contract").size(), 1U) << ir::print(after);
  }
}

}  // namespace
}  // namespace antler::compiler
