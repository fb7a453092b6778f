#include "nn/layers/preprocessing/encode.h"

#include <algorithm>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/one_hot.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "base/strings.h"

namespace antler {

void check_choice(const std::string& layer, const std::string& argument, const std::string& value,
                  const std::vector<std::string>& allowed) {
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
  throw ValueError(
      "Unknown value for `{}` argument of layer {}. Allowed values are: {{'{}'}}. Received: {}",
      argument, layer, join(allowed, "', '"), value);
}

Tensor encode_categories(const Tensor& given, const std::string& output_mode, int64_t depth,
                         DType dtype, const Tensor& count_weights) {
  if (output_mode == "int") return ops::cast(given, dtype);
  Tensor indices = given.rank() == 0 ? ops::expand_dims(given, -1) : given;
  if (!is_integer(indices.dtype())) indices = ops::cast(indices, DType::int64);
  if (output_mode == "one_hot") {
    if (indices.rank() > 1 && indices.dim(-1) == 1) indices = ops::squeeze(indices, -1);
    return ops::one_hot(indices, depth, {.dtype = dtype});
  }
  const int64_t axis = indices.rank() > 1 ? 1 : 0;
  Tensor hot = ops::one_hot(indices, depth, {.dtype = dtype});
  // Without categories, the sum below is 0.
  const bool any = indices.dim(static_cast<int>(axis)) != 0;
  if (output_mode == "multi_hot" && any) return ops::max(hot, {axis});
  if (count_weights.defined()) {
    hot = hot * ops::expand_dims(ops::cast(count_weights, dtype), -1);
  }
  return ops::cast(ops::sum(hot, {axis}), dtype);
}

}  // namespace antler
