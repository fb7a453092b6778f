#include "antler/data/array_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "antler/base/error.h"

namespace antler::data {
namespace {

/// [rows, columns] with element (i, j) = 100 i + j.
template <class T>
Tensor table(int64_t rows, int64_t columns) {
  std::vector<T> values;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) values.push_back(static_cast<T>(100 * i + j));
  }
  return Tensor::of(values, {rows, columns});
}

Tensor range(int64_t rows) {
  std::vector<int32_t> values(static_cast<size_t>(rows));
  std::iota(values.begin(), values.end(), 0);
  return Tensor::of(values);
}

/// The next batch as tensors, defined leaves in order; empty at the end.
Tensors next_batch(DataSource& source) {
  Nest specs;
  if (!source.peek(specs)) return {};
  Tensors batch;
  std::vector<void*> buffers;
  for (const Tensor& leaf : specs.flatten()) {
    if (!leaf.defined()) continue;
    batch.push_back(Tensor::empty(leaf.dtype(), leaf.shape()));
    buffers.push_back(batch.back().mutable_data());
  }
  EXPECT_TRUE(source.fill(buffers));
  return batch;
}

std::string message(const std::function<void()>& f) {
  try {
    f();
  } catch (const ValueError& error) {
    return error.what();
  }
  return "no ValueError";
}

TEST(ArraySourceTest, GivesRowsInOrderAndAPartialLastBatch) {
  const auto source = array_source(table<float>(7, 2), range(7), {}, {.batch_size = 3});
  EXPECT_EQ(source->num_batches(), 3);
  for (int pass = 0; pass < 2; ++pass) {
    std::vector<int64_t> sizes;
    int32_t row = 0;
    for (Tensors batch; !(batch = next_batch(*source)).empty();) {
      sizes.push_back(batch[0].dim(0));
      ASSERT_EQ(batch[0].dim(0), batch[1].dim(0));
      for (int64_t i = 0; i < batch[1].dim(0); ++i, ++row) {
        EXPECT_EQ(batch[0].data<float>()[2 * i + 1], static_cast<float>(100 * row + 1));
        EXPECT_EQ(batch[1].data<int32_t>()[i], row);
      }
    }
    EXPECT_EQ(sizes, (std::vector<int64_t>{3, 3, 1}));
    EXPECT_EQ(source->batch_rows(), 0);
    EXPECT_FALSE(source->fill({}));
    source->reset();
  }
}

/// Addresses of the leaves of the next batch, after peek().
std::vector<void*> lent_batch(DataSource& source, std::vector<void*> buffers) {
  Nest specs;
  EXPECT_TRUE(source.peek(specs));
  EXPECT_TRUE(source.fill_or_lend(buffers));
  return buffers;
}

TEST(ArraySourceTest, LendsRowsThatLieAsAProgramWantsThem) {
  const Tensor x = table<float>(40, 2);
  const auto source = array_source(x, range(40), {}, {.batch_size = 16, .shuffle = false});
  Tensor x_copy = Tensor::empty(DType::float32, {16, 2});
  Tensor y_copy = Tensor::empty(DType::int32, {16});
  const std::vector<void*> buffers = {x_copy.mutable_data(), y_copy.mutable_data()};
  for (int64_t row : {0, 16}) {
    const std::vector<void*> batch = lent_batch(*source, buffers);
    EXPECT_EQ(batch[0], x.data<float>() + row * 2);
    EXPECT_NE(batch[1], buffers[1]);
    EXPECT_EQ(*static_cast<const int32_t*>(batch[1]), row);
  }
  EXPECT_EQ(source->batch_rows(), 8);
}

TEST(ArraySourceTest, CopiesWhatIsShuffledOrNotAligned) {
  const Tensor x = table<float>(8, 3);
  Tensor copy = Tensor::empty(DType::float32, {2, 3});
  const auto in_order = array_source(x, {}, {}, {.batch_size = 2, .shuffle = false});
  EXPECT_EQ(lent_batch(*in_order, {copy.mutable_data()})[0], x.data());  // row 0 is aligned
  EXPECT_EQ(lent_batch(*in_order, {copy.mutable_data()})[0], copy.data());
  EXPECT_EQ(copy.data<float>()[0], 200);
  const auto shuffled = array_source(x, {}, {}, {.batch_size = 2, .shuffle = true});
  EXPECT_EQ(lent_batch(*shuffled, {copy.mutable_data()})[0], copy.data());
}

TEST(ArraySourceTest, SpecsHaveStructureAndNoElements) {
  const Nest x = Nest::dict({{"b", table<float>(4, 2)}, {"a", range(4)}});
  const auto source = array_source(x, {}, range(4), {.batch_size = 3});
  Nest specs;
  ASSERT_TRUE(source->peek(specs));
  EXPECT_EQ(specs.structure(), "[{a: *, b: *}, None, *]");
  EXPECT_FALSE(specs[0].at("b").tensor().is_value());
  EXPECT_EQ(specs[0].at("b").tensor().spec(), (TensorSpec{DType::float32, {3, 2}}));
  const Tensors batch = next_batch(*source);  // leaves by sorted key
  ASSERT_EQ(batch.size(), 3U);
  EXPECT_EQ(batch[0].to_vector<int32_t>(), (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(batch[1].data<float>()[5], 201.0F);
}

TEST(ArraySourceTest, FillRefusesABatchOfOtherSpecsThanWereTold) {
  const auto source = array_source(range(5), {}, {}, {.batch_size = 2});
  std::vector<int32_t> data(2, -1);
  void* const buffers[] = {data.data()};
  const int64_t full = source->signature();
  EXPECT_TRUE(source->fill(buffers));
  EXPECT_TRUE(source->fill(buffers));
  EXPECT_FALSE(source->fill(buffers));  // one row is left
  EXPECT_EQ(data, (std::vector<int32_t>{2, 3}));
  EXPECT_EQ(source->batch_rows(), 1);
  EXPECT_NE(source->signature(), full);
  EXPECT_TRUE(source->fill(buffers));
  EXPECT_EQ(data, (std::vector<int32_t>{4, 3}));
  EXPECT_FALSE(source->fill(buffers));
  source->reset();
  EXPECT_FALSE(source->fill(buffers));  // announced with one row, now it has two
  EXPECT_EQ(source->signature(), full);
  EXPECT_TRUE(source->fill(buffers));
}

TEST(ArraySourceTest, ShufflesRowsTogetherAndAnewInEachPass) {
  constexpr int64_t kRows = 50;
  // Each width is copied by a different loop.
  for (const int64_t width : {1, 2, 3, 5, 10, 64, 65, 1000}) {
    const ArraySourceOptions options = {.batch_size = 8, .shuffle = true, .seed = 5};
    const auto source = array_source(table<float>(kRows, width), range(kRows), {}, options);
    const auto twin = array_source(table<float>(kRows, width), range(kRows), {}, options);
    std::vector<int32_t> previous;
    for (int pass = 0; pass < 3; ++pass) {
      std::vector<int32_t> rows;
      for (Tensors batch; !(batch = next_batch(*source)).empty();) {
        for (int64_t i = 0; i < batch[1].dim(0); ++i) {
          const int32_t row = batch[1].data<int32_t>()[i];
          rows.push_back(row);
          for (int64_t j = 0; j < width; ++j) {
            ASSERT_EQ(batch[0].data<float>()[i * width + j],
                      static_cast<float>(int64_t{100} * row + j));
          }
        }
        EXPECT_EQ(next_batch(*twin)[1].to_vector<int32_t>(), batch[1].to_vector<int32_t>());
      }
      EXPECT_NE(rows, previous);
      EXPECT_FALSE(std::is_sorted(rows.begin(), rows.end()));
      previous = rows;
      std::sort(rows.begin(), rows.end());
      EXPECT_EQ(rows, range(kRows).to_vector<int32_t>());
      source->reset();
      twin->reset();
    }
  }
}

TEST(ArraySourceTest, CopiesRowsOfEverySize) {
  for (int64_t width = 1; width < 300; ++width) {
    const auto source = array_source(table<uint8_t>(6, width), range(6), {},
                                     {.batch_size = 6, .shuffle = true, .seed = 1});
    const Tensors batch = next_batch(*source);
    for (int64_t i = 0; i < 6; ++i) {
      const int32_t row = batch[1].data<int32_t>()[i];
      for (int64_t j = 0; j < width; ++j) {
        ASSERT_EQ(batch[0].data<uint8_t>()[i * width + j],
                  static_cast<uint8_t>(int64_t{100} * row + j));
      }
    }
  }
}

TEST(ArraySourceTest, Float64BecomesFloat32OthersStay) {
  const auto source = array_source(Tensor::of<double>({0.1, 0.2}), Tensor::of<int64_t>({1, 2}),
                                   Tensor::of<bool>({true, false}), {.batch_size = 2});
  const Tensors batch = next_batch(*source);
  EXPECT_EQ(batch[0].to_vector<float>(), (std::vector<float>{0.1F, 0.2F}));
  EXPECT_EQ(batch[1].to_vector<int64_t>(), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(batch[2].to_vector<bool>(), (std::vector<bool>{true, false}));
}

TEST(ArraySourceTest, RowsWithoutElementsAreRows) {
  const auto source =
      array_source(Tensor::zeros(DType::float32, {5, 0}), {}, {}, {.batch_size = 2});
  EXPECT_EQ(source->num_batches(), 3);
  EXPECT_EQ(next_batch(*source)[0].shape(), Shape({2, 0}));
}

TEST(ArraySourceTest, SaysWhatIsWrongWithTheArrays) {
  EXPECT_EQ(message([] {
              array_source(Nest{range(4), range(5)}, range(3), range(4));
            }),
            "Data cardinality is ambiguous:\n"
            "  x sizes: 4, 5\n"
            "  y sizes: 3\n"
            "  sample_weight sizes: 4\n"
            "Make sure all arrays contain the same number of samples.");
  EXPECT_NE(message([] { array_source(range(0), {}, {}); }).find("non-empty"), std::string::npos);
  EXPECT_NE(message([] { array_source({}, range(3), {}); }).find("`x`"), std::string::npos);
  EXPECT_NE(message([] { array_source(Tensor(1.0F), {}, {}); }).find("scalar"), std::string::npos);
  EXPECT_NE(message([] { array_source(range(3), {}, {}, {.batch_size = 0}); }).find("batch_size"),
            std::string::npos);
}

TEST(SplitTailTest, TakesTheTailWithoutCopies) {
  const Tensor x = table<float>(10, 3);
  const auto [head, tail] = split_tail(Nest{x, range(10), Nest()}, 0.25);
  EXPECT_EQ(head[0].tensor().shape(), Shape({7, 3}));
  EXPECT_EQ(tail[0].tensor().shape(), Shape({3, 3}));
  EXPECT_EQ(head[0].tensor().data(), x.data());
  EXPECT_EQ(tail[0].tensor().data(), x.data<float>() + 21);
  EXPECT_EQ(tail[1].tensor().to_vector<int32_t>(), (std::vector<int32_t>{7, 8, 9}));
  EXPECT_TRUE(head[2].is_none());
  EXPECT_TRUE(tail[2].is_none());
}

TEST(SplitTailTest, ViewsKeepTheBytesAlive) {
  Nest tail;
  {
    const Tensor x = range(1000);
    tail = split_tail(x, 0.5).second;
  }
  EXPECT_EQ(tail.tensor().data<int32_t>()[499], 999);
}

TEST(SplitTailTest, RefusesAnEmptySide) {
  EXPECT_THROW(split_tail(range(1), 0.5), ValueError);
  EXPECT_THROW(split_tail(range(10), 0.0), ValueError);
  EXPECT_THROW(split_tail(range(10), 1.0), ValueError);
  EXPECT_THROW(split_tail(range(10), -0.5), ValueError);
  EXPECT_THROW(split_tail(range(10), 0.99), ValueError);
  EXPECT_THROW(split_tail(Nest{range(4), range(5), Nest()}, 0.5), ValueError);
}

}  // namespace
}  // namespace antler::data
