#include "cluster/graph_split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "antler/antler.h"
#include "antler/runtime/function.h"
#include "cluster/row_parts.h"
#include "ops/core/shards.h"

namespace antler::cluster {
namespace {

Tensor counted(const Shape& shape) {
  return ops::reshape(ops::cast(ops::arange(shape.num_elements()), DType::float32), shape);
}

/// One step of gradient descent on the rows of a table selected by the ids.
struct LookupStep {
  Variable table;
  Function step;
  explicit LookupStep(int64_t parts) : table(counted({100, 4}), {.name = "table"}) {
    if (parts > 1) ops::divide(table, {{0, parts, ""}});
    step = tf::function(Function::Body([table = table](const Nest& arguments) -> Nest {
      GradientTape tape;
      const Tensor rows = ops::take(table.value(), arguments[0].tensor(), 0);
      const Tensor loss = ops::mean(ops::square(rows - arguments[1].tensor()));
      table.assign_sub(tape.gradient(loss, table) * 0.5F);
      return loss;
    }));
  }
  SplitGraph split(int64_t tasks) const {
    const Function::Trace trace = step.trace({Tensor::of<int32_t>({3, 99, 50}), counted({3, 4})});
    return split_graph(use_row_parts(*trace.graph), [&](const Variable& variable) -> int64_t {
      if (table.shards() == nullptr) return 0;
      const Variables& parts = table.shards()->parts;
      return (std::find(parts.begin(), parts.end(), variable) - parts.begin()) % tasks;
    });
  }
};

int64_t bytes_sent(const SplitGraph& split, const TaskShare& share) {
  int64_t bytes = 0;
  for (const int64_t index : share.sends) {
    const TensorSpec& spec = split.worker.spec(split.worker.outputs[static_cast<size_t>(index)]);
    bytes += spec.shape.num_elements() * static_cast<int64_t>(dtype_size(spec.dtype));
  }
  return bytes;
}

TEST(SplitGraph, RowsOfATableTravelAlone) {
  const SplitGraph split = LookupStep(1).split(1);
  ASSERT_EQ(split.shares.size(), 1U);
  const TaskShare& share = split.shares[0];
  EXPECT_TRUE(share.reads.empty());
  EXPECT_EQ(share.asks, std::vector<int64_t>{0});
  ASSERT_EQ(share.lookup.outputs.size(), 1U);
  EXPECT_EQ(share.lookup.spec(share.lookup.outputs[0]).shape, (Shape{3, 4}));
  // Three rows of the gradient and their ids.
  EXPECT_LE(bytes_sent(split, share), 3 * 4 * 4 + 3 * 8);
}

TEST(SplitGraph, EachPartIsLookedUpWhereItIs) {
  const SplitGraph split = LookupStep(3).split(2);
  ASSERT_EQ(split.shares.size(), 2U);
  EXPECT_EQ(split.shares[0].lookups, 2);
  EXPECT_EQ(split.shares[1].lookups, 1);
  for (const TaskShare& share : split.shares) {
    EXPECT_TRUE(share.reads.empty());
    EXPECT_LE(bytes_sent(split, share), 3 * 4 * 4 + 3 * 8);
  }
}

TEST(SplitGraph, EachTaskGetsAndGivesItsRowsOnly) {
  const SplitGraph split = LookupStep(2).split(2);
  ASSERT_EQ(split.shares.size(), 2U);
  for (const TaskShare& share : split.shares) {
    const bool is_first = &share == &split.shares[0];
    // The rows that this share provides: ids before the table mean the first row, ids after it the
    // last.
    ASSERT_EQ(share.lookup_rows.size(), 1U);
    const RowFilter& looked_up = share.lookup_rows[0];
    EXPECT_EQ(looked_up.rows(), 3);
    ASSERT_EQ(looked_up.ranges_size(), 1);
    EXPECT_EQ(looked_up.ranges(0).ids(), 1);
    if (is_first) {
      EXPECT_EQ(looked_up.ranges(0).end(), 50);
      EXPECT_LT(looked_up.ranges(0).begin(), -100);
    } else {
      EXPECT_EQ(looked_up.ranges(0).begin(), 0);
      EXPECT_GT(looked_up.ranges(0).end(), 100);
    }
    // Rows that it gets, and their ids.
    ASSERT_EQ(share.sends.size(), 2U);
    ASSERT_EQ(share.sent_rows.size(), 2U);
    EXPECT_FALSE(share.sent_rows[0].holds_ids());
    EXPECT_TRUE(share.sent_rows[1].holds_ids());
    for (const RowFilter& sent : share.sent_rows) {
      EXPECT_EQ(sent.rows(), 3);
      ASSERT_EQ(sent.ranges_size(), 1);
      EXPECT_EQ(sent.ranges(0).begin(), 0);
      EXPECT_EQ(sent.ranges(0).end(), 50);
      const auto ids = static_cast<size_t>(sent.ranges(0).ids());
      EXPECT_EQ(split.worker.spec(split.worker.outputs[ids]).shape, (Shape{3}));
    }
  }
}

TEST(SplitGraph, ATableThatIsNeededWholeIsRead) {
  const Variable table(counted({8, 2}));
  const Function step = tf::function(Function::Body([table](const Nest& arguments) -> Nest {
    return ops::sum(ops::take(table.value(), arguments[0].tensor(), 0)) + ops::sum(table.value());
  }));
  const Function::Trace trace = step.trace({Tensor::of<int32_t>({1})});
  const SplitGraph split = split_graph(*trace.graph, [](const Variable&) -> int64_t { return 0; });
  EXPECT_EQ(split.shares[0].reads.size(), 1U);
  EXPECT_TRUE(split.shares[0].lookup.outputs.empty());
}

TEST(RowParts, ComputeTheSame) {
  const LookupStep whole(1);
  const LookupStep parts(3);
  const Nest arguments{Tensor::of<int32_t>({3, 99, 50}), counted({3, 4})};
  Function::Trace trace = parts.step.trace(arguments);
  Program program(use_row_parts(*trace.graph), {.name = "parts"});
  const Tensors given{arguments[0].tensor(), arguments[1].tensor()};
  const Tensors loss = program.run(given);
  EXPECT_NEAR(loss[0].item(), whole.step(arguments).tensor().item(), 1e-2);
  EXPECT_EQ(parts.table.stored().to_doubles(), whole.table.stored().to_doubles());
}

}  // namespace
}  // namespace antler::cluster
