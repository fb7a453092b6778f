#include <algorithm>
#include <cstring>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/manipulation.h"
#include "ops/movement_ops.h"
#include "ops/stand_in_sizes.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

std::vector<TensorSpec> infer_reshape(const ir::InferArgs& args) {
  const TensorSpec& x = args.inputs[0];
  Shape shape(args.attrs.ints("shape"));
  if (shape.num_elements() != x.shape.num_elements()) {
    throw ValueError(
        "ops::reshape: cannot reshape an array of shape {} ({} elements) into shape {} ({} "
        "elements).",
        x.shape, x.shape.num_elements(), shape, shape.num_elements());
  }
  return {{x.dtype, std::move(shape)}};
}

void reference_reshape(const ir::ReferenceArgs& args) {
  if (args.inputs[0].bytes() == 0) return;
  std::memcpy(args.outputs[0].mutable_data(), args.inputs[0].data(), args.inputs[0].bytes());
}

Tensors vjp_reshape(const ir::VjpArgs& args) {
  return {reshape(args.grads[0], args.inputs[0].shape())};
}

/// Replaces -1 in `shape` by the size that preserves the number of elements.
Shape complete(const Shape& from, Shape shape) {
  int unknown = -1;
  Shape given = shape;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == -1 && unknown < 0) {
      unknown = i;
      given[i] = 1;
    } else if (shape[i] < 0) {
      throw ValueError(
          "ops::reshape: at most one dimension may be -1, the others must not be negative. "
          "Received: shape={}",
          shape);
    }
  }
  const int64_t known = given.num_elements();
  const int64_t count = from.num_elements();
  if (unknown < 0 ? known == count : known != 0 && count % known == 0) {
    if (unknown >= 0) shape[unknown] = count / known;
    return shape;
  }
  if (StandInSizes* sizes = StandInSizes::current()) return sizes->accept(count, shape);
  if (unknown >= 0) {
    throw ValueError(
        "ops::reshape: cannot reshape an array of shape {} ({} elements) into shape {}: the "
        "inferred dimension would not be an integer.",
        from, count, shape);
  }
  return shape;  // infer_reshape throws
}

}  // namespace

const ir::OpDef kReshape = {.name = "reshape",
                            .op_class = ir::OpClass::view,
                            .infer = infer_reshape,
                            .vjp = vjp_reshape,
                            .reference = reference_reshape};

Tensor reshape(const Tensor& x, const Shape& shape) {
  require_defined("reshape", x);
  if (x.shape() == shape) return x;
  if (!x.shape().is_known()) {  // a placeholder: the layer graph infers the -1 at each call
    return ir::emit_one(kReshape, {x}, {{"shape", shape.dims()}});
  }
  const Shape target = complete(x.shape(), shape);
  if (x.shape() == target) return x;
  if (StandInSizes::current() != nullptr && x.size() != target.num_elements()) {
    return zeros(target, x.dtype());
  }
  return ir::emit_one(kReshape, {x}, {{"shape", target.dims()}});
}

Tensor expand_dims(const Tensor& x, int64_t axis) {
  require_defined("expand_dims", x);
  const int a = normalize_axis_of("expand_dims", axis, x.rank() + 1);
  std::vector<int64_t> dims = x.shape().dims();
  dims.insert(dims.begin() + a, 1);
  return reshape(x, Shape(std::move(dims)));
}

Tensor squeeze(const Tensor& x, std::optional<int64_t> axis) {
  require_defined("squeeze", x);
  std::vector<int64_t> dims = x.shape().dims();
  if (axis) {
    const int a = normalize_axis_of("squeeze", *axis, x.rank());
    if (dims[static_cast<size_t>(a)] != 1) {
      throw ValueError(
          "ops::squeeze: cannot squeeze axis {}, because the dimension is not 1. Received: "
          "x.shape={}",
          *axis, x.shape());
    }
    dims.erase(dims.begin() + a);
  } else {
    std::erase(dims, 1);
  }
  return reshape(x, Shape(std::move(dims)));
}

}  // namespace antler::ops
