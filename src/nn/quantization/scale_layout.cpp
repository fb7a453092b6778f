#include "nn/quantization/scale_layout.h"

#include "antler/ops/numpy/manipulation.h"

namespace antler {

Tensor ScaleLayout::apply(const Tensor& scale) const {
  Tensor x = ops::transpose(scale, order);
  for (const int64_t axis : added) x = ops::expand_dims(x, axis);
  for (size_t i = removed.size(); i-- > 0;) x = ops::squeeze(x, removed[i]);
  return x;
}

Tensor ScaleLayout::undo(const Tensor& scale) const {
  Tensor x = scale;
  for (const int64_t axis : removed) x = ops::expand_dims(x, axis);
  for (size_t i = added.size(); i-- > 0;) x = ops::squeeze(x, added[i]);
  std::vector<int64_t> back(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return ops::transpose(x, back);
}

ScaleLayout ScaleLayout::of_matrix(int reduced) {
  return {.reduced = {reduced}, .order = {0, 1}, .removed = {reduced}};
}

}  // namespace antler
