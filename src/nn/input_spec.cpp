#include "antler/nn/input_spec.h"

#include <string>

#include "antler/base/error.h"
#include "nn/layer_state.h"

namespace antler {
namespace {

std::string head(const Layer& layer, size_t index) {
  return format("Input {} of layer \"{}\" is incompatible with the layer", index, layer.name());
}

}  // namespace

void check_all_given(const Layer& layer, const Tensors& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined())
      throw ValueError("{}: expected a tensor, received None.", head(layer, i));
  }
}

void check_input_spec(const Layer& layer, const Tensors& inputs) {
  const InputSpec& spec = LayerInternals::state(layer).input_spec;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined()) continue;
    const Shape& shape = inputs[i].shape();
    if (spec.ndim && shape.rank() != *spec.ndim) {
      throw ValueError("{}: expected ndim={}, found ndim={}. Full shape received: {}",
                       head(layer, i), *spec.ndim, shape.rank(), shape);
    }
    if (spec.max_ndim && shape.rank() > *spec.max_ndim) {
      throw ValueError("{}: expected max_ndim={}, found ndim={}", head(layer, i), *spec.max_ndim,
                       shape.rank());
    }
    if (spec.min_ndim && shape.rank() < *spec.min_ndim) {
      throw ValueError("{}: expected min_ndim={}, found ndim={}. Full shape received: {}",
                       head(layer, i), *spec.min_ndim, shape.rank(), shape);
    }
    for (const auto& [axis, size] : spec.axes) {
      const int at = axis < 0 ? shape.rank() + axis : axis;
      if (at < 0 || at >= shape.rank()) continue;
      const int64_t dim = shape[at];
      if (dim != Shape::kUnknown && dim != size) {
        throw ValueError(
            "{}: expected axis {} of input shape to have value {}, but received input with shape "
            "{}",
            head(layer, i), axis, size, shape);
      }
    }
  }
}

}  // namespace antler
