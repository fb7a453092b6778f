#include "runtime/cpu/gemm/gemm.h"
#include "runtime/cpu/gemm/split_k_gemm.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace antler::runtime {
namespace {

std::vector<float> numbers(int64_t count, uint32_t seed) {
  std::vector<float> values(static_cast<size_t>(count));
  for (float& v : values) {
    seed = seed * 1664525U + 1013904223U;
    v = static_cast<float>(seed >> 8) * 0x1p-24F - 0.5F;
  }
  return values;
}

struct Product {
  int64_t m, n, k;
  bool a_transposed, b_transposed;
  bool deep = false;
};

template <class Engine>
std::vector<float> run(const Engine& gemm, const Product& p, const std::vector<float>& a,
                       const std::vector<float>& b) {
  const std::unique_ptr<void, decltype(&std::free)> scratch(
      std::aligned_alloc(64, (gemm.scratch_bytes() + 64) / 64 * 64), &std::free);
  std::vector<float> c(static_cast<size_t>(p.m * p.n), NAN);
  gemm.run(a.data(), b.data(), c.data(), scratch.get());
  return c;
}

std::vector<float> multiply(const Product& p, const std::vector<float>& a,
                            const std::vector<float>& b, int threads) {
  GemmBlock<float> block;
  block.m = p.m;
  block.n = p.n;
  block.k = p.k;
  block.a_row_stride = p.a_transposed ? 1 : p.k;
  block.a_col_stride = p.a_transposed ? p.m : 1;
  block.b_row_stride = p.b_transposed ? 1 : p.n;
  block.b_col_stride = p.b_transposed ? p.k : 1;
  block.c_row_stride = p.n;
  if (p.deep) {
    EXPECT_TRUE(SplitKGemm<float>::accepts(block));
    return run(SplitKGemm<float>(block, threads), p, a, b);
  }
  return run(Gemm<float>(block, {}, threads), p, a, b);
}

void check(const Product& p) {
  const std::vector<float> a = numbers(p.m * p.k, 1);
  const std::vector<float> b = numbers(p.k * p.n, 2);
  const std::vector<float> c = multiply(p, a, b, 2);
  EXPECT_EQ(c, multiply(p, a, b, 1)) << "the number of threads shows";
  for (int64_t i = 0; i < p.m; i += 7) {
    for (int64_t j = 0; j < p.n; ++j) {
      double sum = 0;
      for (int64_t q = 0; q < p.k; ++q) {
        const float x = a[static_cast<size_t>(p.a_transposed ? q * p.m + i : i * p.k + q)];
        const float y = b[static_cast<size_t>(p.b_transposed ? j * p.k + q : q * p.n + j)];
        sum += static_cast<double>(x) * static_cast<double>(y);
      }
      ASSERT_NEAR(c[static_cast<size_t>(i * p.n + j)], sum, 1e-4) << i << ", " << j;
    }
  }
}

// Large enough that all tasks read one copy of B; k in several parts, odd tails everywhere.
TEST(Gemm, TasksThatShareAPackedB) {
  for (const bool transposed : {false, true}) {
    check({640, 401, 303, transposed, transposed});
    check({1201, 70, 810, transposed, !transposed});
  }
}

TEST(Gemm, TasksThatPackTheirOwnB) {
  for (const bool transposed : {false, true}) {
    check({128, 301, 200, transposed, transposed});
    check({37, 1500, 129, transposed, !transposed});
  }
}

TEST(Gemm, LongSumsInParts) {
  for (const bool transposed : {false, true}) {
    check({33, 47, 1500, transposed, false, true});
    check({64, 100, 9001, transposed, transposed, true});
  }
}

}  // namespace
}  // namespace antler::runtime
