#include "antler/autodiff/remat.h"

#include <string_view>

#include <gtest/gtest.h>

#include "antler/autodiff/gradient_tape.h"
#include "antler/ir/emit.h"
#include "antler/ir/tracer.h"
#include "antler/ops/ops.h"
#include "support/op_harness.h"

namespace antler {
namespace {

int count(const ir::Graph& graph, std::string_view op) {
  int found = 0;
  for (const ir::Node& node : graph.nodes) found += node.op->name == op ? 1 : 0;
  return found;
}

/// A traced function of x and w.
using Traced = std::function<Tensors(const Tensor& x, const Tensor& w)>;

ir::Graph trace(const Traced& f) {
  ir::Tracer tracer;
  const Tensor x = tracer.input({DType::float64, {4, 3}});
  const Tensor w = tracer.input({DType::float64, {3, 3}});
  const Tensors outputs = f(x, w);
  return ir::prune(tracer.finish(outputs).graph);
}

Tensors run(const ir::Graph& graph) {
  return ir::interpret(graph,
                       Tensors{test::random_tensor(DType::float64, {4, 3}),
                               test::random_tensor(DType::float64, {3, 3}, -1, 1, 2)},
                       ir::reference_executor());
}

/// Three times tanh(x w), whose gradient needs each result.
Tensor layers(const Tensor& x, const Tensor& w) {
  Tensor y = x;
  for (int i = 0; i < 3; ++i) y = ops::tanh(ops::matmul(y, w));
  return y;
}

/// The gradients of sum(square(f(x, w))).
Tensors gradients(const std::function<Tensor(const Tensor&, const Tensor&)>& f, const Tensor& x,
                  const Tensor& w) {
  GradientTape tape;
  tape.watch(x);
  tape.watch(w);
  return tape.gradient(ops::sum(ops::square(f(x, w))), Tensors{x, w});
}

void expect_equal(const Tensors& a, const Tensors& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].to_doubles(), b[i].to_doubles()) << i;
}

TEST(Remat, ComputesValuesAgain) {
  const auto kept = trace([](const Tensor& x, const Tensor& w) { return gradients(layers, x, w); });
  const auto again =
      trace([](const Tensor& x, const Tensor& w) { return gradients(remat(layers), x, w); });
  EXPECT_EQ(count(kept, "tanh"), 3);
  EXPECT_EQ(count(kept, "optimization_barrier"), 0);
  // The last result leaves the region, so that one is needed twice as well.
  EXPECT_EQ(count(again, "tanh"), 6);
  EXPECT_EQ(count(again, "optimization_barrier"), 1);
  expect_equal(run(again), run(kept));
}

TEST(Remat, WithoutGradientsNothingChanges) {
  const auto graph =
      trace([](const Tensor& x, const Tensor& w) { return Tensors{remat(layers)(x, w)}; });
  EXPECT_EQ(count(graph, "tanh"), 3);
  EXPECT_EQ(count(graph, "optimization_barrier"), 0);
}

TEST(Remat, EagerCodeHasTheSameGradients) {
  const Tensor x = test::random_tensor(DType::float64, {4, 3});
  const Tensor w = test::random_tensor(DType::float64, {3, 3}, -1, 1, 2);
  expect_equal(gradients(remat(layers), x, w), gradients(layers, x, w));
}

TEST(Remat, RegionsNest) {
  const auto inner = remat(layers);
  const auto outer = [&](const Tensor& x, const Tensor& w) { return inner(inner(x, w), w); };
  const auto kept = trace([](const Tensor& x, const Tensor& w) {
    return gradients([](const Tensor& a, const Tensor& b) { return layers(layers(a, b), b); }, x,
                     w);
  });
  const auto again =
      trace([&](const Tensor& x, const Tensor& w) { return gradients(remat(outer), x, w); });
  // The outer region recomputes the first block, whose result is the input of the second; then each
  // block is recomputed by itself.
  EXPECT_EQ(count(again, "optimization_barrier"), 3);
  EXPECT_EQ(count(again, "tanh"), 6 + 3 + 6);
  expect_equal(run(again), run(kept));
}

TEST(Remat, RandomNumbersStayTheSame) {
  const auto drop = [](const Tensor& x, const Tensor& w) {
    const Tensor key = ops::cast(ops::reshape(ops::slice_axis(w, 0, 0, 1), {3}), "uint32");
    const Tensor seed = ops::slice_axis(key, 0, 0, 2);
    return ops::tanh(ops::random_dropout(seed, ops::matmul(x, w), 0.5));
  };
  const auto kept = trace([&](const Tensor& x, const Tensor& w) { return gradients(drop, x, w); });
  const auto again =
      trace([&](const Tensor& x, const Tensor& w) { return gradients(remat(drop), x, w); });
  EXPECT_EQ(count(again, "random_bits"), 2 * count(kept, "random_bits"));
  expect_equal(run(again), run(kept));
}

TEST(Remat, SecondDerivatives) {
  const auto penalty = [](const auto& f) {
    return [=](const Tensor& x, const Tensor& w) {
      GradientTape outer;
      outer.watch(w);
      const Tensor norm = ops::sum(ops::square(gradients(f, x, w)[0]));
      return Tensors{outer.gradient(norm, w)};
    };
  };
  expect_equal(run(trace(penalty(remat(layers)))), run(trace(penalty(layers))));
}

TEST(Remat, CustomGradientsAndControlFlow) {
  const auto scaled = custom_gradient([](const Tensor& x) {
    return std::pair(ops::exp(x), [=](const Tensor& upstream) { return upstream * ops::exp(x); });
  });
  const auto body = [&](const Tensor& x, const Tensor& w) {
    Tensor y = scaled(ops::tanh(ops::matmul(x, w)));
    y = ops::cond(
        ops::sum(y) > 0, [&] { return ops::sin(y); }, [&] { return ops::cos(y); });
    return ops::fori_loop(
        0, 2, [&](const Tensor&, const Tensor& z) { return ops::tanh(z); }, y);
  };
  expect_equal(
      run(trace([&](const Tensor& x, const Tensor& w) { return gradients(remat(body), x, w); })),
      run(trace([&](const Tensor& x, const Tensor& w) { return gradients(body, x, w); })));
}

TEST(Remat, ACancelledRegionKeepsItsValues) {
  const auto graph = trace([](const Tensor& x, const Tensor& w) {
    return gradients(
        [](const Tensor& a, const Tensor& b) {
          RematRegion region;
          region.cancel();
          return layers(a, b);
        },
        x, w);
  });
  EXPECT_EQ(count(graph, "tanh"), 3);
}

TEST(Remat, AnExceptionEndsTheRegion) {
  const auto failing = remat([](const Tensor& x, const Tensor& w) -> Tensor {
    throw std::runtime_error("fails");
    return x + w;
  });
  EXPECT_THROW(trace([&](const Tensor& x, const Tensor& w) { return Tensors{failing(x, w)}; }),
               std::runtime_error);
  const auto graph =
      trace([](const Tensor& x, const Tensor& w) { return gradients(layers, x, w); });
  EXPECT_EQ(count(graph, "tanh"), 3);
}

}  // namespace
}  // namespace antler
