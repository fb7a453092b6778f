#include "runtime/cpu/denormals.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/products.h"
#include "antler/runtime/function.h"

#if defined(__SSE2__)

namespace antler {
namespace {

constexpr float kDenormal = 1e-39F;
/// So many elements that all threads take part.
constexpr int64_t kRows = 1024;
constexpr int64_t kColumns = 512;

bool all_zero(const Tensor& x) {
  const auto values = x.to_vector<float>();
  return std::all_of(values.begin(), values.end(), [](float v) { return v == 0; });
}

volatile float tiny = kDenormal;

TEST(Denormals, AreZeroInProgramsOnAllThreads) {
  const Function scaled = tf::function(
      Function::Body([](const Nest& x) -> Nest { return x.tensor() * (x.tensor() + 1e10F); }));
  const Tensor x = Tensor::full(DType::float32, {kRows, kColumns}, kDenormal);
  EXPECT_TRUE(all_zero(scaled(x).tensor()));
}

TEST(Denormals, AreZeroInLibraryKernelsOnAllThreads) {
  const Function product = tf::function(Function::Body(
      [](const Nest& x) -> Nest { return ops::matmul(x[0].tensor(), x[1].tensor()); }));
  const Tensor x = Tensor::full(DType::float32, {kRows, kColumns}, kDenormal);
  const Tensor y = Tensor::full(DType::float32, {kColumns, kColumns}, 1e10);
  EXPECT_TRUE(all_zero(product(Nest({x, y})).tensor()));
}

TEST(Denormals, AreZeroInSingleOpsToo) {
  initialize_runtime();
  const Tensor x = Tensor::full(DType::float32, {kRows, kColumns}, kDenormal);
  const Tensor y = Tensor::full(DType::float32, {kColumns, kColumns}, 1e10);
  EXPECT_TRUE(all_zero(ops::matmul(x, y)));
  EXPECT_TRUE(all_zero(ops::multiply(Tensor::full(DType::float32, {3}, kDenormal), 1e10F)));
}

TEST(Denormals, TheCallersModeStays) {
  const Function scaled =
      tf::function(Function::Body([](const Nest& x) -> Nest { return x.tensor() * 2.F; }));
  scaled(Tensor::full(DType::float32, {4}, 1));
  EXPECT_NE(tiny * 2.F, 0.F);
  {
    const runtime::ScopedFlushDenormals mode(1);
    EXPECT_EQ(tiny * 2.F, 0.F);
  }
  EXPECT_NE(tiny * 2.F, 0.F);
}

}  // namespace
}  // namespace antler

#endif
