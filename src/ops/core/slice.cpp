#include <algorithm>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/by_name.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/manipulation.h"
#include "ops/movement_ops.h"
#include "ops/recorded_call.h"
#include "ops/strided.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

int64_t slice_size(int64_t start, int64_t limit, int64_t stride) {
  return start >= limit ? 0 : (limit - start + stride - 1) / stride;
}

std::vector<TensorSpec> infer_slice(const ir::InferArgs& args) {
  const TensorSpec& x = args.inputs[0];
  const ir::Ints& starts = args.attrs.ints("starts");
  const ir::Ints& limits = args.attrs.ints("limits");
  const ir::Ints& strides = args.attrs.ints("strides");
  const auto rank = static_cast<size_t>(x.shape.rank());
  bool fits = starts.size() == rank && limits.size() == rank && strides.size() == rank;
  Shape shape;
  for (size_t i = 0; fits && i < rank; ++i) {
    fits = starts[i] >= 0 && starts[i] <= limits[i] && limits[i] <= x.shape.dims()[i] &&
           strides[i] > 0;
    shape.push_back(slice_size(starts[i], limits[i], std::max<int64_t>(strides[i], 1)));
  }
  if (!fits) {
    throw ValueError(
        "ops::slice: the slice {} does not fit an array of shape {}; expected 0 <= start <= limit "
        "<= size and stride > 0 for every axis.",
        args.attrs.str(), x.shape);
  }
  return {{x.dtype, std::move(shape)}};
}

void reference_slice(const ir::ReferenceArgs& args) {
  std::vector<int64_t> strides = args.inputs[0].shape().strides();
  int64_t offset = 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    offset += args.attrs.ints("starts")[i] * strides[i];
    strides[i] *= args.attrs.ints("strides")[i];
  }
  read_strided(args.inputs[0], args.outputs[0], offset, strides);
}

/// Pads the gradient with zeros around and between its elements.
Tensors vjp_slice(const ir::VjpArgs& args) {
  const std::vector<int64_t>& from = args.inputs[0].shape().dims();
  const std::vector<int64_t>& taken = args.outputs[0].shape().dims();
  std::vector<int64_t> low;
  std::vector<int64_t> high;
  std::vector<int64_t> interior;
  for (size_t i = 0; i < from.size(); ++i) {
    const int64_t stride = args.attrs.ints("strides")[i];
    const int64_t start = args.attrs.ints("starts")[i];
    const int64_t end = taken[i] == 0 ? start : start + (taken[i] - 1) * stride + 1;
    low.push_back(start);
    high.push_back(from[i] - end);
    interior.push_back(stride - 1);
  }
  return {pad(args.grads[0], std::move(low), std::move(high), std::move(interior))};
}

}  // namespace

const ir::OpDef kSlice = {.name = "slice",
                          .op_class = ir::OpClass::view,
                          .infer = infer_slice,
                          .vjp = vjp_slice,
                          .reference = reference_slice};

Tensor slice(const Tensor& x, const std::vector<int64_t>& starts,
             const std::vector<int64_t>& sizes) {
  require_defined("slice", x);
  const auto rank = static_cast<size_t>(x.rank());
  std::vector<int64_t> limits = x.shape().dims();
  bool inside = starts.size() == rank && sizes.size() == rank;
  for (size_t i = 0; i < rank && inside; ++i) {
    const int64_t limit = sizes[i] == -1 ? limits[i] : starts[i] + sizes[i];
    inside = starts[i] >= 0 && starts[i] <= limit && limit <= limits[i];
    limits[i] = limit;
  }
  if (!inside) {
    throw ValueError(
        "ops::slice: expected one start and one size per axis, of a block that lies within x. "
        "Received: x.shape={}, starts={}, sizes={}",
        x.shape(), Shape(starts), Shape(sizes));
  }
  return strided_slice(x, starts, std::move(limits));
}

Tensor strided_slice(const Tensor& x, std::vector<int64_t> starts, std::vector<int64_t> limits,
                     std::vector<int64_t> strides) {
  require_defined("strided_slice", x);
  if (strides.empty()) strides.assign(static_cast<size_t>(x.rank()), 1);
  const bool whole = limits == x.shape().dims() &&
                     std::all_of(starts.begin(), starts.end(), [](int64_t s) { return s == 0; }) &&
                     std::all_of(strides.begin(), strides.end(), [](int64_t s) { return s == 1; });
  if (whole && starts.size() == limits.size()) return x;
  return ir::emit_one(kSlice, {x},
                      {{"starts", std::move(starts)},
                       {"limits", std::move(limits)},
                       {"strides", std::move(strides)}});
}

Tensor slice_axis(const Tensor& x, int64_t axis, int64_t start, int64_t limit, int64_t stride) {
  require_defined("slice_axis", x);
  const auto a = static_cast<size_t>(normalize_axis_of("slice_axis", axis, x.rank()));
  std::vector<int64_t> starts(static_cast<size_t>(x.rank()), 0);
  std::vector<int64_t> limits = x.shape().dims();
  std::vector<int64_t> strides(starts.size(), 1);
  starts[a] = start;
  limits[a] = limit;
  strides[a] = stride;
  return strided_slice(x, std::move(starts), std::move(limits), std::move(strides));
}

TensorParts split(const Tensor& x, int64_t parts, int64_t axis) {
  require_defined("split", x);
  const int a = normalize_axis_of("split", axis, x.rank());
  const int64_t size = x.shape()[a];
  if (parts <= 0 || size % parts != 0) {
    throw ValueError(
        "ops::split: axis {} of size {} cannot be split into {} equal parts. Received: x.shape={}",
        axis, size, parts, x.shape());
  }
  if (has_unknown_size(x))
    return record_call("Split", x, {{"indices_or_sections", parts}, {"axis", axis}});
  std::vector<Tensor> result;
  const int64_t step = size / parts;
  for (int64_t i = 0; i < parts; ++i) {
    result.push_back(slice_axis(x, a, i * step, (i + 1) * step));
  }
  return result;
}

TensorParts unstack(const Tensor& x, const UnstackArguments& by_name) {
  std::vector<Tensor> parts = unstack(x, by_name.axis);
  if (by_name.num && *by_name.num != std::ssize(parts)) {
    throw ValueError("ops::unstack: axis {} has size {}. Received: num={}", by_name.axis,
                     parts.size(), *by_name.num);
  }
  return parts;
}

TensorParts unstack(const Tensor& x, int64_t axis) {
  require_defined("unstack", x);
  const int a = normalize_axis_of("unstack", axis, x.rank());
  if (has_unknown_size(x) && x.shape()[a] != Shape::kUnknown)
    return record_call("Unstack", x, {{"num", x.shape()[a]}, {"axis", axis}});
  std::vector<Tensor> result;
  for (int64_t i = 0; i < x.shape()[a]; ++i) {
    result.push_back(squeeze(slice_axis(x, a, i, i + 1), a));
  }
  return result;
}

}  // namespace antler::ops
