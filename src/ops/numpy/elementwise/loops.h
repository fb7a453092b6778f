#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "antler/base/error.h"
#include "antler/base/parallel.h"
#include "antler/core/dispatch.h"
#include "antler/ir/op_def.h"
#include "ops/support.h"

/// Shape rules and reference loops of element-wise ops. Half-precision types compute in float.
/// Kinds restrict the dtypes of an op, and thereby the templates that are instantiated.
namespace antler::ops {

using ir::InferArgs;
using ir::OpClass;
using ir::OpDef;
using ir::ReferenceArgs;
using ir::VjpArgs;

using Kinds = unsigned;
inline constexpr Kinds kFloats = 1;
inline constexpr Kinds kInts = 2;
inline constexpr Kinds kBool = 4;
inline constexpr Kinds kNumbers = kFloats | kInts;
inline constexpr Kinds kAnyDType = kNumbers | kBool;

template <class T>
constexpr Kinds kind_of() {
  if constexpr (std::is_same_v<T, bool>) return kBool;
  return std::is_integral_v<T> ? kInts : kFloats;
}

/// The name of an op as a template argument, so that shape rules are plain function pointers.
template <size_t n>
struct OpName {
  constexpr OpName(
      const char (&name)[n]) {  // NOLINT(google-explicit-constructor): stands for a literal
    for (size_t i = 0; i < n; ++i) text[i] = name[i];
  }
  char text[n];
};

/// Throws TypeError if `dtype` is not among `kinds`.
void require_kind(const char* op, DType dtype, Kinds kinds);
/// The common spec of operands, which must have the same dtype and shape. Unknown dimensions match
/// anything.
TensorSpec common_spec(const char* op, std::span<const TensorSpec> specs);
void require_operands(const char* op, const InferArgs& args, size_t count);

/// Shape rule of ops whose operands and result have the same spec.
template <OpName name, Kinds kinds, size_t count>
std::vector<TensorSpec> infer_alike(const InferArgs& args) {
  require_operands(name.text, args, count);
  require_kind(name.text, args.inputs[0].dtype, kinds);
  return {common_spec(name.text, args.inputs)};
}
/// Shape rule of ops with boolean results.
template <OpName name, Kinds kinds, size_t count>
std::vector<TensorSpec> infer_predicate(const InferArgs& args) {
  return {{DType::boolean, infer_alike<name, kinds, count>(args)[0].shape}};
}

/// Calls f.operator()<T>() for the dtypes of `kinds`.
template <Kinds kinds, class F>
void dispatch_kinds(DType dtype, F&& f) {
  dispatch(dtype, [&]<class T>() {
    if constexpr ((kind_of<T>() & kinds) != 0) {
      f.template operator()<T>();
    } else {
      throw InternalError("reference loop called with {}", dtype_name(dtype));
    }
  });
}

/// Calls body(begin, end) on parts of [0, n) with `grain` elements each, in parallel if there are
/// many.
template <class Body>
void element_ranges(int64_t n, const Body& body, int64_t grain = 1) {
  constexpr int64_t kWorthAThread = 1 << 15;
  if (n * grain < kWorthAThread) {
    body(int64_t{0}, n);
  } else {
    run_ranges(n, body);
  }
}

/// out[i] = f(x[i]).
template <Kinds kinds, class F>
void unary_loop(const ReferenceArgs& args, F f) {
  dispatch_kinds<kinds>(args.inputs[0].dtype(), [&]<class T>() {
    using C = ComputeType<T>;
    const T* x = args.inputs[0].template data<T>();
    T* out = args.outputs[0].template mutable_data<T>();
    element_ranges(args.outputs[0].size(), [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) out[i] = static_cast<T>(f(static_cast<C>(x[i])));
    });
  });
}

/// out[i] = f(x[i], y[i]), of result type T, or bool when `predicate`.
template <Kinds kinds, bool predicate = false, class F>
void binary_loop(const ReferenceArgs& args, F f) {
  dispatch_kinds<kinds>(args.inputs[0].dtype(), [&]<class T>() {
    using C = ComputeType<T>;
    using R = std::conditional_t<predicate, bool, T>;
    const T* x = args.inputs[0].template data<T>();
    const T* y = args.inputs[1].template data<T>();
    R* out = args.outputs[0].template mutable_data<R>();
    element_ranges(args.outputs[0].size(), [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        out[i] = static_cast<R>(f(static_cast<C>(x[i]), static_cast<C>(y[i])));
      }
    });
  });
}

/// An op with one operand, whose result has the operand's dtype: out[i] = f(x[i]), where F has no
/// state. Without `vjp` it has no gradient.
template <OpName name, Kinds kinds, class F>
constexpr OpDef unary_op(int work, F, ir::VjpFn vjp = nullptr) {
  return {
      .name = name.text,
      .op_class = OpClass::elementwise,
      .work = work,
      .infer = infer_alike<name, kinds, 1>,
      .vjp = vjp,
      .reference = [](const ReferenceArgs& args) { unary_loop<kinds>(args, F()); },
      .no_gradient = vjp == nullptr,
  };
}

/// The same for two operands of one dtype: out[i] = f(x[i], y[i]).
template <OpName name, Kinds kinds, class F>
constexpr OpDef binary_op(int work, F, ir::VjpFn vjp = nullptr) {
  return {
      .name = name.text,
      .op_class = OpClass::elementwise,
      .work = work,
      .infer = infer_alike<name, kinds, 2>,
      .vjp = vjp,
      .reference = [](const ReferenceArgs& args) { binary_loop<kinds>(args, F()); },
      .no_gradient = vjp == nullptr,
  };
}

/// f(x, y) where integers wrap around instead of overflowing.
template <class T, class F>
T wrapping(T x, T y, F f) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return static_cast<T>(f(static_cast<uint64_t>(x), static_cast<uint64_t>(y)));
  } else {
    return static_cast<T>(f(x, y));
  }
}

}  // namespace antler::ops
