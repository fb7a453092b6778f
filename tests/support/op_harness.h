#pragma once

#include <functional>
#include <string>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/ir/op_def.h"

/// How operations are tested: one table of cases, one check of a case.
namespace antler::test {

/// One application of an op, with its results.
struct OpCase {
  std::string op;    ///< name in the op list
  std::string name;  ///< what this case is about, e.g. "bfloat16" or "empty"
  Tensors inputs = {};
  ir::Attrs attrs = {};
  ir::Regions regions = {};
  std::vector<std::vector<double>> expected = {};  ///< elements of each output
  double tolerance =
      -1;  ///< of |difference| / max(1, |expected|); negative: by dtype of the output
  /// Whether gradients are compared with difference quotients, in float64. Turn it off at points
  /// where the op is not smooth.
  bool gradient = true;
  bool second_order = true;  ///< and gradients of gradients
};
using OpCases = std::vector<OpCase>;

/// Checks a case: the shape rule, the reference loop against `expected`, the plain version of a
/// composite, the op as a node of a traced graph, its gradients, and, where a compiled runner is
/// set, what that computes.
void check_op(const OpCase& c);
void check_ops(const OpCases& cases);

/// Runs one op with the compiler. Set by tests of the runtime; null otherwise.
using OpRunner = Tensors (*)(const ir::OpDef& op, const Tensors& inputs, const ir::Attrs& attrs,
                             const ir::Regions& regions);
void set_compiled_runner(OpRunner runner);

/// Compares the gradients of `f` for its floating inputs with central differences, in float64; with
/// `second_order` also the gradients of these gradients. Inputs of other floating types are
/// converted first.
void check_gradients(const std::function<Tensors(const Tensors&)>& f, const Tensors& inputs,
                     bool second_order = true);

/// Expects the elements to be close; NaN equals NaN. `tolerance` as in OpCase.
void expect_close(const Tensor& actual, const std::vector<double>& expected, double tolerance = -1);
/// Relative precision to expect of results of a dtype; 0 for integers.
double tolerance_of(DType dtype);

/// Reproducible elements in [low, high); integers are rounded down, booleans true in the upper
/// half.
Tensor random_tensor(DType dtype, const Shape& shape, double low = -1, double high = 1,
                     uint32_t seed = 1);
Tensor tensor_of(DType dtype, const Shape& shape, const std::vector<double>& values);

}  // namespace antler::test
