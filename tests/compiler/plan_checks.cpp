#include "compiler/plan_checks.h"

#include <cmath>
#include <random>
#include <string_view>

#include <gtest/gtest.h>

#include "antler/core/dispatch.h"
#include "antler/ir/emit.h"
#include "antler/ir/tracer.h"
#include "compiler/nest_interpreter.h"

namespace antler::compiler {
namespace {

void expect_close(const Tensor& got, const Tensor& want, double tolerance,
                  const std::string& what) {
  ASSERT_EQ(got.shape(), want.shape()) << what;
  ASSERT_EQ(got.dtype(), want.dtype()) << what;
  const std::vector<double> a = got.to_doubles();
  const std::vector<double> b = want.to_doubles();
  const bool half = got.dtype() == DType::float16 || got.dtype() == DType::bfloat16;
  const double scale = half ? std::max(tolerance, 2e-2) : tolerance;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    ASSERT_TRUE(std::isfinite(b[i]) &&
                std::abs(a[i] - b[i]) <= scale * std::max(1.0, std::abs(b[i])))
        << what << ", element " << i << ": " << a[i] << " instead of " << b[i];
  }
}

Tensors state_values(const ir::Graph& graph) {
  Tensors values;
  for (const ir::StateSlot& slot : graph.states) values.push_back(slot.variable.stored());
  return values;
}

void restore(const ir::Graph& graph, const Tensors& values) {
  for (size_t i = 0; i < values.size(); ++i) graph.states[i].variable.store(values[i]);
}

}  // namespace

ir::Graph trace(const Body& body, const Tensors& arguments) {
  ir::Tracer tracer;
  Tensors inputs;
  for (const Tensor& t : arguments) inputs.push_back(tracer.input(t.spec()));
  const Tensors outputs = body(inputs);
  return tracer.finish(outputs).graph;
}

Tensor random_tensor(DType dtype, const Shape& shape, uint64_t seed) {
  std::mt19937_64 engine(seed + 1);
  Tensor t = Tensor::empty(dtype, shape);
  dispatch(dtype, [&]<class T>() {
    T* p = t.mutable_data<T>();
    for (int64_t i = 0; i < t.size(); ++i) {
      const double x = std::uniform_real_distribution<double>(0, 1)(engine);
      if constexpr (std::is_same_v<T, bool>) {
        p[i] = x < 0.5;
      } else if constexpr (std::is_integral_v<T>) {
        p[i] = static_cast<T>(x * 10);
      } else {
        p[i] = static_cast<T>(static_cast<ComputeType<T>>(x * 4 - 2));
      }
    }
  });
  return t;
}

Tensor f32(const Shape& shape, uint64_t seed) { return random_tensor(DType::float32, shape, seed); }

Plan check_plan(const Body& body, const Tensors& arguments, const CompileOptions& options,
                double tolerance) {
  const ir::Graph graph = trace(body, arguments);
  const Tensors before = state_values(graph);
  const Tensors want = ir::interpret(graph, arguments, ir::reference_executor());
  const Tensors want_states = state_values(graph);
  restore(graph, before);

  Plan plan = compile(graph, options);
  EXPECT_EQ(find_fault(plan), "") << print(plan);
  for (uint64_t seed : {0, 1, 2}) {
    const Tensors got = run_plan(plan, arguments, seed);
    const Tensors got_states = state_values(graph);
    restore(graph, before);
    EXPECT_EQ(got.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) {
      expect_close(got[i], want[i], tolerance, "result " + std::to_string(i));
    }
    for (size_t i = 0; i < want_states.size(); ++i) {
      expect_close(got_states[i], want_states[i], tolerance,
                   "state " + graph.states[i].variable.path());
    }
    if (testing::Test::HasFatalFailure()) {
      ADD_FAILURE() << ir::print(graph) << "\n" << ir::print(plan.graph) << "\n" << print(plan);
      break;
    }
  }
  return plan;
}

KernelCount count_kernels(const Plan& plan) {
  KernelCount count;
  for (const PlanKernel& kernel : plan.kernels) {
    if (kernel.kind == PlanKernel::Kind::loop) ++count.loops;
    if (kernel.kind == PlanKernel::Kind::library) ++count.libraries;
    if (kernel.kind == PlanKernel::Kind::copy) ++count.copies;
  }
  return count;
}

int count_nodes(const ir::Graph& graph, const char* op) {
  int count = 0;
  for (const ir::Node& node : graph.nodes) count += std::string_view(node.op->name) == op ? 1 : 0;
  return count;
}

}  // namespace antler::compiler
