#include <cmath>
#include <cstring>
#include <limits>

#include "antler/ir/emit.h"
#include "antler/ops/core.h"
#include "ops/families.h"
#include "ops/numpy/elementwise/loops.h"

namespace antler::ops {
namespace {

/// Floats are truncated to integers and saturate; NaN becomes 0. Integers wrap around.
template <class To, class From>
To convert_element(From from) {
  if constexpr (std::is_same_v<To, bool>) {
    return from != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    using Limits = std::numeric_limits<To>;
    // The largest integer + 1 is a power of two, so unlike the largest integer it is exact.
    const From end = std::ldexp(From(1), Limits::digits);
    if (std::isnan(from)) return 0;
    if (from >= end) return Limits::max();
    if (from < static_cast<From>(Limits::min())) return Limits::min();
    return static_cast<To>(from);
  } else {
    return static_cast<To>(from);
  }
}

template <class From>
void convert_from(const ReferenceArgs& args) {
  const From* x = args.inputs[0].data<From>();
  const int64_t n = args.outputs[0].size();
  dispatch(args.outputs[0].dtype(), [&]<class To>() {
    To* out = args.outputs[0].mutable_data<To>();
    element_ranges(n, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const auto value = static_cast<ComputeType<From>>(x[i]);
        out[i] = static_cast<To>(convert_element<ComputeType<To>>(value));
      }
    });
  });
}

constinit const OpDef kConvert = {
    .name = "convert",
    .op_class = OpClass::elementwise,
    .infer = [](const InferArgs& args) -> std::vector<TensorSpec> {
      require_operands("convert", args, 1);
      return {{args.attrs.dtype("dtype"), args.inputs[0].shape}};
    },
    .vjp = [](const VjpArgs& v) -> Tensors {
      const DType from = v.inputs[0].dtype();
      if (!is_floating(from) || !is_floating(v.outputs[0].dtype())) return {{}};
      return {cast(v.grads[0], from)};
    },
    .reference =
        [](const ReferenceArgs& args) {
          dispatch(args.inputs[0].dtype(), [&]<class From>() { convert_from<From>(args); });
        },
};

void copy_bytes(const ReferenceArgs& args) {
  std::memcpy(args.outputs[0].mutable_data(), args.inputs[0].data(), args.outputs[0].bytes());
}

constinit const OpDef kBitcast = {
    .name = "bitcast",
    .op_class = OpClass::elementwise,
    .infer = [](const InferArgs& args) -> std::vector<TensorSpec> {
      require_operands("bitcast", args, 1);
      const DType from = args.inputs[0].dtype;
      const DType to = args.attrs.dtype("dtype");
      // Not every byte is a valid bool, so bool is not allowed.
      require_kind("bitcast", from, kNumbers);
      require_kind("bitcast", to, kNumbers);
      if (dtype_size(from) != dtype_size(to)) {
        throw ValueError("ops::bitcast: expected dtypes of the same size. Received: {} and {}.",
                         dtype_name(from), dtype_name(to));
      }
      return {{to, args.inputs[0].shape}};
    },
    .reference = copy_bytes,
    .no_gradient = true,
};

constinit const OpDef kStopGradient = {
    .name = "stop_gradient",
    .op_class = OpClass::elementwise,
    .work = 0,
    .infer = infer_alike<"stop_gradient", kAnyDType, 1>,
    .reference = copy_bytes,
    .no_gradient = true,
};

}  // namespace

OpSpan convert_ops() {
  static constexpr const OpDef* kOps[] = {&kConvert, &kBitcast, &kStopGradient};
  return kOps;
}

Tensor cast(const Tensor& x, DTypeArg dtype) {
  require_defined("cast", x);
  if (x.is_weak() || x.dtype() == dtype) return to_dtype(x, dtype);
  return ir::emit_one(kConvert, {x}, {{"dtype", DType(dtype)}});
}

Tensor bitcast(const Tensor& x, DType dtype) {
  require_defined("bitcast", x);
  return x.dtype() == dtype ? x
                            : ir::emit_one(kBitcast, {to_dtype(x, x.dtype())}, {{"dtype", dtype}});
}

Tensor stop_gradient(const Tensor& x) {
  require_defined("stop_gradient", x);
  return ir::emit_one(kStopGradient, {to_dtype(x, x.dtype())});
}

}  // namespace antler::ops
