#include "antler/ir/tracer.h"

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/ops.h"

namespace antler::ir {
namespace {

Tensor vec(const std::vector<float>& values) { return Tensor::of(values); }

TEST(Tracer, BuildsAGraphThatGivesWhatEagerCodeGives) {
  const auto f = [](const Tensor& x) { return ops::sum(ops::exp(x) * 2.0 + vec({1, 2, 3})); };
  Tracer tracer;
  const Tensor x = tracer.input({DType::float32, {3}});
  const Tensor y = f(x);
  EXPECT_TRUE(y.is_traced());
  const Graph graph = tracer.finish(std::vector<Tensor>{y}).graph;
  verify(graph);
  const Tensor value = vec({0, 1, -1});
  const Tensors out = interpret(graph, std::vector<Tensor>{value}, reference_executor());
  EXPECT_EQ(out[0].item(), f(value).item());
}

TEST(Tracer, VariablesBecomeStates) {
  const Variable a(vec({1}), {.name = "a"});
  const Variable b(vec({2}), {.name = "b"});
  Tracer tracer;
  a.assign(a.value() + b.value());
  const Tensor y = a.value() * 10.0;
  const Graph graph = tracer.finish(std::vector<Tensor>{y}).graph;
  verify(graph);
  ASSERT_EQ(graph.states.size(), 2U);
  for (const StateSlot& slot : graph.states) EXPECT_EQ(slot.output >= 0, slot.variable == a);
  EXPECT_EQ(a.stored().item(), 1) << "tracing changes nothing";
  EXPECT_EQ(interpret(graph, {}, reference_executor())[0].item(), 30);
  EXPECT_EQ(a.stored().item(), 3);
}

TEST(Tracer, InnerTracesCaptureOuterValues) {
  const Variable v(vec({5}), {.name = "v"});
  Tracer outer;
  const Tensor x = outer.input({DType::float32, {1}});
  Tracer::Result inner_result;
  {
    Tracer inner;
    const Tensor i = inner.input({DType::float32, {1}});
    v.assign(i + x * v.value());
    inner_result = inner.finish(std::vector<Tensor>{i});
  }
  EXPECT_EQ(inner_result.captures.size(), 2U);  // x and the outer value of v
  EXPECT_EQ(inner_result.graph.inputs.size(), 3U);
  ASSERT_EQ(inner_result.assigned.size(), 1U);
  EXPECT_EQ(inner_result.graph.outputs.size(), 2U);
  verify(inner_result.graph);
  EXPECT_TRUE(Tracer::current() == &outer);
}

TEST(Tracer, EndsWhenAnExceptionLeavesItsScope) {
  try {
    Tracer tracer;
    tracer.input({DType::float32, {1}});
    throw ValueError("from the traced function");
  } catch (const ValueError&) {
  }
  EXPECT_EQ(Tracer::current(), nullptr);
  EXPECT_EQ(current_variable_scope(), nullptr);
}

TEST(Tracer, SuspensionComputesNow) {
  Tracer tracer;
  {
    const TraceSuspension pause;
    EXPECT_EQ(ops::add(vec({1}), vec({2})).item(), 3);
  }
  EXPECT_TRUE(ops::add(vec({1}), vec({2})).is_traced());
}

TEST(Prune, DropsWhatNoResultNeeds) {
  const Variable unused(vec({1}), {.name = "unused"});
  Tracer tracer;
  const Tensor x = tracer.input({DType::float32, {2}});
  ops::exp(x);
  unused.value();
  const Graph graph = prune(tracer.finish(std::vector<Tensor>{x + 1.0F}).graph);
  verify(graph);
  EXPECT_TRUE(graph.states.empty());
  for (const Node& node : graph.nodes) EXPECT_STRNE(node.op->name, "exp");
}

TEST(Verify, FindsAnIllegalGraph) {
  Graph graph;
  const ValueId x = graph.add_input({DType::float32, {2}});
  graph.inputs.push_back(x);
  graph.outputs.push_back(7);
  EXPECT_THROW(verify(graph), InternalError);
}

TEST(Print, ShowsEachNode) {
  Tracer tracer;
  const Tensor x = tracer.input({DType::float32, {2, 3}});
  const Graph graph = tracer.finish(std::vector<Tensor>{ops::exp(x)}).graph;
  const std::string text = print(graph);
  EXPECT_NE(text.find("= exp(%0) : float32 (2, 3)"), std::string::npos) << text;
}

}  // namespace
}  // namespace antler::ir
