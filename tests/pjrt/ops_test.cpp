#include <map>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "antler/ops/op_list.h"
#include "pjrt/plugin_device.h"
#include "support/op_cases.h"
#include "support/op_cases_matrix.h"

// The cases of every op, on the plug-in.
namespace antler::pjrt {
namespace {

using OpsOnDevice = test::OnDevice;

/// Ops that run on the CPU, and why; all other ops must have a lowering.
const std::map<std::string, std::string> kOnTheCpu = {
    {"eig", "no algorithm of vectors for matrices that are not symmetric"},
    {"hash_bin", "strings"},
    {"cross_hash_bin", "strings"},
    {"host_map", "a C++ function"},
    {"worker_all_reduce", "the process's communicator"},
    {"worker_all_reduce_start", "the process's communicator"},
    {"worker_all_reduce_finish", "the process's communicator"},
    {"worker_all_gather", "the process's communicator"},
    {"conv_relu_pool", "made by a pass for the CPU"},
    {"pool_scatter", "made by a pass for the CPU"},
    {"conv_pool_filter_grad", "made by a pass for the CPU"},
};

/// Precision relative to that of the CPU's loops: XLA's float16 and bfloat16 results are rounded
/// more than once, and its approximations of transcendental functions differ.
double tolerance_for(const test::OpCase& c, DType dtype) {
  const double usual = c.tolerance >= 0 ? c.tolerance : test::tolerance_of(dtype);
  return dtype == DType::float64 ? std::max(usual, 1e-10) : 4 * usual;
}

void check_case(const test::OpCase& c) {
  // XLA adds in float32, where the CPU's loops add in float64.
  if (c.op == "reduce_sum" && c.name == "cancellation") return;
  SCOPED_TRACE(c.op + ": " + c.name);
  std::string reason;
  const std::optional<Tensors> ran = test::run_on_device(c, reason);
  if (!ran.has_value()) {
    EXPECT_TRUE(kOnTheCpu.contains(c.op)) << reason;
    return;
  }
  EXPECT_FALSE(kOnTheCpu.contains(c.op)) << "has a lowering now";
  const Tensors& results = *ran;
  ASSERT_EQ(results.size(), c.expected.size());
  for (size_t i = 0; i < results.size(); ++i)
    test::expect_close(results[i], c.expected[i], tolerance_for(c, results[i].dtype()));
}

void check_cases(const test::OpCases& cases) {
  for (const test::OpCase& c : cases) {
    try {
      check_case(c);
    } catch (const std::exception& error) {
      ADD_FAILURE() << c.op << ": " << c.name << ": " << error.what();
    }
  }
}

/// The results of an op's reference loop.
std::vector<double> reference_of(const ir::OpDef& op, const Tensors& inputs) {
  const TensorSpec& spec = inputs[0].spec();
  const Tensors results = {Tensor::empty(spec.dtype, spec.shape)};
  const ir::Attrs attrs;
  const ir::Regions regions;
  op.reference({inputs, results, attrs, regions});
  return results[0].to_doubles();
}

// Compilers handle long arrays in vectors, with other code than short ones.
TEST_F(OpsOnDevice, FunctionsOfLongArrays) {
  for (const char* name : {"exp",  "expm1", "sin",     "cos",    "tan",     "asin",  "acos",
                           "atan", "sinh",  "cosh",    "tanh",   "asinh",   "atanh", "sigmoid",
                           "erf",  "erfc",  "erf_inv", "lgamma", "digamma", "round", "trunc"}) {
    for (const DType dtype : {DType::float32, DType::float64}) {
      const Tensors inputs = {test::random_tensor(dtype, {5000}, -0.99, 0.99)};
      const ir::OpDef& op = *ops::find_op(name);
      check_case({.op = name,
                  .name = dtype_name(dtype),
                  .inputs = inputs,
                  .expected = {reference_of(op, inputs)}});
    }
  }
}

TEST_F(OpsOnDevice, Elementwise) { check_cases(test::elementwise_cases()); }
TEST_F(OpsOnDevice, Reductions) { check_cases(test::reduce_cases()); }
TEST_F(OpsOnDevice, Random) { check_cases(test::random_cases()); }
TEST_F(OpsOnDevice, Products) { check_cases(test::dot_cases()); }
TEST_F(OpsOnDevice, Movement) { check_cases(test::movement_cases()); }
TEST_F(OpsOnDevice, Indexing) { check_cases(test::indexing_cases()); }
TEST_F(OpsOnDevice, Convolutions) { check_cases(test::conv_cases()); }
TEST_F(OpsOnDevice, Windows) { check_cases(test::window_cases()); }
TEST_F(OpsOnDevice, ControlFlow) { check_cases(test::control_cases()); }
TEST_F(OpsOnDevice, Decompositions) { check_cases(test::matrix_cases()); }
TEST_F(OpsOnDevice, NeuralNetworks) { check_cases(test::nn_cases()); }

}  // namespace
}  // namespace antler::pjrt
