#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/data/dataset.h"
#include "antler/data/generator.h"
#include "antler/data/sequence.h"

// Data sets, generators and sequences as sources of batches.

namespace antler::data {
namespace {

using Floats = std::vector<float>;

/// Rows of x of each batch of the current pass.
std::vector<Floats> read_pass(DataSource& source) {
  std::vector<Floats> batches;
  while (const int64_t rows = source.batch_rows()) {
    Nest specs;
    EXPECT_TRUE(source.peek(specs));
    std::vector<std::vector<std::byte>> memory;
    std::vector<void*> buffers;
    for (const Tensor& leaf : specs.flatten()) {
      if (!leaf.defined()) continue;
      memory.emplace_back(static_cast<size_t>(leaf.size()) * dtype_size(leaf.dtype()));
      buffers.push_back(memory.back().data());
    }
    EXPECT_EQ(specs.flatten()[0].shape()[0], rows);
    EXPECT_TRUE(source.fill(buffers));
    const auto* x = reinterpret_cast<const float*>(memory[0].data());
    batches.emplace_back(x, x + rows);
  }
  return batches;
}

Tensor row(const Floats& values) { return Tensor::of(values); }

TEST(DatasetSource, PassesStartOver) {
  const Dataset dataset =
      Dataset::from_tensor_slices({row({1, 2, 3}), row({4, 5, 6})}).shuffle(3).batch(2);
  const auto source = dataset.source({.seed = 5});
  EXPECT_EQ(source->num_batches(), 2);
  EXPECT_EQ(source->epochs(), DataSource::Epochs::whole_passes);
  std::vector<std::vector<Floats>> passes;
  for (int pass = 0; pass < 8; ++pass) {
    source->reset();
    passes.push_back(read_pass(*source));
    EXPECT_EQ(passes.back().size(), 2U);
    EXPECT_EQ(source->batch_rows(), 0);
  }
  std::sort(passes.begin(), passes.end());
  EXPECT_GT(std::unique(passes.begin(), passes.end()) - passes.begin(), 1);
  // The same seed gives the same passes.
  const auto again = dataset.source({.seed = 5});
  source->reset();
  for (int pass = 0; pass < 9; ++pass) again->reset();
  EXPECT_EQ(read_pass(*again), read_pass(*source));
}

TEST(DatasetSource, ResetMidwayDropsTheBatchThatWasFetched) {
  const auto source = Dataset::from_tensor_slices({row({1, 2, 3})}).batch(1).source({});
  EXPECT_EQ(source->batch_rows(), 1);
  source->reset();
  EXPECT_EQ(read_pass(*source), (std::vector<Floats>{{1}, {2}, {3}}));
}

TEST(DatasetSource, SignaturesTellShapesApart) {
  const auto source = Dataset::from_tensor_slices({row({1, 2, 3, 4, 5})}).batch(2).source({});
  float buffer[2];
  void* const buffers[] = {buffer};
  EXPECT_FALSE(source->fill(buffers));  // the caller does not know the shape yet
  const int64_t full = source->signature();
  EXPECT_TRUE(source->fill(buffers));
  EXPECT_TRUE(source->fill(buffers));
  EXPECT_FALSE(source->fill(buffers));  // the last batch has one row
  const int64_t last = source->signature();
  EXPECT_NE(last, full);
  EXPECT_TRUE(source->fill(buffers));
  EXPECT_EQ(buffer[0], 5);
  EXPECT_FALSE(source->fill(buffers));
  EXPECT_EQ(source->signature(), last);
  source->reset();
  EXPECT_EQ(source->signature(), full);
}

TEST(DatasetSource, ElementsAreBatchesInKerasForms) {
  const Tensor x = row({1, 2});
  const auto structure = [](const Dataset& dataset) {
    Nest specs;
    EXPECT_TRUE(dataset.source({})->peek(specs));
    return specs.structure();
  };
  EXPECT_EQ(structure(Dataset::from_tensors(x)), "[*, None, None]");
  EXPECT_EQ(structure(Dataset::from_tensors(Nest{x})), "[*, None, None]");
  EXPECT_EQ(structure(Dataset::from_tensors(Nest{x, x})), "[*, *, None]");
  EXPECT_EQ(structure(Dataset::from_tensors(Nest{Nest{x, x}, Nest(), x})), "[[*, *], None, *]");
  EXPECT_EQ(structure(Dataset::from_tensors(Nest::dict({{"a", x}}))), "[{a: *}, None, None]");
  EXPECT_THROW(structure(Dataset::from_tensors(Nest{x, x, x, x})), ValueError);
  EXPECT_THROW(structure(Dataset::range(3)), ValueError);  // not batched
}

TEST(DatasetSource, ConvertsDoublesAndWeighsClasses) {
  const Tensor x = Tensor::of(std::vector<double>{1.5, 2.5});
  const Tensor y = Tensor::of(std::vector<int32_t>{0, 1});
  const auto source = Dataset::from_tensors(Nest{x, y}).source({.class_weight = {{0, 2}, {1, 3}}});
  Nest specs;
  ASSERT_TRUE(source->peek(specs));
  EXPECT_EQ(specs[0].tensor().dtype(), DType::float32);
  float values[2];
  int32_t classes[2];
  float weights[2];
  void* const buffers[] = {values, classes, weights};
  ASSERT_TRUE(source->fill(buffers));
  EXPECT_EQ(values[1], 2.5F);
  EXPECT_EQ(classes[1], 1);
  EXPECT_EQ(weights[0], 2);
  EXPECT_EQ(weights[1], 3);
}

TEST(DatasetSource, EmptyBatchesAreLeftOut) {
  const Dataset dataset =
      Dataset::from_tensors(row({1}))
          .concatenate(Dataset::from_tensors(Tensor::empty(DType::float32, {0})))
          .concatenate(Dataset::from_tensors(row({2})));
  EXPECT_EQ(read_pass(*dataset.source({})), (std::vector<Floats>{{1}, {2}}));
}

TEST(DatasetCreator, GoesOnOverAllEpochs) {
  const DatasetCreator creator([](const InputContext& context) {
    return Dataset::from_tensor_slices({row({1, 2, 3, 4})})
        .batch(context.get_per_replica_batch_size(2));
  });
  const auto source = creator.source({});
  EXPECT_EQ(source->num_batches(), DataSource::kEndless);
  source->reset();
  EXPECT_EQ(source->batch_rows(), 2);
  EXPECT_EQ(read_pass(*source), (std::vector<Floats>{{1, 2}, {3, 4}}));
  const InputContext context = {.num_replicas_in_sync = 3};
  EXPECT_EQ(context.get_per_replica_batch_size(6), 2);
  EXPECT_THROW(context.get_per_replica_batch_size(7), ValueError);
}

struct Parts {
  Nest x;
  Nest y = {};
  Nest sample_weight = {};
};

TEST(Generator, IsOnePassHoweverOftenItStartsOver) {
  const Generator generator([i = 0]() mutable -> std::optional<Parts> {
    if (i == 4) return std::nullopt;
    ++i;
    return Parts{row({static_cast<float>(i)}), row({0})};
  });
  const auto source = generator.source({});
  EXPECT_EQ(source->num_batches(), DataSource::kUnknown);
  EXPECT_EQ(source->batch_rows(), 1);  // reads the first batch for its structure
  source->reset();
  EXPECT_EQ(source->batch_rows(), 1);
  EXPECT_EQ(read_pass(*source), (std::vector<Floats>{{1}, {2}, {3}, {4}}));
  source->reset();
  EXPECT_EQ(source->batch_rows(), 0);
}

std::pair<Tensor, Tensor> pair(int i) { return {row({static_cast<float>(i)}), row({0})}; }

Coroutine<std::pair<Tensor, Tensor>> pairs(int n) {
  for (int i = 0; i < n; ++i) co_yield pair(i);
}

TEST(Generator, TakesCoroutinesAndRanges) {
  const auto source = Generator(pairs(3)).source({});
  EXPECT_EQ(read_pass(*source), (std::vector<Floats>{{0}, {1}, {2}}));
  const std::vector<Parts> list = {{row({7})}, {row({8})}};
  EXPECT_EQ(read_pass(*Generator(list).source({})), (std::vector<Floats>{{7}, {8}}));
}

class Numbers : public Sequence {
 public:
  explicit Numbers(int64_t n) : n_(n) {}
  int64_t size() const override { return n_; }
  Nest item(int64_t index) override {
    std::this_thread::sleep_for(std::chrono::microseconds(index * 53 % 300));
    ++calls;
    if (index == fail_at) throw IOError("no file");
    return row({static_cast<float>(index)});
  }
  void on_epoch_end() override { ++epochs; }
  std::optional<int64_t> workers() const override { return own_workers; }

  std::atomic<int64_t> calls{0};
  int64_t fail_at = -1;
  int64_t epochs = 0;
  std::optional<int64_t> own_workers = {};

 private:
  int64_t n_;
};

TEST(Sequence, OrderDoesNotDependOnTheWorkers) {
  std::vector<std::vector<Floats>> results;
  for (const int64_t workers : {0, 1, 2, 5}) {
    const auto numbers = std::make_shared<Numbers>(20);
    const auto source = Sequence::source(
        numbers, {.shuffle = Shuffle::rows, .seed = 9, .max_queue_size = 3, .workers = workers});
    EXPECT_EQ(source->num_batches(), 20);
    EXPECT_EQ(source->epochs(), DataSource::Epochs::new_pass);
    for (int epoch = 0; epoch < 2; ++epoch) {
      source->reset();
      results.push_back(read_pass(*source));
      source->on_epoch_end();
    }
    EXPECT_EQ(numbers->epochs, 2);
  }
  for (size_t i = 2; i < results.size(); ++i) EXPECT_EQ(results[i], results[i % 2]);
  EXPECT_NE(results[0], results[1]);  // a new order in each epoch
  std::sort(results[0].begin(), results[0].end());
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(results[0][i][0], static_cast<float>(i));
}

TEST(Sequence, WithoutShuffleItsOrderIsThatOfTheIndices) {
  const auto source = Sequence::source(std::make_shared<Numbers>(3), {.workers = 2});
  source->reset();
  EXPECT_EQ(read_pass(*source), (std::vector<Floats>{{0}, {1}, {2}}));
}

TEST(Sequence, WorkersAreNoFurtherAheadThanTheQueue) {
  const auto numbers = std::make_shared<Numbers>(100);
  numbers->own_workers = 3;
  const auto source = Sequence::source(numbers, {.max_queue_size = 4});
  source->reset();
  EXPECT_EQ(numbers->calls, 0);
  EXPECT_EQ(source->batch_rows(), 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_LE(numbers->calls, 5);  // one was taken, up to four are waiting
}

TEST(Sequence, EndlessOnesGoOn) {
  const auto source = Sequence::source(std::make_shared<Numbers>(DataSource::kEndless),
                                       {.shuffle = Shuffle::rows, .workers = 2});
  EXPECT_EQ(source->num_batches(), DataSource::kEndless);
  source->reset();
  float value = -1;
  void* const buffers[] = {&value};
  for (int i = 0; i < 5; ++i) {
    source->signature();
    ASSERT_TRUE(source->fill(buffers));
    EXPECT_EQ(value, static_cast<float>(i));
  }
}

TEST(Sequence, ExceptionsReachTheLoop) {
  for (const int64_t workers : {1, 3}) {
    const auto numbers = std::make_shared<Numbers>(10);
    numbers->fail_at = 2;
    const auto source = Sequence::source(numbers, {.workers = workers});
    source->reset();
    float value = -1;
    void* const buffers[] = {&value};
    for (int i = 0; i < 2; ++i) {
      source->signature();
      ASSERT_TRUE(source->fill(buffers));
    }
    EXPECT_THROW(source->batch_rows(), IOError);
  }
}

}  // namespace
}  // namespace antler::data
