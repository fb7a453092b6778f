#include "antler/data/sharding.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "antler/base/error.h"
#include "antler/data/record_datasets.h"
#include "antler/io/tfrecord.h"

namespace antler::data {
namespace {

using Doubles = std::vector<double>;

std::vector<Doubles> elements(const Dataset& dataset) {
  std::vector<Doubles> result;
  for (const Nest& element : dataset) result.push_back(element.tensor().to_doubles());
  return result;
}

TEST(Shard, ADataSetIsSharedByElements) {
  const Dataset five = Dataset::range(5);
  for (const auto policy : {AutoShardPolicy::automatic, AutoShardPolicy::data}) {
    EXPECT_EQ(elements(shard(five, policy, 2, 0)), (std::vector<Doubles>{{0}, {2}, {4}}));
    EXPECT_EQ(elements(shard(five, policy, 2, 1)), (std::vector<Doubles>{{1}, {3}}));
  }
  for (const auto policy : {AutoShardPolicy::off, AutoShardPolicy::hint})
    EXPECT_EQ(elements(shard(five, policy, 2, 1)).size(), 5U);
  EXPECT_THROW(shard(five, AutoShardPolicy::file, 2, 0), ValueError);
  EXPECT_THROW(shard(five, AutoShardPolicy::data, 2, 2), ValueError);
}

TEST(Shard, HintsAreTheNumbersOfTheWorker) {
  const Dataset halves = Dataset::range(6).shard(SHARD_HINT, SHARD_HINT).batch(2);
  EXPECT_EQ(elements(halves), (std::vector<Doubles>{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(elements(shard(halves, AutoShardPolicy::hint, 2, 1)),
            (std::vector<Doubles>{{1, 3}, {5}}));
  EXPECT_THROW(Dataset::range(6).shard(SHARD_HINT, 0), ValueError);
}

TEST(Shard, OptionsStayWithTheStepsThatFollow) {
  const auto with = [](const Dataset& dataset, AutoShardPolicy policy) {
    return dataset.with_options({.experimental_distribute = {.auto_shard_policy = policy}});
  };
  const auto policy = [](const Dataset& dataset) {
    return dataset.options().experimental_distribute.auto_shard_policy;
  };
  const Dataset plain = Dataset::range(4);
  const Dataset off = with(plain, AutoShardPolicy::off);
  EXPECT_EQ(policy(plain), AutoShardPolicy::automatic);
  EXPECT_EQ(policy(off.shuffle(4).repeat().batch(2).prefetch(1)), AutoShardPolicy::off);
  EXPECT_EQ(policy(Dataset::zip({plain, off})), AutoShardPolicy::off);
  EXPECT_EQ(policy(with(off.batch(2), AutoShardPolicy::hint)), AutoShardPolicy::hint);
  EXPECT_EQ(elements(off).size(), 4U);
}

/// Files of two records each: file f has the numbers 10 f and 10 f + 1.
class ShardedFiles : public testing::Test {
 protected:
  void SetUp() override {
    for (size_t f = 0; f < 3; ++f) {
      paths_.push_back(testing::TempDir() + "sharded_files_" + std::to_string(f));
      io::TFRecordWriter writer(paths_.back());
      for (size_t i = 0; i < 2; ++i) writer.write(std::to_string(10 * f + i));
      writer.flush();
    }
  }
  Dataset records() const {
    return from_tfrecords(paths_, [](std::string_view record) {
      return Nest(Tensor::of<int64_t>({std::stoll(std::string(record))}));
    });
  }
  std::vector<std::string> paths_;
};

TEST_F(ShardedFiles, EveryWorkerReadsItsOwn) {
  const Dataset data = records();
  EXPECT_EQ(data.files(), 3);
  EXPECT_EQ(resolved_policy(data, AutoShardPolicy::automatic, 3), AutoShardPolicy::file);
  EXPECT_EQ(resolved_policy(data, AutoShardPolicy::automatic, 4), AutoShardPolicy::data);
  EXPECT_EQ(elements(shard(data, AutoShardPolicy::file, 2, 0)),
            (std::vector<Doubles>{{0}, {1}, {20}, {21}}));
  EXPECT_EQ(elements(shard(data, AutoShardPolicy::automatic, 2, 1)),
            (std::vector<Doubles>{{10}, {11}}));
  EXPECT_THROW(shard(data, AutoShardPolicy::file, 4, 0), ValueError);
}

TEST_F(ShardedFiles, StepsKeepTheFiles) {
  const auto add = [](const Nest& element) {
    return Nest(Tensor::of<int64_t>({static_cast<int64_t>(element.tensor().to_doubles()[0]) + 1}));
  };
  const Dataset data = records().map(add).cache().repeat(2).prefetch(1);
  EXPECT_EQ(data.files(), 3);
  const Dataset second = shard(data, AutoShardPolicy::file, 2, 1);
  const std::vector<Doubles> expected = {{11}, {12}, {11}, {12}};
  EXPECT_EQ(elements(second), expected);
  EXPECT_EQ(elements(data).size(), 12U) << "the cache of a worker is its own";
  EXPECT_EQ(elements(second), expected);
}

TEST_F(ShardedFiles, PipelinesAreSharedByFilesIfAllHaveThem) {
  EXPECT_EQ(Dataset::zip({records(), records()}).files(), 3);
  EXPECT_EQ(Dataset::zip({records(), Dataset::range(9)}).files(), 0);
  // The files of the outer pipeline are divided among workers; those of an inner one are not.
  const Dataset nested = records().flat_map([this](const Nest&) { return records().take(1); });
  EXPECT_EQ(elements(shard(nested, AutoShardPolicy::file, 3, 1)), (std::vector<Doubles>{{0}, {0}}));
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
  EXPECT_EQ(elements(rebatch(batches, 2, 1)), (std::vector<Doubles>{{0, 1}, {2, 3}, {4, 5}, {6}}));
  EXPECT_EQ(elements(rebatch(Dataset::range(1).batch(1), 2, 0)), (std::vector<Doubles>{{0}}));
  EXPECT_THROW(rebatch(batches, 0, 0), ValueError);
}

// As TensorFlow 2.21 does for a data set of 12 elements in batches of 5.
TEST(Rebatch, PartsOfAllWorkersAreAGlobalBatch) {
  const Dataset batches = Dataset::range(12).batch(5);
  EXPECT_EQ(elements(rebatch(batches, 2, 0)),
            (std::vector<Doubles>{{0, 1, 2}, {3, 4}, {5, 6, 7}, {8, 9}, {10, 11}}));
  EXPECT_EQ(elements(rebatch(batches, 2, 1)),
            (std::vector<Doubles>{{0, 1}, {2, 3, 4}, {5, 6}, {7, 8, 9}, {10, 11}}));
}

TEST(RowsOfPart, AreConsecutive) {
  const Nest batch{Tensor::of<float>({0, 1, 2, 3, 4}), Tensor::of<float>({7, 8})};
  EXPECT_EQ(rows_of_part(batch, 2, 0)[0].tensor().to_doubles(), (Doubles{0, 1, 2}));
  EXPECT_EQ(rows_of_part(batch, 2, 1)[0].tensor().to_doubles(), (Doubles{3, 4}));
  EXPECT_EQ(rows_of_part(batch, 2, 1)[1].tensor().to_doubles(), (Doubles{7, 8}));
}

TEST(JoinBatches, UndoesRebatch) {
  const Dataset batches = Dataset::range(7).batch(4);
  EXPECT_EQ(elements(join_batches(rebatch(batches, 2, 0), 2)), elements(batches));
  EXPECT_THROW(join_batches(batches, 0), ValueError);
  const Tensor row = Tensor::of<float>({1});
  EXPECT_THROW(join_batches(std::vector<Nest>{row, Tensor::of<int64_t>({1})}), ValueError);
  EXPECT_THROW(join_batches(std::vector<Nest>{row, Nest{row, row}}), ValueError);
  const Nest pair = join_batches({Nest{row, Tensor()}, Nest{row, Tensor()}});
  EXPECT_EQ(pair[0].tensor().to_doubles(), (Doubles{1, 1}));
  EXPECT_TRUE(pair[1].is_none());
}

}  // namespace
}  // namespace antler::data
