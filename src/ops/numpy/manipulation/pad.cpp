#include <algorithm>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "ops/movement_ops.h"
#include "ops/strided.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

std::vector<TensorSpec> infer_pad(const ir::InferArgs& args) {
  const TensorSpec& x = args.inputs[0];
  const TensorSpec& value = args.inputs[1];
  const ir::Ints& low = args.attrs.ints("low");
  const ir::Ints& high = args.attrs.ints("high");
  const ir::Ints& interior = args.attrs.ints("interior");
  const auto rank = static_cast<size_t>(x.shape.rank());
  bool fits = low.size() == rank && high.size() == rank && interior.size() == rank;
  Shape shape;
  for (size_t i = 0; fits && i < rank; ++i) {
    const int64_t n = x.shape.dims()[i];
    shape.push_back(low[i] + n + std::max<int64_t>(n - 1, 0) * interior[i] + high[i]);
    fits = interior[i] >= 0 && shape.back() >= 0;
  }
  if (!fits) {
    throw ValueError(
        "ops::pad: the padding {} does not fit an array of shape {}; expected one number per "
        "axis, interior >= 0 and non-negative sizes of the result.",
        args.attrs.str(), x.shape);
  }
  if (value.dtype != x.dtype || value.shape.rank() != 0) {
    throw TypeError("ops::pad: value must be a scalar with the dtype of x. Received: {} for {}",
                    spec_str(value), spec_str(x));
  }
  return {{x.dtype, std::move(shape)}};
}

void reference_pad(const ir::ReferenceArgs& args) {
  const Tensor& x = args.inputs[0];
  const Tensor& out = args.outputs[0];
  const std::vector<int64_t> strides = out.shape().strides();
  dispatch_size(dtype_size(x.dtype()), [&]<class U>() {
    U* to = static_cast<U*>(out.mutable_data());
    std::fill(to, to + out.size(), *static_cast<const U*>(args.inputs[1].data()));
    const U* from = static_cast<const U*>(x.data());
    for_each_index(x.shape(), [&](int64_t i, const std::vector<int64_t>& index) {
      int64_t position = 0;
      for (size_t d = 0; d < index.size(); ++d) {
        const int64_t at =
            args.attrs.ints("low")[d] + index[d] * (args.attrs.ints("interior")[d] + 1);
        if (at < 0 || at >= out.shape().dims()[d]) return;  // removed by negative padding
        position += at * strides[d];
      }
      to[position] = from[i];
    });
  });
}

Tensors vjp_pad(const ir::VjpArgs& args) {
  const Tensor& x = args.inputs[0];
  std::vector<int64_t> low;
  std::vector<int64_t> high;
  std::vector<int64_t> limits;
  std::vector<int64_t> strides;
  for (int i = 0; i < x.rank(); ++i) {
    const auto d = static_cast<size_t>(i);
    const int64_t step = args.attrs.ints("interior")[d] + 1;
    low.push_back(-args.attrs.ints("low")[d]);
    high.push_back(-args.attrs.ints("high")[d]);
    limits.push_back(std::max<int64_t>(x.shape()[i] - 1, 0) * step + (x.shape()[i] > 0 ? 1 : 0));
    strides.push_back(step);
  }
  const Tensor spread = pad(args.grads[0], std::move(low), std::move(high));
  std::vector<int64_t> starts(limits.size(), 0);
  const Tensor dx = strided_slice(spread, std::move(starts), std::move(limits), std::move(strides));
  // All other elements came from the padding value.
  return {dx, subtract(sum(args.grads[0]), sum(dx))};
}

}  // namespace

const ir::OpDef kPad = {
    .name = "pad", .infer = infer_pad, .vjp = vjp_pad, .reference = reference_pad};

Tensor pad(const Tensor& x, std::vector<int64_t> low, std::vector<int64_t> high,
           std::vector<int64_t> interior, const Tensor& value) {
  require_defined("pad", x);
  require_defined("pad", value);
  const auto is_zero = [](int64_t n) { return n == 0; };
  if (interior.empty()) interior.assign(low.size(), 0);
  if (static_cast<int>(low.size()) == x.rank() && high.size() == low.size() &&
      std::all_of(low.begin(), low.end(), is_zero) &&
      std::all_of(high.begin(), high.end(), is_zero) &&
      std::all_of(interior.begin(), interior.end(), is_zero)) {
    return x;
  }
  return ir::emit_one(
      kPad, {x, to_dtype(value, x.dtype())},
      {{"low", std::move(low)}, {"high", std::move(high)}, {"interior", std::move(interior)}});
}

}  // namespace antler::ops
