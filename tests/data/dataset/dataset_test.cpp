#include "antler/data/dataset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/data/coroutine.h"

namespace antler::data {
namespace {

using Values = std::vector<int64_t>;

/// All numbers of a data set of integers, with batches concatenated.
Values values(const Dataset& dataset, const Pass& pass = {}) {
  Values result;
  Nest element;
  const auto elements = dataset.iterate(pass);
  while (elements->next(element)) {
    for (const Tensor& leaf : element.flatten())
      for (const double v : leaf.to_doubles()) result.push_back(static_cast<int64_t>(v));
  }
  return result;
}

Values iota(int64_t n) {
  Values result(static_cast<size_t>(n));
  std::iota(result.begin(), result.end(), 0);
  return result;
}

Tensor number(int64_t value) { return Tensor::of(Values{value}, {}); }

/// Sleeps for different times per element, so that threads overtake each other.
void dawdle(int64_t value) {
  std::this_thread::sleep_for(std::chrono::microseconds(value * 37 % 200));
}

TEST(Dataset, Range) {
  EXPECT_EQ(values(Dataset::range(4)), (Values{0, 1, 2, 3}));
  EXPECT_EQ(values(Dataset::range(2, 9, 3)), (Values{2, 5, 8}));
  EXPECT_EQ(values(Dataset::range(3, -2, -2)), (Values{3, 1, -1}));
  EXPECT_EQ(values(Dataset::range(3, 1)), Values{});
  EXPECT_EQ(Dataset::range(2, 9, 3).cardinality(), 3);
  EXPECT_THROW(Dataset::range(0, 1, 0), ValueError);
}

TEST(Dataset, SlicesShareTheBytesOfTheArrays) {
  const Tensor x = Tensor::of(std::vector<float>{1, 2, 3, 4, 5, 6}, {3, 2});
  const Tensor y = Tensor::of(Values{7, 8, 9});
  const Dataset dataset = Dataset::from_tensor_slices({x, y});
  EXPECT_EQ(dataset.cardinality(), 3);
  int64_t row = 0;
  for (const Nest& element : dataset) {
    EXPECT_EQ(element[0].tensor().shape(), (Shape{2}));
    EXPECT_EQ(element[0].tensor().data<float>(), x.data<float>() + 2 * row);
    EXPECT_EQ(element[1].tensor().item(), 7.0 + static_cast<double>(row));
    ++row;
  }
  EXPECT_EQ(row, 3);
  EXPECT_THROW(Dataset::from_tensor_slices({x, number(1)}), ValueError);
  EXPECT_THROW(Dataset::from_tensor_slices({x, Tensor::of(Values{1})}), ValueError);
}

TEST(Dataset, SlicesKeepDictionaries) {
  const Tensor a = Tensor::of(Values{1, 2});
  const Tensor b = Tensor::of(Values{3, 4});
  const Dataset dataset = Dataset::from_tensor_slices(Nest::dict({{"b", b}, {"a", a}})).batch(2);
  const Nest element = *dataset.begin();
  EXPECT_EQ(element.structure(), "{a: *, b: *}");
  EXPECT_EQ(element.at("a").tensor().to_vector<int64_t>(), (Values{1, 2}));
}

TEST(Dataset, BatchJoinsAlongANewAxis) {
  const Dataset dataset = Dataset::range(5).batch(2);
  EXPECT_EQ(dataset.cardinality(), 3);
  std::vector<Values> batches;
  for (const Nest& element : dataset) batches.push_back(element.tensor().to_vector<int64_t>());
  EXPECT_EQ(batches, (std::vector<Values>{{0, 1}, {2, 3}, {4}}));
  const Dataset whole = Dataset::range(5).batch(2, {.drop_remainder = true});
  EXPECT_EQ(whole.cardinality(), 2);
  EXPECT_EQ(values(whole), (Values{0, 1, 2, 3}));
  EXPECT_EQ(values(dataset.unbatch().batch(4)), iota(5));
  EXPECT_THROW(Dataset::range(5).batch(0), ValueError);
}

TEST(Dataset, WindowsAreThoseOfTfData) {
  const auto windows = [](int64_t count, int64_t size, const WindowOptions& options) {
    const Dataset dataset = Dataset::range(count).window(size, options);
    std::vector<Values> result;
    for (const Nest& element : dataset) result.push_back(element.tensor().to_vector<int64_t>());
    EXPECT_EQ(dataset.cardinality(), std::ssize(result));
    return result;
  };
  using Windows = std::vector<Values>;
  EXPECT_EQ(windows(7, 3, {}), (Windows{{0, 1, 2}, {3, 4, 5}, {6}}));
  EXPECT_EQ(windows(5, 3, {.shift = 1}), (Windows{{0, 1, 2}, {1, 2, 3}, {2, 3, 4}, {3, 4}, {4}}));
  EXPECT_EQ(windows(5, 3, {.shift = 1, .drop_remainder = true}),
            (Windows{{0, 1, 2}, {1, 2, 3}, {2, 3, 4}}));
  EXPECT_EQ(windows(7, 3, {.shift = 1, .stride = 2, .drop_remainder = true}),
            (Windows{{0, 2, 4}, {1, 3, 5}, {2, 4, 6}}));
  EXPECT_EQ(windows(7, 2, {.shift = 3, .stride = 2}), (Windows{{0, 2}, {3, 5}, {6}}));
  EXPECT_EQ(windows(9, 2, {.shift = 4}), (Windows{{0, 1}, {4, 5}, {8}}));
  EXPECT_EQ(windows(2, 3, {.drop_remainder = true}), Windows{});
  EXPECT_EQ(windows(0, 3, {}), Windows{});
  const Tensor x = Tensor::of(iota(8), {4, 2});
  const Dataset pairs = Dataset::from_tensor_slices(x, x).window(2, {.drop_remainder = true});
  EXPECT_EQ((*pairs.element_spec())[0].tensor().shape(), Shape({2, 2}));
  EXPECT_EQ((*pairs.begin())[1].tensor().to_vector<int64_t>(), iota(4));
  const auto whole = [](const Dataset& window) { return window.batch(3); };
  EXPECT_EQ(
      values(Dataset::range(4).window(3, {.shift = 1, .drop_remainder = true}).flat_map(whole)),
      (Values{0, 1, 2, 1, 2, 3}));
  EXPECT_THROW(Dataset::range(5).window(0), ValueError);
  EXPECT_THROW(Dataset::range(5).window(2, {.shift = 0}), ValueError);
  EXPECT_THROW(Dataset::range(5).window(2, {.stride = 0}), ValueError);
}

TEST(Dataset, BatchesOfSlicesAreThoseOfTheirElements) {
  // Rows of 64 bytes, whose memory a batch shares, and of 8, whose memory it may have to copy.
  const Tensor x = Tensor::of(iota(80), {10, 8});
  const Tensor y = Tensor::of(iota(10), {10});
  const auto slices = Dataset::from_tensor_slices(x, y);
  const auto one_by_one = slices.map([](const Nest& row) { return row; });
  for (const int64_t size : {1, 3, 4, 10, 23}) {
    for (const int64_t passes : {1, 3}) {
      for (const bool drop : {false, true}) {
        const BatchOptions options{.drop_remainder = drop};
        EXPECT_EQ(values(slices.repeat(passes).batch(size, options)),
                  values(one_by_one.repeat(passes).batch(size, options)))
            << size << " " << passes << " " << drop;
      }
    }
  }
  Nest batch;
  const auto batches = slices.batch(3).iterate();
  ASSERT_TRUE(batches->next(batch) && batches->next(batch));
  EXPECT_EQ(batch[0].tensor().data(), x.data<int64_t>() + 24);
}

TEST(Dataset, BatchRefusesElementsThatDoNotFit) {
  const auto mixed = [](const Nest& second) {
    return Dataset::from_tensors(number(1)).concatenate(Dataset::from_tensors(second)).batch(2);
  };
  EXPECT_THROW(values(mixed(Tensor::of(Values{1, 2}))), ValueError);
  EXPECT_THROW(values(mixed(Tensor::of(std::vector<float>{1}, {}))), ValueError);
  EXPECT_THROW(values(mixed(Nest{number(1)})), ValueError);
  EXPECT_EQ(values(mixed(number(2))), (Values{1, 2}));
}

TEST(Dataset, ShuffleIsAPermutationThatItsSeedDecides) {
  const Dataset dataset = Dataset::range(100).shuffle(100, {.seed = 3});
  const Values order = values(dataset);
  EXPECT_EQ(values(dataset), order);
  EXPECT_NE(order, iota(100));
  EXPECT_NE(values(dataset, {.seed = 0, .number = 1}), order);
  Values sorted = order;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, iota(100));
  EXPECT_NE(values(Dataset::range(100).shuffle(100, {.seed = 4})), order);
  // Without a seed the seed of the pass is used.
  const Dataset open = Dataset::range(100).shuffle(100);
  EXPECT_EQ(values(open, {.seed = 3}), order);
  EXPECT_NE(values(open, {.seed = 4}), order);
  const Dataset fixed =
      Dataset::range(100).shuffle(100, {.seed = 3, .reshuffle_each_iteration = false});
  EXPECT_EQ(values(fixed, {.seed = 0, .number = 5}), values(fixed));
}

TEST(Dataset, ShuffleDrawsFromItsBuffer) {
  // The element at index i is one of the first i + buffer.
  const Values order = values(Dataset::range(1000).shuffle(10));
  for (size_t i = 0; i < order.size(); ++i) EXPECT_LT(order[i], static_cast<int64_t>(i) + 10);
  EXPECT_EQ(values(Dataset::range(20).shuffle(1)), iota(20));
  EXPECT_THROW(Dataset::range(1).shuffle(0), ValueError);
}

TEST(Dataset, FirstPlaceIsUniformOverTheBuffer) {
  std::vector<int> counts(5);
  const Dataset dataset = Dataset::range(5).shuffle(5, {.seed = 1});
  constexpr int kDraws = 5000;
  for (uint64_t pass = 0; pass < kDraws; ++pass)
    ++counts[static_cast<size_t>(values(dataset, {.seed = 0, .number = pass})[0])];
  double chi_squared = 0;
  for (const int count : counts) {
    const double difference = count - kDraws / 5.0;
    chi_squared += difference * difference / (kDraws / 5.0);
  }
  EXPECT_LT(chi_squared, 23.5);  // 4 degrees of freedom, one in 10,000
}

TEST(Dataset, RepeatReshufflesEachTime) {
  const Values twice = values(Dataset::range(50).shuffle(50).repeat(2));
  ASSERT_EQ(twice.size(), 100U);
  const Values first(twice.begin(), twice.begin() + 50);
  const Values second(twice.begin() + 50, twice.end());
  EXPECT_NE(first, second);
  EXPECT_EQ(std::set<int64_t>(second.begin(), second.end()).size(), 50U);
  EXPECT_EQ(Dataset::range(3).repeat().cardinality(), Dataset::kInfinite);
  EXPECT_EQ(values(Dataset::range(3).repeat().take(7)), (Values{0, 1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(values(Dataset::range(3).repeat(0)), Values{});
  EXPECT_EQ(values(Dataset::range(0).repeat()), Values{});  // ends
  EXPECT_EQ(values(Dataset::range(3).filter([](const Nest&) { return false; }).repeat()), Values{});
}

TEST(Dataset, TakeSkipShardConcatenateZipEnumerate) {
  const Dataset ten = Dataset::range(10);
  EXPECT_EQ(values(ten.take(3)), iota(3));
  EXPECT_EQ(values(ten.take(-1)), iota(10));
  EXPECT_EQ(values(ten.skip(8)), (Values{8, 9}));
  EXPECT_EQ(values(ten.skip(-1)), Values{});
  EXPECT_EQ(values(ten.skip(20)), Values{});
  EXPECT_EQ(ten.skip(20).cardinality(), 0);
  EXPECT_EQ(values(ten.shard(4, 1)), (Values{1, 5, 9}));
  EXPECT_EQ(ten.shard(4, 1).cardinality(), 3);
  EXPECT_EQ(ten.shard(4, 2).cardinality(), 2);
  EXPECT_THROW(ten.shard(4, 4), ValueError);
  EXPECT_EQ(values(ten.take(2).concatenate(ten.skip(8))), (Values{0, 1, 8, 9}));
  EXPECT_EQ(ten.concatenate(ten.repeat()).cardinality(), Dataset::kInfinite);
  const Dataset zipped = Dataset::zip({ten, ten.skip(7)});
  EXPECT_EQ(zipped.cardinality(), 3);
  EXPECT_EQ(values(zipped), (Values{0, 7, 1, 8, 2, 9}));
  EXPECT_EQ(values(ten.skip(8).enumerate(5)), (Values{5, 8, 6, 9}));
}

TEST(Dataset, Cardinalities) {
  const Dataset some = Dataset::range(10).filter([](const Nest&) { return true; });
  EXPECT_EQ(some.cardinality(), Dataset::kUnknown);
  EXPECT_EQ(some.batch(2).cardinality(), Dataset::kUnknown);
  EXPECT_EQ(some.repeat().cardinality(), Dataset::kInfinite);
  EXPECT_EQ(some.repeat().take(4).cardinality(), 4);
  EXPECT_EQ(some.take(4).cardinality(), Dataset::kUnknown);
  EXPECT_EQ(Dataset::zip({some, Dataset::range(3)}).cardinality(), Dataset::kUnknown);
  EXPECT_EQ(Dataset::zip({Dataset::range(2).repeat(), Dataset::range(3)}).cardinality(), 3);
  EXPECT_EQ(Dataset::range(3).repeat().batch(2).cardinality(), Dataset::kInfinite);
  EXPECT_EQ(Dataset::range(3).repeat(4).cardinality(), 12);
  EXPECT_EQ(Dataset::range(7).shuffle(2).prefetch(1).cache().cardinality(), 7);
}

TEST(Dataset, FilterAndFlatMap) {
  const Dataset even = Dataset::range(6).filter(
      [](const Nest& e) { return static_cast<int64_t>(e.tensor().item()) % 2 == 0; });
  EXPECT_EQ(values(even), (Values{0, 2, 4}));
  const Dataset nested = Dataset::range(4).flat_map(
      [](const Nest& e) { return Dataset::range(static_cast<int64_t>(e.tensor().item())); });
  EXPECT_EQ(values(nested), (Values{0, 0, 1, 0, 1, 2}));
}

Nest square(const Nest& element) {
  const auto v = static_cast<int64_t>(element.tensor().item());
  dawdle(v);
  return number(v * v);
}

TEST(Dataset, FunctionsOfTheParts) {
  const Dataset pairs = Dataset::from_tensor_slices(
      {Tensor::of<int64_t>({1, 2, 3, 4}), Tensor::of<int64_t>({10, 20, 30, 40})});
  const Dataset swapped =
      pairs.map([](const Tensor& a, const Tensor& b) { return std::pair(b, a); });
  EXPECT_EQ(values(swapped), (Values{10, 1, 20, 2, 30, 3, 40, 4}));
  // The predicate returns a tensor, as comparisons do, or a bool.
  const Dataset large =
      pairs.filter([](const Tensor&, const Tensor& b) { return Tensor(b.item() > 20); });
  EXPECT_EQ(values(large), (Values{3, 30, 4, 40}));
  EXPECT_EQ(values(Dataset::range(9).filter([](const Tensor& t) { return t.item() > 6; })),
            (Values{7, 8}));
  // Functions with a state.
  const Dataset second = Dataset::range(6).filter(
      [calls = 0](const Tensor&) mutable { return Tensor(++calls % 2 == 0); });
  EXPECT_EQ(values(second), (Values{1, 3, 5}));
  const Dataset three = Dataset::zip({pairs, Dataset::range(4), Dataset::range(4)});
  const auto last = [](const Nest& pair, const Tensor& a, const Tensor& b) {
    return std::tuple(b, pair, a);
  };
  EXPECT_EQ(values(three.map(last).take(2)), (Values{0, 1, 10, 0, 1, 2, 20, 1}));
  // A wrong number of parts.
  EXPECT_THROW(values(Dataset::range(1).map([](const Tensor& a, const Tensor&) { return a; })),
               ValueError);
}

TEST(Dataset, InterleavesInTheOrderOfTfData) {
  struct Case {
    Values lengths;
    InterleaveOptions options;
    Values expected;  // of TensorFlow 2.21
  };
  const Case cases[] = {
      {{4, 0}, {.cycle_length = 3}, {0, 0, 0, 0}},
      {{3, 3, 5, 3}, {.cycle_length = 2}, {0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 2}},
      {{0, 3, 3}, {.cycle_length = 1, .block_length = 3}, {1, 1, 1, 2, 2, 2}},
      {{5, 1}, {.cycle_length = 4, .block_length = 2}, {0, 0, 1, 0, 0, 0}},
      {{5, 2, 0, 5, 2, 5},
       {.cycle_length = 4, .block_length = 3},
       {0, 0, 0, 1, 1, 3, 3, 3, 0, 0, 4, 4, 5, 5, 5, 3, 3, 5, 5}},
      {{1, 2, 2, 4, 3, 4},
       {.cycle_length = 4, .block_length = 3},
       {0, 1, 1, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 3, 5}},
  };
  for (const Case& c : cases) {
    const auto repeated = [&](const Nest& i) {
      const auto n = static_cast<size_t>(i.tensor().item());
      return Dataset::from_tensors(i).repeat(5).take(c.lengths[n]);
    };
    const Dataset numbers = Dataset::range(std::ssize(c.lengths));
    EXPECT_EQ(values(numbers.interleave(repeated, c.options)), c.expected);
    InterleaveOptions ahead = c.options;
    ahead.num_parallel_calls = AUTOTUNE;
    EXPECT_EQ(values(numbers.interleave(repeated, ahead)), c.expected);
  }
  const auto same = [](const Nest& i) { return Dataset::from_tensors(i); };
  EXPECT_EQ(values(Dataset::range(9).interleave(same)), iota(9));
  EXPECT_THROW(Dataset::range(2).interleave(same, {.cycle_length = 0}), ValueError);
  EXPECT_THROW(Dataset::range(2).interleave(same, {.block_length = 0}), ValueError);
  EXPECT_THROW(Dataset::range(2).interleave(same, {.num_parallel_calls = 0}), ValueError);
}

TEST(Dataset, ReducesToOneValue) {
  const auto add = [](const Nest& state, const Nest& element) -> Nest {
    return Tensor(state.tensor().item() + element.tensor().item());
  };
  EXPECT_EQ(Dataset::range(5).reduce(Tensor(0.0), add).tensor().item(), 10);
  EXPECT_EQ(Dataset::range(0).reduce(Tensor(7.0), add).tensor().item(), 7);
}

TEST(Dataset, MapKeepsTheOrderWhateverTheNumberOfThreads) {
  const Values expected = values(Dataset::range(200).map(square));
  EXPECT_EQ(expected[14], 196);
  for (const int64_t threads : {2, 3, 8}) {
    EXPECT_EQ(values(Dataset::range(200).map(square, {.num_parallel_calls = threads})), expected);
  }
  EXPECT_THROW(Dataset::range(1).map(square, {.num_parallel_calls = 0}), ValueError);
}

TEST(Dataset, MapCallsFromSeveralThreads) {
  std::mutex mutex;
  std::condition_variable both;
  int inside = 0;
  bool met = false;
  const Dataset dataset = Dataset::range(2).map(
      [&](const Nest& e) {
        std::unique_lock lock(mutex);
        met = ++inside == 2 || met;
        both.notify_all();
        both.wait_for(lock, std::chrono::seconds(10), [&] { return met; });
        return e;
      },
      {.num_parallel_calls = 2});
  EXPECT_EQ(values(dataset), (Values{0, 1}));
  EXPECT_TRUE(met);
}

TEST(Dataset, ExceptionsComeOutWhereTheElementIsPulled) {
  const auto fail_at_three = [](const Nest& e) -> Nest {
    if (e.tensor().item() == 3) throw ValueError("three");
    return e;
  };
  for (const int64_t threads : {1, 4}) {
    const Dataset dataset =
        Dataset::range(10).map(fail_at_three, {.num_parallel_calls = threads}).prefetch(2);
    const auto elements = dataset.iterate();
    Nest element;
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(elements->next(element));
      EXPECT_EQ(element.tensor().item(), i);
    }
    EXPECT_THROW(elements->next(element), ValueError);
  }
}

TEST(Dataset, PrefetchIsNoMoreThanItsBufferAhead) {
  std::atomic<int64_t> made{0};
  const Dataset dataset = Dataset::range(100)
                              .map([&](const Nest& e) {
                                ++made;
                                return e;
                              })
                              .prefetch(3);
  const auto elements = dataset.iterate();
  EXPECT_EQ(made, 0);  // nothing runs before the first element is requested
  Nest element;
  for (int64_t pulled = 1; pulled <= 20; ++pulled) {
    ASSERT_TRUE(elements->next(element));
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    // Three are in the buffer, and one may be in progress.
    EXPECT_LE(made, pulled + 4);
  }
  for (int i = 0; i < 200 && made < 23; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GE(made, 23);  // and it does run ahead
}

TEST(Dataset, PipelinesMayBeAbandonedMidway) {
  for (int repetition = 0; repetition < 20; ++repetition) {
    const auto elements = Dataset::range(1000)
                              .repeat()
                              .map(square, {.num_parallel_calls = 3})
                              .shuffle(10)
                              .batch(4)
                              .prefetch(2)
                              .iterate();
    Nest element;
    for (int i = 0; i < repetition; ++i) ASSERT_TRUE(elements->next(element));
  }
}

TEST(Dataset, CacheRunsThePipelineOnce) {
  int64_t calls = 0;
  const Dataset dataset = Dataset::range(5)
                              .map([&](const Nest& e) {
                                ++calls;
                                return e;
                              })
                              .cache();
  Nest element;
  const auto partial = dataset.iterate();
  ASSERT_TRUE(partial->next(element));
  EXPECT_EQ(calls, 1);  // an unfinished pass is not cached
  EXPECT_EQ(values(dataset), iota(5));
  EXPECT_EQ(calls, 6);
  EXPECT_EQ(values(dataset.repeat(2)).size(), 10U);
  EXPECT_EQ(calls, 6);
}

Coroutine<Nest> count_to(int64_t n) {
  for (int64_t i = 0; i < n; ++i) co_yield number(i);
}

TEST(Dataset, FromGenerators) {
  const Dataset functions = Dataset::from_generator([] {
    return [i = int64_t{0}]() mutable -> std::optional<Nest> {
      if (i == 3) return std::nullopt;
      return number(i++);
    };
  });
  EXPECT_EQ(values(functions), iota(3));
  EXPECT_EQ(values(functions), iota(3));  // each pass makes another generator
  EXPECT_EQ(functions.cardinality(), Dataset::kUnknown);
  EXPECT_EQ(values(Dataset::from_generator([] { return count_to(4); })), iota(4));
  std::vector<Nest> list = {number(5), number(6)};
  EXPECT_EQ(values(Dataset::from_generator([list] { return list; })), (Values{5, 6}));
  EXPECT_EQ(values(Dataset::from_generator([] { return count_to(0); })), Values{});
}

Coroutine<Nest> broken() {
  co_yield number(1);
  throw IOError("disk");
}

TEST(Dataset, ExceptionsOfACoroutineComeOut) {
  const auto elements = Dataset::from_generator([] { return broken(); }).prefetch(1).iterate();
  Nest element;
  EXPECT_TRUE(elements->next(element));
  EXPECT_THROW(elements->next(element), IOError);
}

}  // namespace
}  // namespace antler::data
