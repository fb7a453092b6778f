
#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "ops/families.h"
#include "ops/numpy/elementwise/loops.h"
#include "ops/numpy/reductions/lanes.h"

namespace antler::ops {
namespace {

template <OpName name>
std::vector<TensorSpec> infer_index(const InferArgs& args) {
  require_operands(name.text, args, 1);
  const Shape& shape = args.inputs[0].shape;
  const int64_t axis = args.attrs.integer("axis");
  if (shape[static_cast<int>(axis)] == 0) {
    throw ValueError("ops::{}: the reduced axis must not be empty. Received: x.shape={}, axis={}.",
                     name.text, shape, axis);
  }
  Shape result;
  for (int d = 0; d < shape.rank(); ++d) {
    if (d != axis) result.push_back(shape[d]);
  }
  return {{DType::int32, result}};
}

/// Returns the index of the first NaN if there is one, as in NumPy.
template <bool largest>
void index_loop(const ReferenceArgs& args) {
  const Lanes lanes(args.inputs[0].shape(), args.attrs.integer("axis"));
  auto* out = args.outputs[0].mutable_data<int32_t>();
  dispatch(args.inputs[0].dtype(), [&]<class T>() {
    using C = ComputeType<T>;
    const T* x = args.inputs[0].template data<T>();
    lanes.for_each([&](int64_t start) {
      int64_t best = 0;
      for (int64_t k = 1; k < lanes.length; ++k) {
        const C top = static_cast<C>(x[start + best * lanes.inner]);
        const C candidate = static_cast<C>(x[start + k * lanes.inner]);
        const bool better = largest ? candidate > top : candidate < top;
        if (top == top && (better || candidate != candidate)) best = k;
      }
      *out++ = static_cast<int32_t>(best);
    });
  });
}

constinit const OpDef kArgmax = {
    .name = "argmax",
    .infer = infer_index<"argmax">,
    .reference = index_loop<true>,
    .no_gradient = true,
};

constinit const OpDef kArgmin = {
    .name = "argmin",
    .infer = infer_index<"argmin">,
    .reference = index_loop<false>,
    .no_gradient = true,
};

Tensor arg_extremum(const OpDef& op, const Tensor& x, std::optional<int64_t> axis,
                    ReduceOptions options) {
  require_defined(op.name, x);
  if (!axis) {
    const Tensor index = arg_extremum(op, ravel(x), 0, {});
    return options.keepdims ? reshape(index, Shape(std::vector<int64_t>(x.shape().size(), 1)))
                            : index;
  }
  const int64_t a = normalize_axis_of(op.name, *axis, x.rank());
  const Tensor result = ir::emit_one(op, {to_dtype(x, x.dtype())}, {{"axis", a}});
  return options.keepdims ? expand_dims(result, a) : result;
}

}  // namespace

OpSpan arg_extremum_ops() {
  static constexpr const OpDef* kOps[] = {&kArgmax, &kArgmin};
  return kOps;
}

Tensor argmax(const Tensor& x, std::optional<int64_t> axis, ReduceOptions options) {
  return arg_extremum(kArgmax, x, axis, options);
}
Tensor argmin(const Tensor& x, std::optional<int64_t> axis, ReduceOptions options) {
  return arg_extremum(kArgmin, x, axis, options);
}

}  // namespace antler::ops
