#include <random>

#include <gtest/gtest.h>

#include "compiler/arena.h"
#include "compiler/clusters.h"
#include "compiler/index_form.h"
#include "compiler/nest_shape.h"
#include "compiler/pattern.h"

// The small parts of fusion and placement by themselves.
namespace antler::compiler {
namespace {

TEST(Pattern, NeighboursOfAKindMerge) {
  EXPECT_EQ(Pattern::of({2, 1, 3, 4}, {true, false, true, false}).blocks,
            (std::vector<Pattern::Block>{{6, true}, {4, false}}));
  EXPECT_TRUE(Pattern::of({2, 3}, {true, true}).is_whole());
  EXPECT_TRUE(Pattern::of_reduction({5, 6}, {0}).is_column());
  EXPECT_FALSE(Pattern::of_reduction({5, 6}, {1}).is_column());
  EXPECT_EQ(Pattern::of_broadcast({5, 6}, {5, 1}, {0, 1}), Pattern::of_reduction({5, 6}, {1}));
}

TEST(Pattern, CompositionCutsBlocks) {
  // space [8, 10] -> array [8] -> its second half of dimensions [2, 4] -> [4]
  const Pattern rows = Pattern::of({8, 10}, {true, false});
  const Pattern tail = Pattern::of({2, 4}, {false, true});
  EXPECT_EQ(compose(rows, tail)->blocks,
            (std::vector<Pattern::Block>{{2, false}, {4, true}, {10, false}}));
  EXPECT_FALSE(
      compose(Pattern::of({6, 10, 4}, {true, false, true}), Pattern::of({8, 3}, {false, true}))
          .has_value());
}

TEST(Pattern, CommonRefinements) {
  EXPECT_EQ(refine({64, 784}, {64, 28, 28}), (std::vector<int64_t>{64, 28, 28}));
  EXPECT_EQ(refine({24}, {6, 4}), (std::vector<int64_t>{6, 4}));
  EXPECT_EQ(refine({}, {1}), (std::vector<int64_t>{}));
  EXPECT_FALSE(refine({6, 4}, {8, 3}).has_value());
}

TEST(IndexForm, DelinearizesAFlatIndex) {
  // 4 + 5 i - k in an array [6, 5]: rows from the first, each backwards.
  SplitNeeded problem;
  const auto dims = delinearize({4, {5, -1}}, {6, 5}, {6, 5}, problem);
  ASSERT_TRUE(dims.has_value());
  EXPECT_EQ((*dims)[0], (IndexForm{0, {1, 0}}));
  EXPECT_EQ((*dims)[1], (IndexForm{4, {0, -1}}));
}

TEST(IndexForm, AsksForASplit) {
  SplitNeeded problem;
  EXPECT_FALSE(delinearize({0, {1}}, {6, 5}, {30}, problem).has_value());
  EXPECT_EQ(problem.variable, 0);
  EXPECT_EQ(problem.inner, 5);
  EXPECT_FALSE(delinearize({0, {1}}, {8, 3}, {4}, problem).has_value());
  EXPECT_EQ(problem.variable, -1);  // 4 steps of 1 do not end at rows of 3
}

TEST(Clusters, MergingKeepsTheOrder) {
  // a -> b -> c, a -> d
  ClusterGraph graph;
  const int d = graph.add({});
  const int c = graph.add({});
  const int b = graph.add({});
  const int a = graph.add({});
  graph.add_edge(a, b);
  graph.add_edge(b, c);
  graph.add_edge(a, d);
  EXPECT_TRUE(graph.reaches(a, c));
  EXPECT_FALSE(graph.reaches(d, c));
  EXPECT_TRUE(graph.reaches_indirectly(a, c));
  EXPECT_FALSE(graph.reaches_indirectly(a, b));
  graph.merge(b, d);
  EXPECT_EQ(graph.find(d), graph.find(b));
  EXPECT_TRUE(graph.reaches(d, c));
  EXPECT_FALSE(graph.reaches(c, a));
}

TEST(Arena, BytesInUseAtOneTimeDoNotOverlap) {
  std::mt19937 engine(7);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(engine);
  };
  for (int round = 0; round < 50; ++round) {
    std::vector<Interval> intervals;
    std::vector<int64_t> in_use(40, 0);
    for (int i = 0; i < 40; ++i) {
      const int first = pick(0, 30);
      Interval x{int64_t{pick(0, 40)} * 50, first, first + pick(0, 8), 0};
      for (int t = x.first; t <= x.last; ++t) {
        in_use[static_cast<size_t>(t)] +=
            std::max<int64_t>(kAlignment, (x.bytes + kAlignment - 1) / kAlignment * kAlignment);
      }
      intervals.push_back(x);
    }
    const int64_t size = pack(intervals);
    for (const Interval& x : intervals) {
      EXPECT_EQ(x.offset % kAlignment, 0);
      EXPECT_LE(x.offset + x.bytes, size);
      for (const Interval& y : intervals) {
        if (&x == &y || x.last < y.first || y.last < x.first) continue;
        EXPECT_TRUE(x.offset + x.bytes <= y.offset || y.offset + y.bytes <= x.offset);
      }
    }
    // Near the least possible: what is in use at the worst moment.
    EXPECT_LE(size, *std::max_element(in_use.begin(), in_use.end()) * 3 / 2);
  }
}

TEST(NestShape, NeighbourDimensionsMerge) {
  LoopNest nest;
  nest.extents = {4, 1, 5};
  nest.buffers = {{DType::float32, false}, {DType::float32, true}};
  Expr load;
  load.kind = Expr::Kind::load;
  load.access = {0, 0, {5, 0, 1}, {}};
  nest.phases = {{{}, {load}, {{{1, 0, {5, 7, 1}, {}}, DType::float32, 0}}, {}}};
  merge_dimensions(nest);
  EXPECT_EQ(nest.extents, (std::vector<int64_t>{20}));
  EXPECT_TRUE(is_copy(nest));
  nest.phases[0].exprs[0].access.parallel = {2};
  EXPECT_FALSE(is_copy(nest));
}

}  // namespace
}  // namespace antler::compiler
