#include "antler/data/sharding.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "antler/base/error.h"

namespace antler::data {
namespace {

using Values = std::vector<double>;

std::vector<Values> elements(const Dataset& dataset) {
  std::vector<Values> result;
  for (const Nest& element : dataset) result.push_back(element.tensor().to_doubles());
  return result;
}

TEST(Shard, ADataSetIsSharedByElements) {
  const Dataset five = Dataset::range(5);
  for (const auto policy : {AutoShardPolicy::automatic, AutoShardPolicy::data}) {
    EXPECT_EQ(elements(shard(five, policy, 2, 0)), (std::vector<Values>{{0}, {2}, {4}}));
    EXPECT_EQ(elements(shard(five, policy, 2, 1)), (std::vector<Values>{{1}, {3}}));
  }
  for (const auto policy : {AutoShardPolicy::off, AutoShardPolicy::hint})
    EXPECT_EQ(elements(shard(five, policy, 2, 1)).size(), 5U);
  EXPECT_THROW(shard(five, AutoShardPolicy::file, 2, 0), ValueError);
  EXPECT_THROW(shard(five, AutoShardPolicy::data, 2, 2), ValueError);
}

TEST(Shard, FilesAreSharedIfThereAreEnough) {
  const std::vector<std::string> files = {"a", "b", "c"};
  EXPECT_EQ(shard_files(files, 2, 0), (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(shard_files(files, 3, 1), (std::vector<std::string>{"b"}));
  EXPECT_THROW(shard_files(files, 4, 0), ValueError);
  EXPECT_THROW(shard_files(files, 2, -1), ValueError);
}

TEST(Rebatch, SplitsEachBatch) {
  const Dataset batches = Dataset::range(7).batch(4);
  EXPECT_EQ(elements(rebatch(batches, 2)), (std::vector<Values>{{0, 1}, {2, 3}, {4, 5}, {6}}));
  EXPECT_EQ(elements(rebatch(Dataset::range(1).batch(1), 2)), (std::vector<Values>{{0}}));
  EXPECT_THROW(rebatch(batches, 0), ValueError);
}

TEST(JoinBatches, UndoesRebatch) {
  const Dataset batches = Dataset::range(7).batch(4);
  EXPECT_EQ(elements(join_batches(rebatch(batches, 2), 2)), elements(batches));
  EXPECT_THROW(join_batches(batches, 0), ValueError);
  const Tensor row = Tensor::of<float>({1});
  EXPECT_THROW(join_batches(std::vector<Nest>{row, Tensor::of<int64_t>({1})}), ValueError);
  EXPECT_THROW(join_batches(std::vector<Nest>{row, Nest{row, row}}), ValueError);
  const Nest pair = join_batches({Nest{row, Tensor()}, Nest{row, Tensor()}});
  EXPECT_EQ(pair[0].tensor().to_doubles(), (Values{1, 1}));
  EXPECT_TRUE(pair[1].is_none());
}

}  // namespace
}  // namespace antler::data
