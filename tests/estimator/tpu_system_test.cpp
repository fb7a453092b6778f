#include "antler/estimator/tpu_system.h"

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/distribute/cluster_resolver.h"

namespace antler::estimator::tpu {
namespace {

using enum InputPipelineConfig;

TPUConfig with_input(InputPipelineConfig input) {
  return TPUConfig({.per_host_input_for_training = input});
}

PlacementOptions training(int64_t batch_size) { return {.batch_sizes = {.train = batch_size}}; }

std::string refusal(const TPUConfig& config, const PlacementOptions& options,
                    const System& system) {
  try {
    place(config, options, system);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Place, SplitsTheBatchByTheInputMode) {
  const System system{.cores = 8, .hosts = 2};
  const Placement v1 = place(TPUConfig(), training(64), system);
  EXPECT_EQ(v1.input_batch_size, 32);
  EXPECT_EQ(v1.model_batch_size, 8);
  ASSERT_EQ(v1.input_calls.size(), 2U);
  EXPECT_EQ(v1.input_calls[1].host, 1);
  EXPECT_EQ(v1.input_calls[1].first_replica, 4);
  EXPECT_EQ(v1.input_calls[1].num_replicas, 4);
  EXPECT_EQ(place(with_input(per_host_v2), training(64), system).input_batch_size, 8);
  const Placement all = place(with_input(broadcast), training(61), system);
  EXPECT_EQ(all.model_batch_size, 61);
  EXPECT_EQ(all.input_calls.size(), 1U);
  const Placement shards = place(with_input(per_shard_v1), training(64), system);
  ASSERT_EQ(shards.input_calls.size(), 8U);
  EXPECT_EQ(shards.input_calls[5].host, 1);
}

TEST(Place, AReplicaMaySpanHosts) {
  const TPUConfig config({.num_cores_per_replica = 8, .per_host_input_for_training = per_host_v2});
  const Placement placement = place(config, training(6), {.cores = 16, .hosts = 4});
  EXPECT_EQ(placement.num_replicas, 2);
  EXPECT_EQ(placement.input_batch_size, 3);
  ASSERT_EQ(placement.input_calls.size(), 2U);
  EXPECT_EQ(placement.input_calls[1].host, 2);
}

TEST(Place, OnOnePlainDevice) {
  const Placement placement =
      place(TPUConfig(), {.use_tpu = false, .batch_sizes = {.train = 10}}, {.cores = 8});
  EXPECT_TRUE(placement.on_cpu);
  EXPECT_EQ(placement.input_batch_size, 10);
  EXPECT_FALSE(place(TPUConfig(), {.mode = ModeKeys::predict, .is_export = true}, {})
                   .input_batch_size.has_value());
  EXPECT_NE(refusal(TPUConfig({.eval_training_input_configuration = sliced}),
                    {.mode = ModeKeys::eval, .use_tpu = false}, {})
                .find("SLICED mode only works on use_tpu = True."),
            std::string::npos);
}

TEST(Place, RefusesWhatReplicasCannotShare) {
  EXPECT_EQ(refusal(TPUConfig(), training(12), {.cores = 8}),
            "train batch size 12 must be divisible by number of replicas 8");
  EXPECT_NE(refusal(TPUConfig(), training(8), {.cores = 0}).find("Cannot find any TPU cores"),
            std::string::npos);
  EXPECT_NE(refusal(TPUConfig({.num_shards = 4}), training(8), {.cores = 8})
                .find("num_replicas should be (8), got (4)"),
            std::string::npos);
  const PlacementOptions evaluation{.mode = ModeKeys::eval, .batch_sizes = {.eval = 64}};
  EXPECT_NE(refusal(TPUConfig(), evaluation, {.cores = 8, .hosts = 2})
                .find("TPUEstimator.evaluate is only supported under three conditions"),
            std::string::npos);
  EXPECT_EQ(refusal(with_input(broadcast), evaluation, {.cores = 8, .hosts = 2}), "accepted");
}

TEST(SystemOf, AsksTheResolver) {
  const auto resolver = std::make_shared<distribute::SimpleClusterResolver>(
      distribute::ClusterSpec({{"worker", {"a:1", "b:1"}}}),
      distribute::SimpleClusterResolverOptions{.num_accelerators = {{"CPU", 4}}});
  const System system = system_of(RunConfig({.cluster = resolver}));
  EXPECT_EQ(system.cores, 8);
  EXPECT_EQ(system.hosts, 2);
  EXPECT_EQ(system_of(RunConfig({.tpu_config = TPUConfig({.num_shards = 3})})).cores, 3);
}

}  // namespace
}  // namespace antler::estimator::tpu
