#include "distribute/spmd_program.h"

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "antler/antler.h"
#include "antler/ir/emit.h"
#include "antler/ir/tracer.h"
#include "antler/ops/collectives.h"
#include "antler/runtime/program.h"
#include "support/op_harness.h"

namespace antler::distribute {
namespace {

constexpr int64_t kReplicas = 2;

using Step = std::function<Tensors(const Tensor& part, int64_t replica)>;

ReplicaTrace trace_step(const Tensor& part, int64_t replica, const Step& step) {
  const ops::ReplicaScope collectives(kReplicas, false);
  ir::Tracer tracer;
  ReplicaTrace trace;
  trace.arguments = {part};
  const Tensors results = step(tracer.input(part.spec()), replica);
  trace.outputs = results;
  trace.traced = tracer.finish(results);
  return trace;
}

/// The traces of a step on two parts of a batch of four rows.
class SpmdProgramTest : public ::testing::Test {
 protected:
  std::vector<ReplicaTrace> traces(const Step& step, int64_t first_rows = 2) {
    return {trace_step(ops::slice_axis(x_, 0, 0, first_rows), 0, step),
            trace_step(ops::slice_axis(x_, 0, first_rows, 4), 1, step)};
  }

  void expect_mismatch(const std::string& text, const Step& step) {
    std::string mismatch;
    EXPECT_FALSE(find_spmd_program(traces(step), mismatch));
    EXPECT_NE(mismatch.find(text), std::string::npos) << mismatch;
  }

  ir::Tracer outer_;
  Tensor x_ = outer_.input({DType::float32, {4, 3}});
  Tensor w_ = outer_.input({DType::float32, {3}});
};

TEST_F(SpmdProgramTest, FindsWhatDiffers) {
  const Step step = [&](const Tensor& part, int64_t replica) {
    const Tensor y = ops::multiply(part, w_);
    const Tensor shifted = ops::add(y, Tensor(static_cast<float>(replica)));
    const Tensor total = ops::all_reduce(ops::sum(shifted));
    const Tensor same = ops::all_reduce(ops::multiply(w_, 3.0F), ReduceOp::mean);
    return Tensors{total, shifted, same};
  };
  std::string mismatch;
  const auto program = find_spmd_program(traces(step), mismatch);
  ASSERT_TRUE(program) << mismatch;
  EXPECT_EQ(program->per_replica[1].size(), 2U);  // the rows and the number
  ASSERT_EQ(program->shared.size(), 1U);
  EXPECT_EQ(program->shared[0].impl(), w_.impl());
  EXPECT_EQ(program->varying_outputs, 1U);
  EXPECT_EQ(program->outputs, (std::vector<size_t>{1, 0, 2}));
  int collectives = 0;  // not the mean of what is the same everywhere
  for (const ir::Node& node : program->body->nodes)
    collectives += std::string(node.op->name) == "all_reduce" ? 1 : 0;
  EXPECT_EQ(collectives, 1);
}

TEST_F(SpmdProgramTest, RunsOnOneDeviceAsMergedReplicasDo) {
  const Step step = [&](const Tensor& part, int64_t replica) {
    const Tensor y = ops::tanh(ops::multiply(part, w_));
    const Tensor own = ops::add(y, Tensor(static_cast<float>(replica)));
    return Tensors{ops::all_reduce(ops::sum(own)), own, ops::all_gather(own, 1),
                   ops::all_reduce(own, ReduceOp::max), ops::exp(w_)};
  };
  const std::vector<ReplicaTrace> replicas = traces(step);
  std::string mismatch;
  const auto program = find_spmd_program(replicas, mismatch);
  ASSERT_TRUE(program) << mismatch;
  const PerReplica emitted = emit_spmd(*program, replicas);
  const PerReplica merged = merge_replicas(replicas, {.active_replicas = kReplicas});
  EXPECT_EQ(emitted[0][0].tensor().impl(), emitted[1][0].tensor().impl());
  EXPECT_NE(emitted[0][1].tensor().impl(), emitted[1][1].tensor().impl());
  Tensors outputs;
  for (const PerReplica& results : {emitted, merged}) {
    for (const Nest& nest : results) {
      for (const Tensor& t : nest.flatten()) outputs.push_back(t);
    }
  }
  const ir::Graph graph = outer_.finish(outputs).graph;
  const Tensors arguments = {test::random_tensor(DType::float32, {4, 3}),
                             test::random_tensor(DType::float32, {3}, -1, 1, 2)};
  Program compiled(graph, {});
  for (const Tensors& values :
       {compiled.run(arguments), ir::interpret(graph, arguments, ir::reference_executor())}) {
    for (size_t i = 0; i < values.size() / 2; ++i)
      EXPECT_EQ(values[i].to_doubles(), values[values.size() / 2 + i].to_doubles()) << i;
  }
}

TEST_F(SpmdProgramTest, UnevenPartsAreSilent) {
  std::string mismatch = "before";
  const Step step = [](const Tensor& part, int64_t) { return Tensors{ops::sum(part)}; };
  EXPECT_FALSE(find_spmd_program(traces(step, 3), mismatch));
  EXPECT_EQ(mismatch, "");
}

TEST_F(SpmdProgramTest, SaysWhatDiffers) {
  expect_mismatch("the other one is `exp`", [](const Tensor& part, int64_t replica) {
    return Tensors{replica == 0 ? ops::tanh(part) : ops::exp(part)};
  });
  expect_mismatch("attributes differ", [](const Tensor& part, int64_t replica) {
    return Tensors{ops::slice_axis(part, 1, replica, replica + 1)};
  });
  expect_mismatch("one has more nodes", [](const Tensor& part, int64_t replica) {
    return Tensors{replica == 0 ? part : ops::tanh(part)};
  });
  expect_mismatch("operands differ", [&](const Tensor& part, int64_t replica) {
    const Tensor y = ops::sum(part, {{0}});
    return Tensors{replica == 0 ? ops::subtract(y, w_) : ops::subtract(w_, y)};
  });
  expect_mismatch("node 0, `constant`: attributes differ", [](const Tensor& part, int64_t replica) {
    return ops::cond(
        ops::greater(ops::sum(part), 0.0F),
        [&] { return Tensors{ops::add(part, Tensor(static_cast<float>(replica)))}; },
        [&] { return Tensors{part}; });
  });
  expect_mismatch("a collective is in the body", [](const Tensor& part, int64_t) {
    return ops::cond(
        ops::greater(ops::sum(part), 0.0F), [&] { return Tensors{ops::all_reduce(part)}; },
        [&] { return Tensors{part}; });
  });
}

}  // namespace
}  // namespace antler::distribute
