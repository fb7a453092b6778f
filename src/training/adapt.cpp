#include "antler/training/adapt.h"

#include <algorithm>

#include "antler/base/error.h"
#include "antler/core/string_handles.h"
#include "antler/ops/numpy/manipulation.h"

namespace antler {
namespace {

/// Whether the parts differ only in their first dimension.
bool can_concatenate(const Tensors& parts) {
  return std::all_of(parts.begin(), parts.end(), [&](const Tensor& part) {
    return part.rank() > 0 && part.rank() == parts[0].rank() &&
           std::equal(part.shape().begin() + 1, part.shape().end(), parts[0].shape().begin() + 1);
  });
}

}  // namespace

void adapt(Adaptable& layer, const data::Dataset& batches, int64_t steps) {
  if (steps < 0 && batches.cardinality() == data::Dataset::kInfinite) {
    throw ValueError("adapt: the data set is infinite. Specify `steps`.");
  }
  Tensors parts;
  for (const Nest& element : batches.take(steps)) {
    const Nest& x = element.is_list() && element.size() > 0 ? element[0] : element;
    parts.push_back(x.tensor());
  }
  if (parts.empty()) throw ValueError("adapt: the data set has no elements.");
  if (!can_concatenate(parts)) {
    throw ValueError(
        "adapt: batches must have rank 1 or more and the same shape except for the first "
        "dimension.");
  }
  const Tensor sample = ops::concatenate(parts, 0);
  if (sample.dtype() == kStringDType) {
    layer.adapt(strings_of(sample));
  } else {
    layer.adapt(sample);
  }
}

}  // namespace antler
