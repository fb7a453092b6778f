#include "runtime/cpu/gemm/dot_split.h"

#include <gtest/gtest.h>

#include "runtime/kernel_harness.h"
#include "support/op_harness.h"

namespace antler {
namespace {

using runtime::DotLayout;
using runtime::DotShare;
using runtime::DotSplit;
using runtime::split_dot;
using test::check_kernels;
using test::random_tensor;

/// x [m, k] times w [k, n], or one of its gradients.
DotLayout layout(int64_t m, int64_t k, int64_t n, bool lhs_transposed = false,
                 bool rhs_transposed = false) {
  DotLayout d;
  d.m = m;
  d.k = k;
  d.n = n;
  d.lhs.free_stride = lhs_transposed ? 1 : k;
  d.lhs.contract_stride = lhs_transposed ? m : 1;
  d.rhs.free_stride = rhs_transposed ? k : 1;
  d.rhs.contract_stride = rhs_transposed ? 1 : n;
  d.lhs.batch = d.rhs.batch = {0};
  return d;
}

TEST(DotSplit, CutsTheRowsOfTheWeightsInAllThreeProducts) {
  // Weights [784, 512], 64 samples.
  const DotSplit forward = split_dot(layout(64, 784, 512), 2, true);
  ASSERT_EQ(forward.shares.size(), 2);
  EXPECT_TRUE(forward.split_k);
  EXPECT_EQ(forward.shares[1].k, 784 - forward.shares[0].k);
  EXPECT_EQ(forward.shares[1].rhs_offset, forward.shares[0].k * 512);
  EXPECT_EQ(forward.shares[1].lhs_offset, forward.shares[0].k);

  const DotSplit input_grad = split_dot(layout(64, 512, 784, false, true), 2, true);
  ASSERT_EQ(input_grad.shares.size(), 2);
  EXPECT_FALSE(input_grad.split_k);
  EXPECT_EQ(input_grad.shares[0].n + input_grad.shares[1].n, 784);
  EXPECT_EQ(input_grad.shares[1].rhs_offset, input_grad.shares[0].n * 512);
  EXPECT_EQ(input_grad.shares[1].result_offset, input_grad.shares[0].n);

  const DotSplit weights_grad = split_dot(layout(784, 64, 512, true, false), 2, true);
  ASSERT_EQ(weights_grad.shares.size(), 2);
  EXPECT_EQ(weights_grad.shares[0].m, 392);
  EXPECT_EQ(weights_grad.shares[1].lhs_offset, 392);
  EXPECT_EQ(weights_grad.shares[1].result_offset, 392 * 512);
}

TEST(DotSplit, LeavesWhatDoesNotPay) {
  EXPECT_TRUE(split_dot(layout(64, 784, 512), 1, true).shares.empty()) << "one thread";
  EXPECT_TRUE(split_dot(layout(6400, 128, 100), 2, true).shares.empty()) << "many samples";
  EXPECT_TRUE(split_dot(layout(128, 6400, 256, true), 2, false).shares.empty())
      << "a gradient with a large k in bfloat16";
  DotLayout several = layout(64, 784, 512);
  several.batches = 3;
  EXPECT_TRUE(split_dot(several, 2, true).shares.empty());
  // k is not much larger than m: adding partial results would cost as much as split-K saves.
  EXPECT_FALSE(split_dot(layout(200, 256, 512), 2, true).split_k);
  EXPECT_FALSE(split_dot(layout(64, 784, 512), 2, false).split_k);
  EXPECT_TRUE(split_dot(layout(20, 20, 20), 2, true).shares.empty());
}

TEST(DotSplit, CutsTheRowsOfTheGradientOfFewWeights) {
  for (const int64_t columns : {256, 64}) {
    const DotSplit split = split_dot(layout(128, 6400, columns, true), 2, true);
    ASSERT_EQ(split.shares.size(), 2);
    EXPECT_EQ(split.shares[1].m, 64);
    EXPECT_EQ(split.shares[1].lhs_offset, 64);
    EXPECT_EQ(split.shares[1].result_offset, 64 * columns);
  }
}

TEST(DotSplit, SharesCoverTheProduct) {
  for (const int threads : {2, 3, 5, 8}) {
    for (const DotLayout& d : {layout(64, 785, 515), layout(64, 515, 785, false, true),
                               layout(785, 64, 515, true, false)}) {
      const DotSplit split = split_dot(d, threads, true);
      ASSERT_EQ(split.shares.size(), static_cast<size_t>(threads));
      int64_t work = 0;
      for (const DotShare& share : split.shares) work += share.m * share.n * share.k;
      EXPECT_EQ(work, d.m * d.n * d.k) << threads;
    }
  }
}

TEST(DotSplit, ProductsOfSharesAreThoseOfTheReference) {
  const ir::Ints none;
  struct Case {
    Shape lhs;
    Shape rhs;
    int64_t lhs_contract;
    int64_t rhs_contract;
  };
  for (const auto& [lhs, rhs, lhs_contract, rhs_contract] :
       {Case{{33, 405}, {405, 131}, 1, 0},     // split-K
        Case{{33, 131}, {405, 131}, 1, 1},     // columns
        Case{{33, 405}, {33, 131}, 0, 0},      // rows
        Case{{1033, 67}, {1033, 35}, 0, 0},    // rows of a gradient with a large k
        Case{{1033, 640}, {1033, 300}, 0, 0},  // a copy of the left operand
        Case{{64, 515}, {515, 70}, 1, 0}}) {
    for (const DType dtype : {DType::float32, DType::bfloat16}) {
      const double tolerance = dtype == DType::float32 ? 1e-4 : 0.5;
      EXPECT_GE(check_kernels("dot_general",
                              {random_tensor(dtype, lhs), random_tensor(dtype, rhs, -1, 1, 2)},
                              {{"lhs_contract", ir::Ints{lhs_contract}},
                               {"rhs_contract", ir::Ints{rhs_contract}},
                               {"lhs_batch", none},
                               {"rhs_batch", none}},
                              tolerance),
                1);
    }
  }
}

}  // namespace
}  // namespace antler
