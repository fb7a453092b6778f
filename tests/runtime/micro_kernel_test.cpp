#include "runtime/cpu/gemm/micro_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace antler::runtime {
namespace {

/// Values that are exact in float, products and sums of a few too.
double element(int64_t i, int64_t j) { return static_cast<double>((i * 7 + j * 3) % 11 - 5); }

template <class T>
class MicroKernelTest : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(MicroKernelTest, Types);

TYPED_TEST(MicroKernelTest, EveryBlockOfEveryExtension) {
  using T = TypeParam;
  constexpr int64_t kDepth = 5;
  constexpr T kUntouched = 77;
  for (const MicroKernels<T>* micro : all_micro_kernels<T>()) {
    const int64_t width = micro->columns();
    std::vector<T> b(static_cast<size_t>(kDepth * width));
    for (int64_t p = 0; p < kDepth; ++p) {
      for (int64_t j = 0; j < width; ++j) {
        b[static_cast<size_t>(p * width + j)] = static_cast<T>(element(p, j));
      }
    }
    for (int64_t rows = 1; rows <= micro->rows; ++rows) {
      std::vector<T> a(static_cast<size_t>(rows * kDepth));
      std::vector<int64_t> a_row_offsets, c_row_offsets;
      for (int64_t r = 0; r < rows; ++r) {
        a_row_offsets.push_back(r * kDepth);
        c_row_offsets.push_back(r * (width + 1));
        for (int64_t p = 0; p < kDepth; ++p) {
          a[static_cast<size_t>(r * kDepth + p)] = static_cast<T>(element(r + 2, p));
        }
      }
      const std::vector<int64_t> steps = {0, 1, 2, 3, 4};
      for (int64_t columns = 1; columns <= width; ++columns) {
        for (const int kind : {0, 1, 2}) {
          std::vector<T> c(static_cast<size_t>(rows * (width + 1)), kUntouched);
          IndirectArgs<T> args{.a = a.data(),
                               .a_row_offsets = a_row_offsets.data(),
                               .segment_offsets = steps.data(),
                               .segments = 1,
                               .depth = kDepth,
                               .a_col_stride = 1,
                               .b = b.data(),
                               .b_row_stride = width,
                               .c = c.data(),
                               .c_row_offsets = c_row_offsets.data(),
                               .columns = columns};
          if (kind == 2) {
            args.segments = kDepth;
            args.depth = 1;
          }
          // Twice: the second call adds to the first.
          for (const bool accumulate : {false, true}) {
            args.accumulate = accumulate;
            if (kind == 0) {
              micro->kernel(rows, columns)(kDepth, a.data(), kDepth, 1, b.data(), width, c.data(),
                                           width + 1, columns, accumulate);
            } else {
              micro->run_indirect(rows, args);
            }
          }
          for (int64_t r = 0; r < rows; ++r) {
            for (int64_t j = 0; j <= width; ++j) {
              double expected = kUntouched;
              if (j < columns) {
                expected = 0;
                for (int64_t p = 0; p < kDepth; ++p) {
                  expected += 2 * element(r + 2, p) * element(p, j);
                }
              }
              ASSERT_EQ(c[static_cast<size_t>(r * (width + 1) + j)], expected)
                  << micro->name << " kind " << kind << ", " << rows << " rows, " << columns
                  << " columns, at " << r << ", " << j;
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(MicroKernelTest, PackOfEveryExtension) {
  using T = TypeParam;
  for (const MicroKernels<T>* micro : all_micro_kernels<T>()) {
    for (const int64_t width : {int64_t{micro->columns()}, int64_t{micro->rows}, int64_t{3}}) {
      for (const int64_t count : {int64_t{1}, width - 1, width, 2 * width + 1}) {
        for (const bool transposed : {false, true}) {
          constexpr int64_t kDepth = 7;
          const int64_t round = 2;
          const int64_t k_stride = transposed ? 1 : count + 2;
          const int64_t stride = transposed ? kDepth + 1 : 1;
          std::vector<T> from(static_cast<size_t>((count + 2) * (kDepth + 2)));
          for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i + 1);
          std::vector<T> to(static_cast<size_t>((count + width + 1) * kDepth), T(-1));
          micro->pack(kDepth, count, from.data(), k_stride, stride, width, round, to.data());
          for (int64_t first = 0; first < count; first += width) {
            const int64_t filled = std::min(width, count - first);
            const int64_t padded = std::min(width, (filled + round - 1) / round * round);
            for (int64_t p = 0; p < kDepth; ++p) {
              for (int64_t j = 0; j < padded; ++j) {
                const T expected =
                    j < filled ? from[static_cast<size_t>(p * k_stride + (first + j) * stride)]
                               : T(0);
                ASSERT_EQ(to[static_cast<size_t>(first * kDepth + p * padded + j)], expected)
                    << micro->name << " width " << width << " count " << count;
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace antler::runtime
