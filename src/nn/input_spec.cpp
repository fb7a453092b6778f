#include "antler/nn/input_spec.h"

#include <string>

#include "antler/base/error.h"
#include "nn/layer_state.h"

namespace antler {
namespace {

std::string head(const Layer& layer, size_t index) {
  return "Input " + std::to_string(index) + " of layer \"" + layer.name() +
         "\" is incompatible with the layer: ";
}

}  // namespace

void check_input_spec(const Layer& layer, const Tensors& inputs) {
  const InputSpec& spec = LayerInternals::state(layer).input_spec;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined()) continue;
    const Shape& shape = inputs[i].shape();
    const std::string full = ". Full shape received: " + shape.str();
    if (spec.ndim && shape.rank() != *spec.ndim) {
      throw ValueError(head(layer, i) + "expected ndim=" + std::to_string(*spec.ndim) +
                       ", found ndim=" + std::to_string(shape.rank()) + full);
    }
    if (spec.max_ndim && shape.rank() > *spec.max_ndim) {
      throw ValueError(head(layer, i) + "expected max_ndim=" + std::to_string(*spec.max_ndim) +
                       ", found ndim=" + std::to_string(shape.rank()));
    }
    if (spec.min_ndim && shape.rank() < *spec.min_ndim) {
      throw ValueError(head(layer, i) + "expected min_ndim=" + std::to_string(*spec.min_ndim) +
                       ", found ndim=" + std::to_string(shape.rank()) + full);
    }
    for (const auto& [axis, size] : spec.axes) {
      const int at = axis < 0 ? shape.rank() + axis : axis;
      if (at < 0 || at >= shape.rank()) continue;
      const int64_t dim = shape[at];
      if (dim != Shape::kUnknown && dim != size) {
        throw ValueError(head(layer, i) + "expected axis " + std::to_string(axis) +
                         " of input shape to have value " + std::to_string(size) +
                         ", but received input with shape " + shape.str());
      }
    }
  }
}

}  // namespace antler
