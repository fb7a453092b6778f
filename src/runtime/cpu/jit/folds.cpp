#include "runtime/cpu/jit/folds.h"

#include <limits>

#include "runtime/cpu/jit/op_rules.h"

namespace antler::runtime::jit {

using compiler::Fold;
using llvm::Value;

Value* fold(const Gen& g, Fold fold, DType dtype, Value* x, Value* y) {
  switch (fold) {
    case Fold::sum:
      return is_floating(dtype) ? g.fadd(x, y) : g.b.CreateAdd(x, y);
    case Fold::prod:
      return is_floating(dtype) ? g.b.CreateFMul(x, y) : g.b.CreateMul(x, y);
    case Fold::max:
      return emit_extremum(g, dtype, true, x, y);
    case Fold::min:
      return emit_extremum(g, dtype, false, x, y);
    case Fold::any:
      return g.b.CreateOr(x, y);
    case Fold::all:
      break;
  }
  return g.b.CreateAnd(x, y);
}

Value* fold_identity(const Gen& g, Fold fold, DType dtype, int lanes) {
  llvm::Type* type = Gen::vector_of(g.compute_type(dtype), lanes);
  const bool floating = is_floating(dtype);
  const auto number = [&](double f, int64_t i) {
    return floating ? g.number(type, f) : g.integer(type, i);
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const unsigned bits = type->getScalarSizeInBits();
  switch (fold) {
    case Fold::sum:
      return number(0, 0);
    case Fold::prod:
      return number(1, 1);
    case Fold::max:
    case Fold::min: {
      const bool lowest = fold == Fold::max;
      if (floating) return g.number(type, lowest ? -kInfinity : kInfinity);
      if (!is_signed_integer(dtype)) return g.integer(type, lowest ? 0 : -1);
      return llvm::ConstantInt::get(type, lowest ? llvm::APInt::getSignedMinValue(bits)
                                                 : llvm::APInt::getSignedMaxValue(bits));
    }
    case Fold::any:
      return g.integer(type, 0);
    case Fold::all:
      break;
  }
  return g.integer(type, -1);
}

Value* fold_lanes(const Gen& g, Fold kind, DType dtype, Value* v) {
  for (int lanes = Gen::lanes(v); lanes > 1; lanes /= 2) {
    std::vector<int> low;
    std::vector<int> high;
    for (int i = 0; i < lanes / 2; ++i) {
      low.push_back(i);
      high.push_back(i + lanes / 2);
    }
    v = fold(g, kind, dtype, g.b.CreateShuffleVector(v, low), g.b.CreateShuffleVector(v, high));
  }
  return v->getType()->isVectorTy() ? g.b.CreateExtractElement(v, uint64_t{0}) : v;
}

}  // namespace antler::runtime::jit
