#include "antler/distribute/replica_context.h"

#include <gtest/gtest.h>

#include <vector>

#include "antler/base/error.h"
#include "antler/distribute/mirrored_strategy.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"

namespace antler::distribute {
namespace {

using Values = std::vector<double>;

class ReplicaContextTest : public ::testing::Test {
 protected:
  /// The results of `function` for the rows of two replicas.
  std::vector<Values> run(const ReplicaFunction& function, const Tensor& rows) const {
    std::vector<Values> results;
    for (const Nest& part : strategy_.run(function, strategy_.split(rows)))
      results.push_back(part.tensor().to_doubles());
    return results;
  }

  const MirroredStrategy strategy_ = MirroredStrategy(2);
  const Tensor rows_ = Tensor::of<float>({1, 2, 3, 6});
};

TEST_F(ReplicaContextTest, ReducesOverTheReplicas) {
  const auto reduce = [this](const char* op) {
    return run([op](const Nest& x) { return get_replica_context()->all_reduce(op, x); }, rows_);
  };
  EXPECT_EQ(reduce("SUM"), (std::vector<Values>{{4, 8}, {4, 8}}));
  EXPECT_EQ(reduce("MEAN"), (std::vector<Values>{{2, 4}, {2, 4}}));
  EXPECT_THROW(reduce("MIN"), TypeError);
}

TEST_F(ReplicaContextTest, GathersAlongAnAxis) {
  const auto gather = [this](int64_t axis) {
    return run(
        [axis](const Nest& x) {
          return get_replica_context()->all_gather(ops::expand_dims(x.tensor(), 0), axis);
        },
        rows_);
  };
  EXPECT_EQ(gather(1)[0], (Values{1, 2, 3, 6}));
  EXPECT_EQ(gather(-1)[1], (Values{1, 2, 3, 6}));
  EXPECT_EQ(gather(0)[0], (Values{1, 2, 3, 6}));
  EXPECT_THROW(gather(2), ValueError);
}

TEST_F(ReplicaContextTest, ValuesOfDifferentShapesCannotBeCombined) {
  EXPECT_THROW(run([](const Nest& x) { return get_replica_context()->all_reduce("SUM", x); },
                   Tensor::of<float>({1, 2, 3})),
               ValueError);
}

TEST_F(ReplicaContextTest, MergeCallSeesTheValuesOfAllReplicas) {
  const auto scope = strategy_.scope();
  const Variable total(Tensor::of<float>({0, 0}), {.name = "total"});
  const auto results = run(
      [&](const Nest& x) {
        return get_replica_context()->merge_call(
            [&](const Strategy& strategy, const PerReplica& values) -> Nest {
              EXPECT_TRUE(in_cross_replica_context());
              EXPECT_TRUE(strategy == strategy_);
              EXPECT_EQ(values.size(), 2U);
              const Tensor sum = strategy.reduce("SUM", values).tensor();
              total.assign_add(sum);  // needs no aggregation here
              return ops::subtract(values[1].tensor(), values[0].tensor());
            },
            x);
      },
      rows_);
  EXPECT_EQ(results, (std::vector<Values>{{2, 4}, {2, 4}}));
  EXPECT_EQ(total.stored().to_doubles(), (Values{4, 8}));
}

TEST_F(ReplicaContextTest, KnowsTheReplica) {
  const auto ids = run(
      [](const Nest&) -> Nest {
        const ReplicaContext& context = *get_replica_context();
        EXPECT_EQ(context.num_replicas_in_sync, 2);
        return Tensor(static_cast<float>(context.replica_id_in_sync_group));
      },
      rows_);
  EXPECT_EQ(ids, (std::vector<Values>{{0}, {1}}));
}

}  // namespace
}  // namespace antler::distribute
