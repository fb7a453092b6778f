#include "antler/cluster/partitioners.h"

#include <gtest/gtest.h>

#include <vector>

#include "antler/antler.h"
#include "antler/core/variable_shards.h"
#include "cluster/local_cluster.h"

namespace antler {
namespace {

using cluster::FixedShardsPartitioner;
using cluster::MaxSizePartitioner;
using cluster::MinSizePartitioner;
using test::LocalCluster;
using Counts = std::vector<int64_t>;

TEST(Partitioners, FixedShards) {
  EXPECT_EQ(FixedShardsPartitioner(2)({10, 3}, DType::float32), (Counts{2, 1}));
  EXPECT_EQ(FixedShardsPartitioner(20)({10, 3}, DType::float32), (Counts{10, 1}));
  EXPECT_EQ(FixedShardsPartitioner(2)({10, 3}, DType::float32, 1), (Counts{1, 2}));
  EXPECT_THROW(FixedShardsPartitioner(0), ValueError);
  EXPECT_THROW(FixedShardsPartitioner(2)({}, DType::float32), ValueError);
}

TEST(Partitioners, MinSize) {
  EXPECT_EQ(MinSizePartitioner({.min_shard_bytes = 4, .max_shards = 2})({6, 1}, DType::float32),
            (Counts{2, 1}));
  EXPECT_EQ(MinSizePartitioner({.min_shard_bytes = 4, .max_shards = 10})({6, 1}, DType::float32),
            (Counts{6, 1}));
  EXPECT_EQ(MinSizePartitioner()({1 << 20, 4}, DType::float32), (Counts{1, 1}));
  EXPECT_THROW(MinSizePartitioner({.min_shard_bytes = 0}), ValueError);
}

TEST(Partitioners, MaxSize) {
  EXPECT_EQ(MaxSizePartitioner({.max_shard_bytes = 4})({6, 1}, DType::float32), (Counts{6, 1}));
  EXPECT_EQ(MaxSizePartitioner({.max_shard_bytes = 4, .max_shards = 2})({6, 1}, DType::float32),
            (Counts{2, 1}));
  EXPECT_EQ(MaxSizePartitioner({.max_shard_bytes = 1024})({6, 1}, DType::float32), (Counts{1, 1}));
  // A row of 8 bytes is larger than a part may be.
  EXPECT_EQ(MaxSizePartitioner({.max_shard_bytes = 4})({3, 2}, DType::float32), (Counts{3, 1}));
  EXPECT_THROW(MaxSizePartitioner({}), ValueError);
}

cluster::ParameterServerStrategy divided(const LocalCluster& local,
                                         const cluster::Partitioner& partitioner) {
  return cluster::ParameterServerStrategy(
      {.cluster_resolver = std::make_shared<distribute::SimpleClusterResolver>(local.spec),
       .variable_partitioner = partitioner,
       .start_timeout = 20});
}

TEST(ShardedVariable, PartsLieOnTheServersInTurn) {
  const LocalCluster local(1, 2);
  const auto strategy = divided(local, FixedShardsPartitioner(5));
  const auto scope = strategy.scope();
  const Variable scalar(Tensor(1.0F), {.name = "scalar"});
  const Variable v(ops::cast(ops::arange(13), DType::float32), {.name = "v"});
  ASSERT_NE(v.shards(), nullptr);
  Counts sizes;
  Counts servers;
  for (const Variable& part : v.shards()->parts) {
    sizes.push_back(part.shape()[0]);
    servers.push_back(strategy.server_of(part));
  }
  EXPECT_EQ(sizes, (Counts{3, 3, 3, 2, 2}));
  EXPECT_EQ(servers, (Counts{1, 0, 1, 0, 1}));
  EXPECT_EQ(strategy.server_of(scalar), 0);
  EXPECT_EQ(v.shards()->parts[4].path(), "v/part_4");
  EXPECT_EQ(v.shards()->parts[3].value().to_doubles(), (std::vector<double>{9, 10}));
  EXPECT_THROW(strategy.server_of(v), ValueError);

  v.assign(ops::cast(ops::arange(13), DType::float32) * 2.0F);
  EXPECT_EQ(v.value().to_doubles().back(), 24);
  v.assign_add(ops::ones({13}));
  EXPECT_EQ(v.value().to_doubles().back(), 25);
}

TEST(ShardedVariable, SlotsLieBesideTheirParts) {
  const LocalCluster local(1, 3);
  const auto strategy = divided(local, FixedShardsPartitioner(3));
  const auto scope = strategy.scope();
  const Variable v(ops::ones({7, 2}), {.name = "v"});
  optimizers::Adam optimizer(0.1);
  optimizer.build({v});
  int slots = 0;
  for (const Variable& slot : optimizer.variables()) {
    if (slot.shape() != v.shape()) continue;
    ++slots;
    ASSERT_NE(slot.shards(), nullptr);
    for (size_t i = 0; i < 3; ++i) {
      const Variable& part = slot.shards()->parts[i];
      EXPECT_EQ(part.shape(), v.shards()->parts[i].shape());
      EXPECT_EQ(strategy.server_of(part), strategy.server_of(v.shards()->parts[i]));
    }
  }
  EXPECT_EQ(slots, 2);
}

TEST(ShardedVariable, WrongPartitions) {
  const LocalCluster local(1, 1);
  for (const Counts& wrong : {Counts{0, 1}, Counts{1, 2}, Counts{2}, Counts{}}) {
    const auto strategy = divided(local, [wrong](const Shape&, DType) { return wrong; });
    const auto scope = strategy.scope();
    EXPECT_THROW(Variable(ops::ones({4, 4})), ValueError);
  }
}

Sequential words_model() {
  set_random_seed(11);
  Sequential model({Input({3}, {.dtype = "int32"}), Embedding(17, 4), Flatten(),
                    Dense(6, {.activation = "tanh"}), Dense(1)});
  model.compile(optimizers::Adam({.learning_rate = 0.02, .clipnorm = {}}), "mse");
  return model;
}

TEST(ShardedVariable, TrainsLikeAWholeOne) {
  const Tensor x = random::randint({40, 3}, 0, 17, {.seed = 3});
  const Tensor y = random::normal({40, 1}, {.seed = 4});
  const FitOptions options{
      .batch_size = 8, .epochs = 3, .verbose = 0, .shuffle = false, .steps_per_epoch = 5};
  Sequential alone = words_model();
  const History expected = alone.fit(x, y, options);

  const LocalCluster local(1, 2);
  for (const int64_t parts : {2, 5}) {
    const auto strategy = divided(local, FixedShardsPartitioner(parts));
    const auto scope = strategy.scope();
    Sequential model = words_model();
    ASSERT_EQ(model.weights()[0].shards()->parts.size(), static_cast<size_t>(parts));
    const History history = model.fit(x, y, options);
    for (size_t e = 0; e < 3; ++e)
      EXPECT_NEAR(history.history.at("loss")[e], expected.history.at("loss")[e], 1e-5);
    const Tensors got = model.get_weights();
    const Tensors want = alone.get_weights();
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) {
      const std::vector<double> a = got[i].to_doubles();
      const std::vector<double> b = want[i].to_doubles();
      for (size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], 1e-5);
    }
    EXPECT_NEAR(model.evaluate(x, y, kw::verbose = 0).at("loss"),
                alone.evaluate(x, y, kw::verbose = 0).at("loss"), 1e-5);
  }
}

}  // namespace
}  // namespace antler
