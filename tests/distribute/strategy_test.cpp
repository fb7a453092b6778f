#include "antler/distribute/strategy.h"

#include <gtest/gtest.h>

#include <vector>

#include "antler/base/error.h"
#include "antler/distribute/central_storage_strategy.h"
#include "antler/distribute/mirrored_strategy.h"
#include "antler/distribute/one_device_strategy.h"
#include "antler/ops/core.h"

namespace antler::distribute {
namespace {

using Values = std::vector<double>;

PerReplica parts_of(std::vector<Tensor> parts) {
  PerReplica result;
  for (Tensor& part : parts) result.emplace_back(std::move(part));
  return result;
}

Values values_of(const Nest& nest) { return nest.tensor().to_doubles(); }

TEST(Strategy, ReducesByEnumOrName) {
  const MirroredStrategy strategy(2);
  const PerReplica parts = parts_of({Tensor::of<float>({1, 2}), Tensor::of<float>({3, 6})});
  EXPECT_EQ(values_of(strategy.reduce(ReduceOp::sum, parts)), (Values{4, 8}));
  EXPECT_EQ(values_of(strategy.reduce("SUM", parts)), (Values{4, 8}));
  EXPECT_EQ(values_of(strategy.reduce("MEAN", parts)), (Values{2, 4}));
  EXPECT_EQ(values_of(strategy.reduce("mean", parts, 0)), (Values{3}));
  EXPECT_EQ(values_of(strategy.reduce("SUM", parts, -1)), (Values{12}));
  EXPECT_THROW(strategy.reduce("MAX", parts), TypeError);
  EXPECT_THROW(strategy.reduce(ReduceOp::max, parts), TypeError);
  EXPECT_THROW(strategy.reduce("SUM", parts, 1), ValueError);
  EXPECT_THROW(strategy.reduce("SUM", parts, -2), ValueError);
}

TEST(Strategy, MeansOverAnAxisCountEveryEntryOfUnevenReplicas) {
  const MirroredStrategy strategy(2);
  const PerReplica parts = parts_of({Tensor::of<float>({1, 2, 3}), Tensor::of<float>({10})});
  EXPECT_EQ(values_of(strategy.reduce("MEAN", parts, 0)), (Values{4}));
  EXPECT_EQ(values_of(strategy.reduce("SUM", parts, 0)), (Values{16}));
  EXPECT_THROW(strategy.reduce("SUM", parts), ValueError);  // does not broadcast
}

TEST(Strategy, APlainValueIsThatOfEveryReplica) {
  const Tensor value = Tensor::of<float>({1, 2});
  const MirroredStrategy two(2);
  EXPECT_EQ(values_of(two.reduce("MEAN", value)), (Values{1, 2}));
  EXPECT_EQ(values_of(two.reduce("SUM", value)), (Values{2, 4}));
  EXPECT_EQ(values_of(two.reduce("SUM", value, 0)), (Values{6}));
  EXPECT_EQ(values_of(two.reduce("MEAN", value, 0)), (Values{1.5}));
  const MirroredStrategy one(1);
  EXPECT_EQ(values_of(one.reduce("SUM", value)), (Values{1, 2}));
  EXPECT_EQ(values_of(Strategy().reduce("SUM", value)), (Values{1, 2}));
}

TEST(Strategy, GathersAlongAnyAxis) {
  const MirroredStrategy strategy(2);
  const PerReplica parts =
      parts_of({Tensor::of<float>({1, 2}, {2, 1}), Tensor::of<float>({3, 4, 5, 6}, {2, 2})});
  EXPECT_EQ(strategy.gather(parts, 1).tensor().shape(), (Shape{2, 3}));
  EXPECT_EQ(values_of(strategy.gather(parts, -1)), (Values{1, 3, 4, 2, 5, 6}));
  EXPECT_THROW(strategy.gather(parts, 2), ValueError);
  EXPECT_THROW(strategy.gather(parts_of({Tensor(1.0F), Tensor(2.0F)}), 0), ValueError);
}

TEST(Strategy, SplitsGlobalBatches) {
  const MirroredStrategy strategy(2);
  const auto split = [&](std::vector<float> rows) {
    std::vector<Values> parts;
    for (const Nest& part : strategy.split(Tensor::of(rows)))
      parts.push_back(part.is_none() ? Values() : values_of(part));
    return parts;
  };
  EXPECT_EQ(split({1, 2, 3, 4}), (std::vector<Values>{{1, 2}, {3, 4}}));
  EXPECT_EQ(split({1, 2, 3}), (std::vector<Values>{{1, 2}, {3}}));
  EXPECT_EQ(split({1}), (std::vector<Values>{{1}, {}}));
}

TEST(Strategy, ValuesOfReplicasAreMadeByAFunction) {
  const MirroredStrategy strategy(3);
  const PerReplica values = strategy.experimental_distribute_values_from_function(
      [](const ValueContext& context) -> Nest {
        EXPECT_EQ(context.num_replicas_in_sync, 3);
        return Tensor::of<float>({static_cast<float>(context.replica_id_in_sync_group)});
      });
  EXPECT_EQ(values_of(strategy.gather(values)), (Values{0, 1, 2}));
  EXPECT_EQ(strategy.experimental_local_results(values).size(), 3U);
  EXPECT_EQ(strategy.experimental_local_results(Nest(Tensor(1.0F))).size(), 1U);
}

TEST(Strategy, RunsInItsScopeAndDoesNotNest) {
  const MirroredStrategy strategy(2);
  const PerReplica parts = strategy.split(Tensor::of<float>({1, 2}));
  EXPECT_FALSE(has_strategy());
  strategy.run(
      [&](const Nest& x) -> Nest {
        EXPECT_TRUE(get_strategy() == strategy);
        EXPECT_FALSE(in_cross_replica_context());
        EXPECT_THROW(strategy.run([](const Nest& y) { return y; }, parts), RuntimeError);
        return x;
      },
      parts);
  EXPECT_FALSE(has_strategy());
  EXPECT_THROW(strategy.run([](const Nest& x) { return x; }, {parts[0]}), ValueError);
}

TEST(Strategy, ContextsInsideAndOutsideOfScopes) {
  ASSERT_NE(get_replica_context(), nullptr);  // of the default strategy
  EXPECT_EQ(get_replica_context()->num_replicas_in_sync, 1);
  EXPECT_FALSE(in_cross_replica_context());
  const OneDeviceStrategy strategy("CPU:0");
  const auto scope = strategy.scope();
  EXPECT_EQ(get_replica_context(), nullptr);
  EXPECT_TRUE(in_cross_replica_context());
  strategy.run(
      [](const Nest& x) -> Nest {
        EXPECT_NE(get_replica_context(), nullptr);
        EXPECT_FALSE(in_cross_replica_context());
        return x;
      },
      {Tensor(1.0F)});
}

TEST(Strategy, CanBeSetWithoutAScope) {
  const MirroredStrategy strategy(2);
  const MirroredStrategy other(2);
  experimental_set_strategy(strategy);
  EXPECT_TRUE(get_strategy() == strategy);
  EXPECT_TRUE(in_cross_replica_context());
  const Variable variable(Tensor(1.0F));
  EXPECT_TRUE(strategy.variable_created_in_scope(variable));
  EXPECT_THROW(other.scope(), RuntimeError);
  experimental_set_strategy(Strategy());
  EXPECT_FALSE(has_strategy());
  const auto scope = other.scope();
  EXPECT_THROW(experimental_set_strategy(strategy), RuntimeError);
}

TEST(Strategy, BatchesWithoutRowsGoToAllReplicas) {
  const MirroredStrategy strategy(2);
  const PerReplica parts = strategy.split(Tensor(3.0F));
  ASSERT_EQ(parts.size(), 2U);
  for (const Nest& part : parts) EXPECT_EQ(part.tensor().item(), 3);
  EXPECT_TRUE(strategy.split(Tensor::of<float>({}, {0}))[0].is_none());
}

TEST(Strategy, TheDefaultStrategyIsNone) {
  const auto scope = Strategy().scope();
  EXPECT_FALSE(has_strategy());
  EXPECT_NE(get_replica_context(), nullptr);
}

TEST(Strategy, ReplicasReturnTheSameStructure) {
  const MirroredStrategy strategy(2);
  const Nest pair = std::vector<Nest>{Tensor(1.0F), Tensor(2.0F)};
  EXPECT_THROW(strategy.reduce(ReduceOp::sum, PerReplica{pair, Tensor(1.0F)}), ValueError);
  EXPECT_THROW(strategy.reduce(ReduceOp::sum, PerReplica{Tensor(1.0F), pair}), ValueError);
}

TEST(MirroredStrategy, TakesDevicesOrACount) {
  EXPECT_EQ(MirroredStrategy().num_replicas_in_sync(), 1);
  EXPECT_EQ(MirroredStrategy({"CPU:0", "/device:CPU:1"}).num_replicas_in_sync(), 2);
  EXPECT_EQ(MirroredStrategy(4, {.cross_device_ops = NcclAllReduce(2)}).num_replicas_in_sync(), 4);
  EXPECT_THROW(MirroredStrategy({"CPU:0", "cpu:0"}), ValueError);
  EXPECT_THROW(MirroredStrategy({"GPU:0", "GPU:1"}), ValueError);
  EXPECT_THROW(MirroredStrategy(std::vector<std::string>()), ValueError);
  EXPECT_THROW(MirroredStrategy(0), ValueError);
  EXPECT_THROW(MirroredStrategy(2, {.cross_device_ops = HierarchicalCopyAllReduce(-1)}),
               ValueError);
}

TEST(OneDeviceStrategy, HasOneReplicaOnACpu) {
  EXPECT_EQ(OneDeviceStrategy("/cpu:0").num_replicas_in_sync(), 1);
  EXPECT_THROW(OneDeviceStrategy("TPU:0"), ValueError);
}

TEST(CentralStorageStrategy, HasAReplicaPerDevice) {
  const CentralStorageStrategy strategy({"CPU:0", "CPU:1"});
  EXPECT_EQ(strategy.num_replicas_in_sync(), 2);
  EXPECT_THROW(CentralStorageStrategy(0), ValueError);
  EXPECT_THROW(CentralStorageStrategy({"CPU:1", "CPU:1"}), ValueError);
  const PerReplica sums =
      strategy.run([](const Nest& x) { return get_replica_context()->all_reduce("SUM", x); },
                   strategy.split(Tensor::of<float>({1, 2})));
  EXPECT_EQ(values_of(sums[1]), (Values{3}));
}

}  // namespace
}  // namespace antler::distribute
