#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/ops/worker_collectives.h"
#include "antler/runtime/program.h"
#include "compiler/passes/passes.h"
#include "compiler/plan_checks.h"
#include "support/twins.h"

// The messages of a step with gradients of 3 x 32 kB and a metric.
namespace antler::compiler {
namespace {

constexpr int64_t kBytes = 32768;  // of a gradient

class BucketAllReduces : public testing::Test {
 protected:
  void SetUp() override { ops::set_communicator(std::make_shared<test::Twins>()); }
  void TearDown() override { ops::set_communicator(nullptr); }

  static Tensors arguments() {
    Tensors arguments;
    for (uint64_t i = 0; i < 3; ++i)
      arguments.push_back(random_tensor(DType::float32, {kBytes / 4}, i));
    return arguments;
  }

  /// New variables from the sums of gradients, and the mean of a metric.
  static Body step(const ops::GradientMessages& messages) {
    return [messages](const Tensors& x) {
      const Tensor metric = ops::worker_all_reduce(ops::sum(x[0]));
      Tensors results = {metric};
      // Gradients come in the order of the variables.
      for (const Tensor& t : x) {
        const Tensor gradient = ops::multiply(t, t);
        results.push_back(ops::subtract(t, ops::worker_sum_gradient(gradient, messages)));
      }
      return results;
    };
  }

  /// "start 8192+8192" and so on: the collectives in their order, with the sizes of their arrays.
  static std::vector<std::string> messages_after(const ops::GradientMessages& messages) {
    const ir::Graph graph = bucket_all_reduces(trace(step(messages), arguments()), {});
    ir::verify(graph);
    std::vector<std::string> texts;
    for (const ir::Node& node : graph.nodes) {
      const std::string name = node.op->name;
      if (!name.starts_with("worker_")) continue;
      const bool finishes = name == "worker_all_reduce_finish";
      std::string text = finishes ? "finish " : name == "worker_all_reduce" ? "whole " : "start ";
      for (const ir::ValueId v : finishes ? node.outputs : node.inputs) {
        if (graph.spec(v).dtype == DType::int64) continue;  // the number of the message before
        if (!text.ends_with(' ')) text += '+';
        text += std::to_string(graph.spec(v).shape.num_elements());
      }
      texts.push_back(text);
    }
    return texts;
  }
};

TEST_F(BucketAllReduces, OneMessageWithoutALimitAndForLittleData) {
  const std::vector<std::string> whole = {"whole 1+8192+8192+8192"};
  EXPECT_EQ(messages_after({}), whole);
  EXPECT_EQ(messages_after({.bytes_per_pack = 0}), whole);
  EXPECT_EQ(messages_after({.bytes_per_pack = 3 * kBytes}), whole);
}

TEST_F(BucketAllReduces, LimitsDivideGradientsFromTheLastVariableToTheFirst) {
  EXPECT_EQ(messages_after({.bytes_per_pack = 2 * kBytes}),
            (std::vector<std::string>{"start 8192+8192", "start 8192+1", "finish 8192+8192",
                                      "finish 8192+1"}));
  // A gradient is never divided.
  EXPECT_EQ(messages_after({.bytes_per_pack = 1}),
            (std::vector<std::string>{"start 8192", "start 8192", "start 8192+1", "finish 8192",
                                      "finish 8192", "finish 8192+1"}));
}

TEST_F(BucketAllReduces, ShortTypesTravelApartFromMetrics) {
  EXPECT_EQ(messages_after({.dtype = DType::bfloat16}),
            (std::vector<std::string>{"whole 1", "whole 8192+8192+8192"}));
  EXPECT_EQ(messages_after({.bytes_per_pack = 1, .dtype = DType::bfloat16}).size(), 8);
}

TEST_F(BucketAllReduces, ResultsAreThoseOfOneMessage) {
  Program whole(trace(step({}), arguments()), {});
  Program divided(trace(step({.bytes_per_pack = 1}), arguments()), {});
  for (int run = 0; run < 3; ++run) {
    const Tensors want = whole.run(arguments());
    const Tensors got = divided.run(arguments());
    for (size_t i = 0; i < want.size(); ++i)
      EXPECT_EQ(got[i].to_doubles(), want[i].to_doubles()) << "result " << i;
  }
}

TEST_F(BucketAllReduces, PlansStartMessagesEarlyAndWaitLate) {
  const Program program(trace(step({.bytes_per_pack = 1}), arguments()), {});
  const std::string plan = program.plan_text();
  size_t starts = 0;
  size_t finishes = 0;
  std::vector<std::string> order;
  for (size_t at = plan.find("kernel "); at != std::string::npos;
       at = plan.find("\nkernel ", at + 1)) {
    const std::string line = plan.substr(at, plan.find('\n', at + 1) - at);
    if (line.find("worker_all_reduce_start") != std::string::npos) {
      ++starts;
      order.push_back("start");
    } else if (line.find("worker_all_reduce_finish") != std::string::npos) {
      ++finishes;
      order.push_back("finish");
    } else {
      order.push_back("compute");
    }
  }
  EXPECT_EQ(starts, 3) << plan;
  EXPECT_EQ(finishes, 3) << plan;
  // A gradient, its message, the next gradient; and the update of a variable before the next wait.
  const std::vector<std::string> begin = {"compute", "start", "compute", "start"};
  const std::vector<std::string> end = {"finish", "compute", "finish", "compute"};
  ASSERT_GE(order.size(), 8);
  EXPECT_EQ(std::vector<std::string>(order.begin(), order.begin() + 4), begin) << plan;
  EXPECT_EQ(std::vector<std::string>(order.end() - 4, order.end()), end) << plan;
}

}  // namespace
}  // namespace antler::compiler
