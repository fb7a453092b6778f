#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/ir/attrs.h"

namespace antler::ir {

class Graph;
using GraphPtr = std::shared_ptr<const Graph>;
using Regions = std::vector<GraphPtr>;

[[noreturn]] void throw_missing_operand(size_t index, size_t count);  ///< throws ValueError

/// The operands that a shape rule gets. Access to a missing operand throws ValueError, because
/// graphs may come from other processes.
class OperandSpecs : public std::span<const TensorSpec> {
 public:
  using std::span<const TensorSpec>::span;
  const TensorSpec& operator[](size_t index) const {
    if (index >= size()) throw_missing_operand(index, size());
    return data()[index];
  }
  std::span<const TensorSpec> first(size_t count) const { return part(0, count); }
  std::span<const TensorSpec> subspan(size_t offset) const {
    return part(offset, offset <= size() ? size() - offset : 0);
  }

 private:
  std::span<const TensorSpec> part(size_t offset, size_t count) const {
    if (offset > size() || count > size() - offset)
      throw_missing_operand(offset + count - (count > 0 ? 1 : 0), size());
    return {data() + offset, count};
  }
};

/// The arguments of a shape rule.
struct InferArgs {
  OperandSpecs inputs;
  const Attrs& attrs;
  const Regions& regions;
};

/// The arguments of a gradient rule. `grads[i]` is undefined if output i does not influence the
/// target.
struct VjpArgs {
  std::span<const Tensor> inputs;
  std::span<const Tensor> outputs;
  std::span<const Tensor> grads;
  const Attrs& attrs;
  const Regions& regions;
};

/// The arguments of a reference loop: contiguous row-major arrays; outputs are already allocated.
struct ReferenceArgs {
  std::span<const Tensor> inputs;
  std::span<const Tensor> outputs;
  const Attrs& attrs;
  const Regions& regions;
};

/// How the fusion pass may treat an op.
enum class OpClass : uint8_t {
  other,        ///< has its own kernel
  elementwise,  ///< output element i depends on input elements i only; all operands have the
                ///< output's shape; the code generator has a rule for each (jit/op_rules.cpp)
  source,       ///< element i depends on i alone: constant, iota
  view,         ///< rearranges elements: broadcast, reshape, transpose, slice, reverse
  reduce,       ///< reduces over attrs "axes"
  effect,       ///< must not be removed or merged
};

using InferFn = std::vector<TensorSpec> (*)(const InferArgs&);
using VjpFn = Tensors (*)(const VjpArgs&);
using DecomposeFn = Tensors (*)(std::span<const Tensor> inputs, const Attrs&);
using ReferenceFn = void (*)(const ReferenceArgs&);

/// Definition of one operation. Primitives have `reference`; composites have `decompose` instead
/// (and may have a `reference` for speed in eager mode).
struct OpDef {
  const char* name;
  OpClass op_class = OpClass::other;
  /// Approximate work per element, in additions. Fusion compares it to the cost of storing results.
  int work = 1;
  /// Computes the dtypes and shapes of the outputs. Throws ValueError or TypeError for operands
  /// that do not fit, and for the wrong number of operands, which nothing else checks.
  InferFn infer = nullptr;
  /// Computes the gradients of the inputs with ops (undefined = none). Null: not differentiable, or
  /// a composite that is differentiated after decomposition.
  VjpFn vjp = nullptr;
  /// The same computation in simpler ops.
  DecomposeFn decompose = nullptr;
  /// A simple loop that is obviously correct. Tests compare other kernels with it.
  ReferenceFn reference = nullptr;
  /// True for ops whose gradient is zero or undefined everywhere (comparisons, argmax, random
  /// bits).
  bool no_gradient = false;
};

}  // namespace antler::ir
