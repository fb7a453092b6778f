#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/manipulation.h"
#include "ops/movement_ops.h"
#include "ops/recorded_call.h"
#include "ops/strided.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

std::vector<TensorSpec> infer_reverse(const ir::InferArgs& args) {
  for (int64_t axis : args.attrs.ints("axes")) {
    if (axis < 0 || axis >= args.inputs[0].shape.rank()) {
      throw ValueError("ops::reverse: axes {} are out of range for an array of shape {}.",
                       Shape(args.attrs.ints("axes")), args.inputs[0].shape);
    }
  }
  return {args.inputs[0]};
}

void reference_reverse(const ir::ReferenceArgs& args) {
  const Tensor& x = args.inputs[0];
  std::vector<int64_t> strides = x.shape().strides();
  int64_t offset = 0;
  for (int64_t axis : args.attrs.ints("axes")) {
    int64_t& stride = strides[static_cast<size_t>(axis)];
    offset += (x.shape()[static_cast<int>(axis)] - 1) * stride;
    stride = -stride;
  }
  read_strided(x, args.outputs[0], offset, strides);
}

Tensors vjp_reverse(const ir::VjpArgs& args) {
  return {reverse(args.grads[0], args.attrs.ints("axes"))};
}

}  // namespace

const ir::OpDef kReverse = {.name = "reverse",
                            .op_class = ir::OpClass::view,
                            .infer = infer_reverse,
                            .vjp = vjp_reverse,
                            .reference = reference_reverse};

Tensor reverse(const Tensor& x, std::vector<int64_t> axes) {
  require_defined("reverse", x);
  if (axes.empty()) return x;
  return ir::emit_one(kReverse, {x}, {{"axes", normalize_axes("reverse", axes, x.rank())}});
}

Tensor roll(const Tensor& x, int64_t shift, int64_t axis) {
  require_defined("roll", x);
  if (has_unknown_size(x)) return record_call("Roll", x, {{"shift", shift}, {"axis", axis}})[0];
  const int64_t n = x.dim(normalize_axis_of("roll", axis, x.rank()));
  if (n == 0) return x;
  const int64_t from_end = ((shift % n) + n) % n;
  if (from_end == 0) return x;
  return concatenate({slice_axis(x, axis, n - from_end, n), slice_axis(x, axis, 0, n - from_end)},
                     axis);
}

}  // namespace antler::ops
