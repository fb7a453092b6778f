#include "support/op_harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "antler/autodiff/gradient_tape.h"
#include "antler/core/dispatch.h"
#include "antler/ir/emit.h"
#include "antler/ir/tracer.h"
#include "antler/ops/core.h"
#include "antler/ops/op_list.h"

namespace antler::test {
namespace {

OpRunner g_compiled_runner = nullptr;

using Function = std::function<Tensors(const Tensors&)>;

/// Positions of the floating tensors.
std::vector<size_t> floating(const Tensors& tensors) {
  std::vector<size_t> result;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (is_floating(tensors[i].dtype())) result.push_back(i);
  }
  return result;
}

Tensors pick(const Tensors& tensors, const std::vector<size_t>& positions) {
  Tensors result;
  for (size_t i : positions) result.push_back(tensors[i]);
  return result;
}

/// Fixed weights for the elements of results, so that one number depends on all of them.
Tensors weights_for(const Tensors& tensors, uint32_t seed) {
  Tensors result;
  for (const Tensor& t : tensors) {
    result.push_back(
        random_tensor(t.dtype(), t.shape(), 0.5, 1.5, seed + static_cast<uint32_t>(result.size())));
  }
  return result;
}

double weighted_sum(const Tensors& tensors, const Tensors& weights) {
  double total = 0;
  for (size_t k = 0; k < tensors.size(); ++k) {
    const auto values = tensors[k].to_doubles();
    const auto w = weights[k].to_doubles();
    for (size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i])) total += values[i] * w[i];  // infinities do not move
    }
  }
  return total;
}

/// Gradients of the weighted sum of the floating results of `f` by its floating inputs; zeros where
/// there is none.
Tensors analytic(const Function& f, const Tensors& inputs, uint32_t seed) {
  const Tensors sources = pick(inputs, floating(inputs));
  GradientTape tape;
  for (const Tensor& t : sources) tape.watch(t);
  const Tensors outputs = f(inputs);
  const Tensors targets = pick(outputs, floating(outputs));
  return tape.gradient(targets, sources, weights_for(targets, seed),
                       {.unconnected_gradients = UnconnectedGradients::zero});
}

std::vector<double> differences(const Function& f, const Tensors& inputs, size_t which,
                                uint32_t seed) {
  const auto value = [&](const Tensor& x) {
    Tensors moved = inputs;
    moved[which] = x;
    const Tensors outputs = f(moved);
    const Tensors targets = pick(outputs, floating(outputs));
    return weighted_sum(targets, weights_for(targets, seed));
  };
  const std::vector<double> x = inputs[which].to_doubles();
  std::vector<double> result(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const double step = 1e-5 * std::max(1.0, std::fabs(x[i]));
    std::vector<double> above = x;
    std::vector<double> below = x;
    above[i] += step;
    below[i] -= step;
    const Shape& shape = inputs[which].shape();
    result[i] = (value(tensor_of(DType::float64, shape, above)) -
                 value(tensor_of(DType::float64, shape, below))) /
                (above[i] - below[i]);
  }
  return result;
}

void compare(const Function& f, const Tensors& inputs, uint32_t seed, const char* what) {
  constexpr double kTolerance = 2e-6;
  const Tensors gradients = analytic(f, inputs, seed);
  const std::vector<size_t> positions = floating(inputs);
  for (size_t k = 0; k < positions.size(); ++k) {
    SCOPED_TRACE(std::string(what) + " by input " + std::to_string(positions[k]));
    ASSERT_EQ(gradients[k].spec(), inputs[positions[k]].spec());
    expect_close(gradients[k], differences(f, inputs, positions[k], seed), kTolerance);
  }
}

Tensors run_reference(const ir::OpDef& op, const OpCase& c, const std::vector<TensorSpec>& specs) {
  return ir::reference_executor().run(op, c.inputs, c.attrs, c.regions, specs);
}

void expect_same(const Tensors& actual, const Tensors& expected, double tolerance,
                 const char* what) {
  SCOPED_TRACE(what);
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    ASSERT_EQ(actual[i].spec(), expected[i].spec());
    expect_close(actual[i], expected[i].to_doubles(), tolerance);
  }
}

Tensors run_traced(const ir::OpDef& op, const OpCase& c) {
  ir::Tracer tracer;
  Tensors arguments;
  for (const Tensor& t : c.inputs) arguments.push_back(tracer.input(t.spec()));
  const Tensors outputs = ir::emit(op, arguments, c.attrs, c.regions);
  const ir::Graph graph = tracer.finish(outputs).graph;
  ir::verify(graph);
  return ir::interpret(graph, c.inputs, ir::reference_executor());
}

}  // namespace

void set_compiled_runner(OpRunner runner) { g_compiled_runner = runner; }

double tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 1e-12;
    case DType::float32:
      return 1e-6;
    case DType::float16:
      return 1e-3;
    case DType::bfloat16:
      return 8e-3;
    default:
      return 0;
  }
}

void expect_close(const Tensor& actual, const std::vector<double>& expected, double tolerance) {
  if (tolerance < 0) tolerance = tolerance_of(actual.dtype());
  const std::vector<double> values = actual.to_doubles();
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const double e = expected[i];
    if (std::isnan(e)) {
      EXPECT_TRUE(std::isnan(values[i]))
          << "element " << i << " is " << values[i] << ", expected NaN";
    } else if (std::isinf(e)) {
      EXPECT_EQ(values[i], e) << "element " << i;
    } else {
      EXPECT_LE(std::fabs(values[i] - e), tolerance * std::max(1.0, std::fabs(e)))
          << "element " << i << " is " << values[i] << ", expected " << e;
    }
  }
}

Tensor tensor_of(DType dtype, const Shape& shape, const std::vector<double>& values) {
  Tensor result = Tensor::empty(dtype, shape);
  EXPECT_EQ(static_cast<int64_t>(values.size()), result.size());
  dispatch(dtype, [&]<class T>() {
    T* p = result.mutable_data<T>();
    for (size_t i = 0; i < values.size(); ++i) {
      if constexpr (std::is_same_v<T, bool>) {
        p[i] = values[i] != 0;
      } else {
        p[i] = static_cast<T>(static_cast<ComputeType<T>>(values[i]));
      }
    }
  });
  return result;
}

Tensor random_tensor(DType dtype, const Shape& shape, double low, double high, uint32_t seed) {
  std::vector<double> values(static_cast<size_t>(shape.num_elements()));
  uint64_t state = 0x9E3779B97F4A7C15U * (seed + 1);
  for (double& v : values) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const double unit = static_cast<double>(state >> 11) * 0x1p-53;
    v = low + unit * (high - low);
    if (dtype == DType::boolean) {
      v = unit >= 0.5 ? 1 : 0;
    } else if (!is_floating(dtype)) {
      v = std::floor(v);
    }
  }
  return tensor_of(dtype, shape, values);
}

void check_gradients(const Function& f, const Tensors& given, bool second_order) {
  Tensors inputs;
  for (const Tensor& t : given)
    inputs.push_back(is_floating(t.dtype()) ? ops::cast(t, DType::float64) : t);
  constexpr uint32_t kSeed = 100;
  compare(f, inputs, kSeed, "gradient");
  if (second_order && !::testing::Test::HasFailure()) {
    const auto gradient = [&](const Tensors& xs) { return analytic(f, xs, kSeed); };
    compare(gradient, inputs, kSeed + 100, "second gradient");
  }
}

void check_op(const OpCase& c) {
  SCOPED_TRACE("op " + c.op + ", case " + c.name);
  const ir::OpDef* op = ops::find_op(c.op);
  ASSERT_NE(op, nullptr);
  std::vector<TensorSpec> input_specs;
  for (const Tensor& t : c.inputs) input_specs.push_back(t.spec());
  const std::vector<TensorSpec> specs = op->infer({input_specs, c.attrs, c.regions});
  const Tensors outputs = run_reference(*op, c, specs);
  ASSERT_EQ(outputs.size(), specs.size());
  ASSERT_EQ(outputs.size(), c.expected.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    SCOPED_TRACE("output " + std::to_string(i));
    ASSERT_EQ(outputs[i].spec(), specs[i]);
    expect_close(outputs[i], c.expected[i], c.tolerance);
  }
  if (op->reference != nullptr && op->decompose != nullptr) {
    expect_same(op->decompose(c.inputs, c.attrs), outputs, c.tolerance, "decomposition");
  }
  expect_same(run_traced(*op, c), outputs, c.tolerance, "traced");
  if (g_compiled_runner != nullptr) {
    expect_same(g_compiled_runner(*op, c.inputs, c.attrs, c.regions), outputs, c.tolerance,
                "compiled");
  }
  const bool narrow = std::any_of(c.inputs.begin(), c.inputs.end(), [](const Tensor& t) {
    return is_floating(t.dtype()) && dtype_size(t.dtype()) == 2;  // elements tie too easily
  });
  if (c.gradient && !narrow && !op->no_gradient && !floating(c.inputs).empty() &&
      !floating(outputs).empty()) {
    check_gradients([&](const Tensors& xs) { return ir::emit(*op, xs, c.attrs, c.regions); },
                    c.inputs, c.second_order);
  }
}

void check_ops(const OpCases& cases) {
  EXPECT_FALSE(cases.empty());
  for (const OpCase& c : cases) check_op(c);
}

}  // namespace antler::test
