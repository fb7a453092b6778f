#include <gtest/gtest.h>

#include <vector>

#include "antler/base/error.h"
#include "antler/data/dataset.h"
#include "antler/distribute/distributed_dataset.h"
#include "antler/distribute/mirrored_strategy.h"

namespace antler::distribute {
namespace {

using Values = std::vector<double>;
using Steps = std::vector<std::vector<Values>>;

data::Dataset count_to(int64_t end) {
  return data::Dataset::range(1, end + 1).map([](const Nest& n) -> Nest {
    return Tensor::full(DType::float32, {}, n.tensor().item());
  });
}

Steps steps_of(const DistributedDataset& dataset) {
  Steps steps;
  for (const PerReplica& parts : dataset) {
    std::vector<Values>& step = steps.emplace_back();
    for (const Nest& part : parts)
      step.push_back(part.is_none() ? Values() : part.tensor().to_doubles());
  }
  return steps;
}

TEST(DistributedDataset, SplitsEachGlobalBatch) {
  const MirroredStrategy strategy(2);
  EXPECT_EQ(steps_of(strategy.experimental_distribute_dataset(count_to(7).batch(4))),
            (Steps{{{1, 2}, {3, 4}}, {{5, 6}, {7}}}));
  EXPECT_EQ(steps_of(strategy.experimental_distribute_dataset(count_to(2).batch(1))),
            (Steps{{{1}, {}}, {{2}, {}}}));
}

TEST(DistributedDataset, OfAFunctionHasBatchesOfReplicas) {
  const MirroredStrategy strategy(2);
  const auto make = [](const data::InputContext& context) {
    EXPECT_EQ(context.num_input_pipelines, 1);
    EXPECT_EQ(context.num_replicas_in_sync, 2);
    return count_to(5).batch(context.get_per_replica_batch_size(4));
  };
  EXPECT_EQ(steps_of(strategy.distribute_datasets_from_function(make)),
            (Steps{{{1, 2}, {3, 4}}, {{5}, {}}}));
  EXPECT_THROW(strategy.distribute_datasets_from_function(nullptr), TypeError);
  EXPECT_THROW(strategy.input_context().get_per_replica_batch_size(3), ValueError);
}

TEST(DistributedDataset, CanHaveADataSetPerReplica) {
  const MirroredStrategy strategy(2);
  const InputOptions options = {.experimental_replication_mode = InputReplicationMode::per_replica};
  const auto make = [](const data::InputContext& context) {
    EXPECT_EQ(context.num_input_pipelines, 2);
    return count_to(4).shard(context.num_input_pipelines, context.input_pipeline_id).batch(1);
  };
  EXPECT_EQ(steps_of(strategy.distribute_datasets_from_function(make, options)),
            (Steps{{{1}, {2}}, {{3}, {4}}}));
  EXPECT_THROW(strategy.experimental_distribute_dataset(count_to(2), options), NotImplementedError);
}

}  // namespace
}  // namespace antler::distribute
