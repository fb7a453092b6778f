#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/core/dtype.h"
#include "antler/ir/op_def.h"

/// The form of a fused kernel before LLVM sees it.
///
/// A nest runs over a *parallel space* (`extents`), whose points are independent. At each point its
/// `phases` run in order. Each phase loops over its own *reduction space* (`extents`; empty means a
/// single point). At each point of that space it evaluates its expressions, stores some of the
/// values, and folds others into accumulators. The contents of the accumulators after the loop are
/// *row values*, which expressions of later phases may use. Softmax over rows is
///
///     parallel [rows]
///     phase [columns]: m = max(load x)
///     phase [columns]: s = sum(exp(load x - m))
///     phase [columns]: store exp(load x - m) / s
///
/// A chain of element-wise ops is one phase without a reduction space. A small matrix product is
/// parallel [m, n] with one phase [k] that sums load a * load b.
namespace antler::compiler {

/// Address of an element: offset + sum(parallel[i] * index) + sum(reduction[j] * index), in
/// elements of the buffer.
struct Access {
  int buffer = 0;
  int64_t offset = 0;
  std::vector<int64_t> parallel;   ///< one stride per parallel dimension; 0 = broadcast
  std::vector<int64_t> reduction;  ///< one stride per reduction dimension of the phase
};

struct Expr {
  enum class Kind : uint8_t {
    load,      ///< element of `access`
    index,     ///< the integer that `access` computes (buffer unused): iota
    constant,  ///< `number`, or `integer` for integer and boolean dtypes
    op,        ///< `op` on `args`; an element-wise OpDef
    row,       ///< result `row` of an earlier phase: {phase, reduction}
  };
  Kind kind = Kind::constant;
  DType dtype = DType::float32;
  Access access;
  double number = 0;
  int64_t integer = 0;
  const ir::OpDef* op = nullptr;
  std::vector<int> args;  ///< indices of earlier expressions of the same phase
  int row_phase = 0;
  int row_index = 0;
};

/// float16 and bfloat16: computed in float32, and rounded after each op.
constexpr bool is_half(DType dtype) { return dtype == DType::bfloat16 || dtype == DType::float16; }

enum class Fold : uint8_t { sum, prod, max, min, any, all };

struct Store {
  Access access;
  DType dtype = DType::float32;  ///< of the buffer; equals the expression's dtype
  int value = 0;                 ///< expression of the phase
};

struct Reduction {
  Fold fold = Fold::sum;
  /// Expression of the phase. The accumulator has its dtype, or float32 for the half types.
  int value = 0;
};

struct Phase {
  std::vector<int64_t> extents;  ///< reduction space, outermost first
  std::vector<Expr> exprs;       ///< arguments come before the expressions that use them
  std::vector<Store> stores;
  std::vector<Reduction> reductions;
};

struct BufferInfo {
  DType dtype = DType::float32;
  bool written = false;
};

struct LoopNest {
  std::vector<int64_t> extents;  ///< parallel space, outermost first; empty = one point
  std::vector<Phase> phases;
  std::vector<BufferInfo> buffers;
  /// Points of all phases, parallel x reduction: decides whether threads pay off.
  int64_t work() const;
};

/// Prints a nest. Equal strings mean equal kernels: compiled kernels are cached under this key.
std::string print(const LoopNest& nest);
/// "sum", "prod", ...
const char* fold_name(Fold fold);
/// Throws InternalError if strides, order of arguments, dtypes or buffers are inconsistent.
void verify(const LoopNest& nest);

}  // namespace antler::compiler
