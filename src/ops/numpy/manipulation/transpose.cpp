#include <numeric>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/numpy/manipulation.h"
#include "ops/movement_ops.h"
#include "ops/strided.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

std::vector<TensorSpec> infer_transpose(const ir::InferArgs& args) {
  const TensorSpec& x = args.inputs[0];
  const ir::Ints& perm = args.attrs.ints("perm");
  std::vector<char> seen(static_cast<size_t>(x.shape.rank()), 0);
  bool fits = perm.size() == seen.size();
  Shape shape;
  for (size_t i = 0; fits && i < perm.size(); ++i) {
    fits = perm[i] >= 0 && perm[i] < x.shape.rank() && seen[static_cast<size_t>(perm[i])] == 0;
    if (!fits) break;
    seen[static_cast<size_t>(perm[i])] = 1;
    shape.push_back(x.shape[static_cast<int>(perm[i])]);
  }
  if (!fits) {
    throw ValueError(
        "ops::transpose: axes {} are not a permutation of the axes of an array of shape {}.",
        Shape(perm), x.shape);
  }
  return {{x.dtype, std::move(shape)}};
}

void reference_transpose(const ir::ReferenceArgs& args) {
  const std::vector<int64_t> in_strides = args.inputs[0].shape().strides();
  std::vector<int64_t> strides;
  for (int64_t p : args.attrs.ints("perm")) strides.push_back(in_strides[static_cast<size_t>(p)]);
  read_strided(args.inputs[0], args.outputs[0], 0, strides);
}

Tensors vjp_transpose(const ir::VjpArgs& args) {
  const ir::Ints& perm = args.attrs.ints("perm");
  std::vector<int64_t> inverse(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) {
    inverse[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
  }
  return {transpose(args.grads[0], std::move(inverse))};
}

}  // namespace

const ir::OpDef kTranspose = {.name = "transpose",
                              .op_class = ir::OpClass::view,
                              .infer = infer_transpose,
                              .vjp = vjp_transpose,
                              .reference = reference_transpose};

Tensor transpose(const Tensor& x, std::vector<int64_t> axes) {
  require_defined("transpose", x);
  if (axes.empty()) {
    for (int64_t i = x.rank(); i-- > 0;) axes.push_back(i);
  }
  bool moves = static_cast<int>(axes.size()) != x.rank();
  for (size_t i = 0; i < axes.size(); ++i) {
    axes[i] = normalize_axis_of("transpose", axes[i], x.rank());
    moves = moves || axes[i] != static_cast<int64_t>(i);
  }
  return moves ? ir::emit_one(kTranspose, {x}, {{"perm", std::move(axes)}}) : x;
}

Tensor swapaxes(const Tensor& x, int64_t axis1, int64_t axis2) {
  require_defined("swapaxes", x);
  std::vector<int64_t> axes(static_cast<size_t>(x.rank()));
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[static_cast<size_t>(normalize_axis_of("swapaxes", axis1, x.rank()))],
            axes[static_cast<size_t>(normalize_axis_of("swapaxes", axis2, x.rank()))]);
  return transpose(x, std::move(axes));
}

Tensor moveaxis(const Tensor& x, int64_t source, int64_t destination) {
  require_defined("moveaxis", x);
  const int from = normalize_axis_of("moveaxis", source, x.rank());
  const int to = normalize_axis_of("moveaxis", destination, x.rank());
  std::vector<int64_t> axes(static_cast<size_t>(x.rank()));
  std::iota(axes.begin(), axes.end(), 0);
  axes.erase(axes.begin() + from);
  axes.insert(axes.begin() + to, from);
  return transpose(x, std::move(axes));
}

}  // namespace antler::ops
