#include <string>
#include <vector>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/core/shape.h"
#include "antler/nn/quantizers.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"

namespace antler::quantizers {
namespace {

/// The range, shifted so that 0 is exactly representable.
struct NudgedRange {
  Tensor low;
  Tensor high;
  Tensor step;
  Tensor steps_per_one;
};

NudgedRange nudged(const Tensor& low, const Tensor& high, int64_t num_bits, bool narrow_range) {
  const double last = static_cast<double>((int64_t{1} << num_bits) - 1);
  const double first = narrow_range ? 1 : 0;
  const Tensor width = high - low;
  const Tensor step = width / Tensor(last - first);
  const Tensor zero =
      ops::round(ops::clip(Tensor(first) - low / step, Tensor(first), Tensor(last)));
  return {(Tensor(first) - zero) * step, (Tensor(last) - zero) * step, step,
          Tensor(last - first) / width};
}

}  // namespace

Tensor fake_quant_with_min_max_vars(const Tensor& x, const Tensor& min_vals, const Tensor& max_vals,
                                    int64_t num_bits, bool narrow_range,
                                    std::optional<int64_t> axis) {
  if (num_bits < 2 || num_bits > 16) {
    throw ValueError("`num_bits` must be between 2 and 16. Received: num_bits={}", num_bits);
  }
  // The range in a shape that broadcasts to x: one number, or one per index of the axis.
  Shape along;
  ops::Axes others;
  const int at = axis ? normalize_axis(*axis, x.rank(), "axis") : -1;
  for (int i = 0; i < x.rank(); ++i) {
    along.push_back(i == at ? x.shape()[i] : 1);
    if (i != at) others.push_back(i);
  }
  const auto range = [=](const Tensors& inputs) {
    const auto float_range = [&](const Tensor& t) {
      return ops::reshape(ops::cast(t, DType::float32), along);
    };
    return nudged(float_range(inputs[1]), float_range(inputs[2]), num_bits, narrow_range);
  };
  return custom_gradient(
      [=](const Tensors& inputs) -> Tensors {
        const NudgedRange r = range(inputs);
        const Tensor half(0.5);
        const Tensor zero = ops::floor(-r.low * r.steps_per_one + half);
        const Tensor shifted =
            ops::clip(ops::cast(inputs[0], DType::float32), r.low, r.high) - r.low;
        const Tensor y = ops::floor(shifted * r.steps_per_one - zero + half) * r.step;
        // An empty range represents only 0.
        const Tensor some = ops::where(ops::equal(r.step, Tensor(0.0)), Tensor(0.0), y);
        return {ops::cast(some, inputs[0].dtype())};
      },
      [=](const Tensors& inputs, const Tensors&, const Tensors& gradients) -> Tensors {
        const NudgedRange r = range(inputs);
        const Tensor value = ops::cast(inputs[0], DType::float32);
        const Tensor& upstream = gradients[0];
        const Tensor below = ops::less(value, r.low);
        const Tensor above = ops::greater(value, r.high);
        const Tensor none = ops::zeros_like(upstream);
        const auto summed = [&](const Tensor& where, const Tensor& like) {
          const Tensor sum = others.empty() ? ops::where(where, upstream, none)
                                            : ops::sum(ops::where(where, upstream, none), others);
          return ops::cast(ops::reshape(sum, like.shape()), like.dtype());
        };
        return {ops::where(ops::logical_or(below, above), none, upstream), summed(below, inputs[1]),
                summed(above, inputs[2])};
      },
      {x, min_vals, max_vals})[0];
}

}  // namespace antler::quantizers
