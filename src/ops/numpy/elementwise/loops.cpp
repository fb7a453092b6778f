#include "ops/numpy/elementwise/loops.h"

namespace antler::ops {
namespace {

Kinds kind_of_dtype(DType dtype) {
  return is_floating(dtype) ? kFloats : is_integer(dtype) ? kInts : kBool;
}

std::string kinds_str(Kinds kinds) {
  std::string text;
  const auto add = [&](Kinds kind, const char* name) {
    if ((kinds & kind) != 0) text += (text.empty() ? "" : " or ") + std::string(name);
  };
  add(kFloats, "floating");
  add(kInts, "integer");
  add(kBool, "bool");
  return text;
}

}  // namespace

void require_kind(const char* op, DType dtype, Kinds kinds) {
  if ((kind_of_dtype(dtype) & kinds) != 0) return;
  throw TypeError("ops::{}: expected operands of {} dtype. Received: {}.", op, kinds_str(kinds),
                  dtype_name(dtype));
}

void require_operands(const char* op, const InferArgs& args, size_t count) {
  if (args.inputs.size() == count) return;
  throw ValueError("ops::{}: expected {} operands. Received: {}.", op, count, args.inputs.size());
}

TensorSpec common_spec(const char* op, std::span<const TensorSpec> specs) {
  TensorSpec result = specs[0];
  for (const TensorSpec& spec : specs) {
    bool fits = spec.dtype == result.dtype && spec.shape.rank() == result.shape.rank();
    for (int i = 0; fits && i < result.shape.rank(); ++i) {
      if (result.shape[i] == Shape::kUnknown) result.shape[i] = spec.shape[i];
      fits = spec.shape[i] == result.shape[i] || spec.shape[i] == Shape::kUnknown;
    }
    if (fits) continue;
    throw ValueError("ops::{}: expected operands of equal dtype and shape. Received: {} and {}.",
                     op, spec_str(specs[0]), spec_str(spec));
  }
  return result;
}

}  // namespace antler::ops
