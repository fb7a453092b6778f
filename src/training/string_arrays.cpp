#include "training/string_arrays.h"

#include <algorithm>

#include "antler/base/error.h"
#include "antler/core/string_handles.h"

namespace antler::training {
namespace {

void refuse(const char* argument, const Nest& arrays) {
  for (const Tensor& array : arrays.flatten()) {
    if (!array.defined() || !holds_strings(array)) continue;
    throw ValueError(
        "`{}`: expected numbers. Received: an array of strings, shape={}. Layers such as "
        "StringLookup and TextVectorization convert strings to numbers.",
        argument, array.shape());
  }
}

}  // namespace

void refuse_strings(const ModelState& state, const FitData& x, const Nest& y) {
  if (x.is_source()) return;
  if (state.graph != nullptr) {
    const Tensors inputs = state.graph->inputs().flatten();
    const auto takes_strings = [](const Tensor& t) { return t.dtype() == kStringDType; };
    if (std::none_of(inputs.begin(), inputs.end(), takes_strings)) refuse("x", x.arrays());
  }
  if (state.arguments.loss.given()) refuse("y", y);
}

}  // namespace antler::training
