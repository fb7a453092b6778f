#include <gtest/gtest.h>

#include "antler/autodiff/gradient_tape.h"
#include "antler/ir/emit.h"
#include "antler/ir/tracer.h"
#include "antler/ops/control_flow.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/runtime/config.h"
#include "antler/runtime/function.h"
#include "compiler/split_rows.h"
#include "support/op_harness.h"

namespace antler {
namespace {

constexpr int64_t kSteps = 80;
constexpr int64_t kScanRows = 48;  // three parts on two threads
constexpr int64_t kUnits = 32;

/// The last state and the gradients of a recurrent network with a captured mask per row.
Tensors train(const Tensors& in) {
  GradientTape tape;
  for (const Tensor& t : in) tape.watch(t);
  const ops::ScanStep step = [&](const Tensors& carry, const Tensors& now) {
    const Tensor next = ops::tanh(ops::matmul(carry[0] * in[3], in[2]) + now[0]);
    return std::pair<Tensors, Tensors>({next, carry[1] + 1.0}, {next * carry[1]});
  };
  const auto result = ops::scan(step, {in[0], Tensor(0.0F)}, {in[1]}, {.reverse = true});
  Tensors all = tape.gradient(ops::sum(ops::square(result.ys[0]) * 1e-3), in);
  all.push_back(result.carry[0]);
  all.push_back(result.carry[1]);
  return all;
}

TEST(ScanKernel, ParallelRowsEqualTheReferenceForAnyNumberOfThreads) {
  const Tensors in = {test::random_tensor(DType::float32, {kScanRows, kUnits}, -1, 1, 1),
                      test::random_tensor(DType::float32, {kSteps, kScanRows, kUnits}, -1, 1, 2),
                      test::random_tensor(DType::float32, {kUnits, kUnits}, -0.2, 0.2, 3),
                      test::random_tensor(DType::float32, {kScanRows, kUnits}, 0, 2, 4)};
  ir::Tracer tracer;
  Tensors arguments;
  for (const Tensor& t : in) arguments.push_back(tracer.input(t.spec()));
  const ir::Graph graph = tracer.finish(train(arguments)).graph;
  bool splits = false;
  for (const ir::Node& node : graph.nodes) {
    if (std::string(node.op->name) != "scan") continue;
    splits = splits || compiler::row_parts(*node.regions[0], 1, kSteps) == 3;
  }
  EXPECT_TRUE(splits);
  const Tensors want = ir::interpret(graph, in, ir::reference_executor());

  const int threads = config::threads();
  config::deterministic(true);  // sums of large products may depend on the number of threads
  std::vector<Tensors> results;
  for (const int count : {1, 2, 3}) {
    config::set_threads(count);
    results.push_back(tf::function(train)(Nest(in)).flatten());
  }
  config::set_threads(threads);
  config::deterministic(false);
  for (size_t i = 0; i < want.size(); ++i) {
    test::expect_close(results[0][i], want[i].to_doubles(), 1e-4);
    EXPECT_EQ(results[1][i].to_doubles(), results[0][i].to_doubles());
    EXPECT_EQ(results[2][i].to_doubles(), results[0][i].to_doubles());
  }
}

}  // namespace
}  // namespace antler
