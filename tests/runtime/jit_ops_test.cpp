#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/core/dispatch.h"
#include "antler/ops/op_list.h"
#include "compiler/loop_nest.h"
#include "runtime/cpu/jit/jit.h"
#include "runtime/cpu/jit/op_rules.h"
#include "runtime/nest_oracle.h"

namespace antler::runtime::jit {
namespace {

using test::addresses;
using test::NestBuilder;
using test::random_tensor;

constexpr DType kFloats[] = {DType::float32, DType::float64, DType::bfloat16, DType::float16};
constexpr DType kInts[] = {DType::int8,  DType::int16,  DType::int32,  DType::int64,
                           DType::uint8, DType::uint16, DType::uint32, DType::uint64};

constexpr double kUlps = 4;  // tolerance of the vector code

double epsilon(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 0x1p-52;
    case DType::bfloat16:
      return 0x1p-7;
    case DType::float16:
      return 0x1p-10;
    default:
      return 0x1p-23;
  }
}

/// The dtype of the result; none where the op does not take the inputs.
std::optional<DType> result_dtype(const ir::OpDef& op, const std::vector<Tensor>& inputs) {
  std::vector<TensorSpec> specs;
  for (const Tensor& t : inputs) specs.push_back(t.spec());
  const ir::Attrs attrs;
  try {
    return op.infer({specs, attrs, {}})[0].dtype;
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Compares one op on `inputs` with its reference loop. Exact for integers.
void check_op(const std::string& name, const std::vector<Tensor>& inputs, DType out_dtype) {
  const ir::OpDef* op = ops::find_op(name);
  ASSERT_NE(op, nullptr) << name;
  const int64_t n = inputs[0].size();
  NestBuilder b({n});
  std::vector<int> buffers;
  for (const Tensor& t : inputs) buffers.push_back(b.input(t.dtype()));
  const int out = b.output(out_dtype);
  b.phase();
  std::vector<int> args;
  for (const int buffer : buffers) args.push_back(b.load(buffer, {1}));
  b.store(out, b.op(name.c_str(), args, out_dtype), {1});
  const compiler::LoopNest* nest = &b.nest();

  Tensor expected = Tensor::empty(out_dtype, {n});
  const ir::Attrs attrs{{"dtype", out_dtype}};
  op->reference({inputs, std::span(&expected, 1), attrs, {}});
  static Compiler baseline(CpuTarget::baseline());
  for (Compiler* compiler : {&Compiler::instance(), &baseline}) {
    const Kernel kernel = compiler->compile({&nest, 1})[0];
    Tensor actual = Tensor::zeros(out_dtype, {n});
    std::vector<Tensor> all = inputs;
    all.push_back(actual);
    kernel.fn(addresses(all).data(), 0, kernel.range);
    const std::vector<double> a = actual.to_doubles();
    const std::vector<double> e = expected.to_doubles();
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i] == e[i] || (std::isnan(a[i]) && std::isnan(e[i]))) continue;
      const double limit = is_floating(out_dtype)
                               ? kUlps * epsilon(out_dtype) * std::max(std::fabs(e[i]), 1e-30)
                               : 0;
      std::string given;
      for (const Tensor& t : inputs) given += format("{} ", t.to_doubles()[i]);
      ASSERT_LE(std::fabs(a[i] - e[i]), limit)
          << name << " " << dtype_name(inputs.back().dtype()) << " of " << given << "is " << a[i]
          << ", expected " << e[i] << (compiler == &baseline ? " (baseline)" : "");
    }
  }
}

/// Values of every size, and the special ones.
Tensor sample(DType dtype, uint64_t seed) {
  const int64_t n = 3000;
  Tensor t = random_tensor(dtype, n, seed, -4, 4);
  if (is_integer(dtype)) return random_tensor(dtype, n, seed, -140, 140);
  if (!is_floating(dtype)) return t;
  const Tensor exponents = random_tensor(DType::float64, n, seed + 1, -20, 20);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> special = {
      0.0,        -0.0,         1,      -1,     0.5,  -0.5,  2,    3,          -3,  kInfinity,
      -kInfinity, std::nan(""), 88.7,   -87.4,  -103, 1e-40, 1e30, 0.99999994, 710, -745,
      1e300,      17.33,        -17.33, 5e-324, 1e-7, 9000.5};
  dispatch(dtype, [&]<class T>() {
    if constexpr (!std::is_integral_v<T>) {
      T* p = t.mutable_data<T>();
      for (int64_t i = 1; i < n; i += 2) {
        p[i] = static_cast<T>(static_cast<ComputeType<T>>(static_cast<double>(p[i]) *
                                                          std::exp2(exponents.data<double>()[i])));
      }
      for (size_t i = 0; i < special.size(); ++i) {
        // Different positions for different seeds, so that pairs of special values meet.
        p[(i * 7 + seed * 13) % 100] = static_cast<T>(static_cast<ComputeType<T>>(special[i]));
      }
    }
  });
  return t;
}

std::vector<std::string> elementwise_ops() {
  std::vector<std::string> names;
  for (const ir::OpDef* op : ops::all_ops()) {
    if (op->op_class == ir::OpClass::elementwise) names.emplace_back(op->name);
  }
  return names;
}

class LoopOps : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, LoopOps, testing::ValuesIn(elementwise_ops()),
                         [](const auto& info) { return info.param; });

TEST_P(LoopOps, AgreesWithReference) {
  const std::string& name = GetParam();
  const ir::OpDef& op = *ops::find_op(name);
  ASSERT_NE(find_rule(name), nullptr);
  if (name == "convert" || name == "bitcast") return;  // below: two dtypes
  int checked = 0;
  std::vector<DType> dtypes(std::begin(kFloats), std::end(kFloats));
  dtypes.insert(dtypes.end(), std::begin(kInts), std::end(kInts));
  dtypes.push_back(DType::boolean);
  for (const DType dtype : dtypes) {
    std::vector<Tensor> inputs;
    for (uint64_t arity = 1; arity <= 3; ++arity) {
      const bool condition = name == "select" && arity == 1;
      inputs.push_back(sample(condition ? DType::boolean : dtype, arity - 1));
      const std::optional<DType> result = result_dtype(op, inputs);
      if (!result) continue;
      check_op(name, inputs, *result);
      if (testing::Test::HasFatalFailure()) return;
      ++checked;
    }
  }
  EXPECT_GT(checked, 0);
}

TEST(LoopOpDtypes, ConvertsBetweenAll) {
  for (int from = 0; from < kNumDTypes; ++from) {
    for (int to = 0; to < kNumDTypes; ++to) {
      check_op("convert", {sample(static_cast<DType>(from), 3)}, static_cast<DType>(to));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(LoopOpDtypes, Bitcasts) {
  const std::pair<DType, DType> pairs[] = {
      {DType::float32, DType::int32},  {DType::uint32, DType::float32},
      {DType::bfloat16, DType::int16}, {DType::uint16, DType::float16},
      {DType::float16, DType::uint16}, {DType::float64, DType::uint64}};
  for (const auto& [from, to] : pairs) {
    check_op("bitcast", {sample(from, 3)}, to);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace antler::runtime::jit
