// Tables whose rows are divided among parameter servers, against the same table in one process.
#include <gtest/gtest.h>

#include <vector>

#include "antler/antler.h"
#include "antler/cluster/cluster_coordinator.h"
#include "antler/core/variable_shards.h"
#include "cluster/local_cluster.h"

namespace antler {
namespace {

using cluster::ClusterCoordinator;

struct Case {
  size_t servers;
  int64_t parts;
  DType ids;
};

class DividedTable : public ::testing::TestWithParam<Case> {};

constexpr int64_t kRows = 11;

/// Trains a table with steps that look up rows twice, with repeated ids and ids outside the table.
/// Returns its losses and values. `run` runs a step with the given ids.
std::vector<double> train(const auto& run) {
  const Variable table(
      ops::reshape(ops::sin(ops::cast(ops::arange(kRows * 3), DType::float32)), {kRows, 3}),
      {.name = "table"});
  const Variable other(ops::ones({3}), {.name = "other"});
  const optimizers::Adam adam({.learning_rate = 0.05});
  const Function step = tf::function(Function::Body([=](const Nest& arguments) -> Nest {
    GradientTape tape;
    const Tensor rows = ops::take(table.value(), arguments[0].tensor(), 0);
    const Tensor more = ops::take(table.value(), arguments[1].tensor(), 0) * other.value();
    const Tensor loss = ops::mean(ops::square(rows - 0.5F)) + ops::mean(ops::square(more + 0.25F));
    optimizers::Adam(adam).minimize(loss, {table, other}, tape);
    return loss;
  }));
  std::vector<double> values;
  const std::vector<std::vector<int64_t>> all = {
      {0, 10, 3, 3}, {7, 1, 6, 5}, {2, 2, 2, 2}, {9, 0, 4, 8}, {10, 40, 5, 6}};
  for (size_t i = 0; i < all.size(); ++i)
    values.push_back(run(step, all[i], all[(i + 1) % all.size()]));
  for (const double value : table.value().to_doubles()) values.push_back(value);
  return values;
}

TEST_P(DividedTable, TrainsLikeAWholeOne) {
  const auto ids = [](const std::vector<int64_t>& numbers) {
    return ops::cast(Tensor::of<int64_t>(numbers), GetParam().ids);
  };
  const std::vector<double> expected =
      train([&](const Function& step, const auto& a, const auto& b) {
        return step(ids(a), ids(b)).tensor().item();
      });
  const test::LocalCluster local(1, GetParam().servers);
  const cluster::ParameterServerStrategy strategy(
      {.cluster_resolver = std::make_shared<distribute::SimpleClusterResolver>(local.spec),
       .variable_partitioner = cluster::FixedShardsPartitioner(GetParam().parts),
       .start_timeout = 20});
  const auto scope = strategy.scope();
  ClusterCoordinator coordinator(strategy);
  const std::vector<double> got = train([&](const Function& step, const auto& a, const auto& b) {
    return coordinator.schedule(step, {ids(a), ids(b)}).fetch().tensor().item();
  });
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 2e-6) << i;
}

INSTANTIATE_TEST_SUITE_P(Divisions, DividedTable,
                         ::testing::Values(Case{1, 2, DType::int32}, Case{2, 2, DType::int32},
                                           Case{2, 5, DType::int64}, Case{3, 3, DType::int64},
                                           Case{2, 3, DType::uint8}, Case{2, 2, DType::int16}));

}  // namespace
}  // namespace antler
