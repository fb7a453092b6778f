#include "nn/quantizers/input_statistics.h"

#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"

namespace antler {

void InputStatistics::see(const Tensor& inputs) {
  if (!inputs.is_value() || inputs.size() == 0) return;
  const int64_t rows = inputs.size() / features_;
  const Tensor x = ops::cast(ops::reshape(inputs, {rows, features_}), DType::float32);
  if (!moments_) {
    const Tensor largest = ops::max(ops::absolute(x), {0});
    magnitudes_ = magnitudes_.defined() ? ops::maximum(magnitudes_, largest) : largest;
    return;
  }
  const auto before = static_cast<double>(rows_);
  rows_ += rows;
  const auto all = static_cast<double>(rows_);
  const Tensor own = ops::matmul(ops::transpose(x), x) * Tensor(2 / all);
  second_moments_ = second_moments_.defined() ? second_moments_ * Tensor(before / all) + own : own;
}

}  // namespace antler
