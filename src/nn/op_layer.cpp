#include "nn/op_layer.h"

#include <string>
#include <string_view>
#include <utility>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/nn/functional_graph.h"
#include "antler/ops/numpy/manipulation.h"
#include "base/strings.h"
#include "nn/keras_op.h"
#include "nn/op_names.h"
#include "ops/recorded_call.h"

namespace antler {
namespace {

/// Whether an attribute holds a size computed from an unknown dimension.
bool depends_on_unknown(const ir::OpDef& op, const ir::Attrs& attrs) {
  if (std::string_view(op.name) == "reshape") return false;  // -1 means "inferred" there
  for (const char* name : {"shape", "sizes", "limits"}) {
    if (!attrs.has(name)) continue;
    for (int64_t size : attrs.ints(name)) {
      if (size < 0) return true;
    }
  }
  return false;
}

Tensors record_op(const ir::OpDef& op, std::span<const Tensor> inputs, const ir::Attrs& attrs,
                  const ir::Regions& regions) {
  if (!regions.empty() || depends_on_unknown(op, attrs)) {
    throw ValueError(
        "ops::{} cannot be used on a placeholder of unknown size in a functional model. Received "
        "shapes: {}. Put the computation into the `call` of a layer instead.",
        op.name, join(inputs, ", ", [](const Tensor& x) { return x.shape().str(); }));
  }
  const Nest operands(Tensors(inputs.begin(), inputs.end()));
  return record_call(OpLayer(op, attrs).share(), operands, {}).flatten();
}

Tensors record_keras_op(const char* class_name, const Tensor& x, const Json& config) {
  return record_call(keras_op_from_config(class_name, config), Nest(Tensors{x}), {}).flatten();
}

}  // namespace

OpLayer::OpLayer(const ir::OpDef& op, ir::Attrs attrs)
    : LayerBase(keras_class_of_op(op.name)), op_(&op), attrs_(std::move(attrs)) {
  set_autocast(false);
}

Nest OpLayer::call(const Nest& inputs, const CallOptions&) {
  Tensors operands = inputs.flatten();
  if (std::string_view(op_->name) == "reshape")
    return ops::reshape(operands[0], Shape(attrs_.ints("shape")));
  if (op_->op_class == ir::OpClass::elementwise) {
    // When the op was recorded, its operands could not be broadcast to an unknown shape.
    Shape shape;
    for (const Tensor& x : operands) shape = broadcast_shapes(shape, x.shape());
    for (Tensor& x : operands) x = ops::broadcast_to(x, shape);
  }
  Tensors results = ir::emit(*op_, operands, attrs_);
  if (results.size() == 1) return results[0];
  return results;
}

void install_placeholder_handler() {
  ir::set_placeholder_handler(record_op);
  ops::set_call_recorder(record_keras_op);
}

}  // namespace antler
