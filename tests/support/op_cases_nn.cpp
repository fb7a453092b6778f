#include <algorithm>
#include <cmath>
#include <limits>

#include "support/op_cases.h"

namespace antler::test {
namespace {

/// Both softmaxes of one row, with sums in long double.
std::vector<double> softmax_row(const std::vector<double>& row, bool logarithm) {
  if (row.empty()) return {};
  const double largest = *std::max_element(row.begin(), row.end());
  long double total = 0;
  for (double v : row) total += std::exp(static_cast<long double>(v - largest));
  std::vector<double> result;
  for (double v : row) {
    const long double log_p = static_cast<long double>(v - largest) - std::log(total);
    result.push_back(static_cast<double>(logarithm ? log_p : std::exp(log_p)));
  }
  return result;
}

void add_softmax(OpCases& cases, const char* name, const Tensor& x, int64_t axis) {
  const auto a = static_cast<size_t>(axis);
  const std::vector<double> values = x.to_doubles();
  const auto stride = static_cast<size_t>(x.shape().strides()[a]);
  const auto n = static_cast<size_t>(x.shape().dims()[a]);
  for (const bool logarithm : {false, true}) {
    std::vector<double> expected(values.size());
    for (size_t first = 0; first < values.size(); ++first) {
      if (first / stride % n != 0) continue;
      std::vector<double> row;
      for (size_t i = 0; i < n; ++i) row.push_back(values[first + i * stride]);
      const std::vector<double> result = softmax_row(row, logarithm);
      for (size_t i = 0; i < n; ++i) expected[first + i * stride] = result[i];
    }
    cases.push_back({.op = logarithm ? "log_softmax" : "softmax",
                     .name = name,
                     .inputs = {x},
                     .attrs = {{"axis", axis}},
                     .expected = {expected}});
  }
}

}  // namespace

OpCases nn_cases() {
  OpCases cases;
  for (DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    add_softmax(cases, dtype_name(dtype), random_tensor(dtype, {3, 5}, -3, 3), 1);
  }
  const auto f = [](const Shape& shape) { return random_tensor(DType::float32, shape, -3, 3); };
  add_softmax(cases, "first axis", f({3, 5}), 0);
  add_softmax(cases, "middle axis", f({2, 7, 3}), 1);
  add_softmax(cases, "long", f({2, 33}), 1);
  add_softmax(cases, "one", f({1, 1}), 1);
  add_softmax(cases, "no rows", f({0, 3}), 1);
  add_softmax(cases, "no columns", f({3, 0}), 1);
  add_softmax(cases, "large", tensor_of(DType::float32, {1, 3}, {1000, 1001, -1000}), 1);
  // Steps in proportion to such elements are too long for differences.
  for (auto c = cases.end() - 2; c != cases.end(); ++c) c->gradient = false;

  for (DType dtype : {DType::float32, DType::float64, DType::bfloat16}) {
    const Tensor x = tensor_of(dtype, {7}, {-100, -3, -0.5, 0, 0.25, 2, 50});
    std::vector<double> expected;
    for (double v : x.to_doubles()) expected.push_back(v > 30 ? v : std::log1p(std::exp(v)));
    cases.push_back(
        {.op = "softplus", .name = dtype_name(dtype), .inputs = {x}, .expected = {expected}});
  }
  cases.push_back({.op = "softplus", .name = "empty", .inputs = {f({0})}, .expected = {{}}});
  return cases;
}

}  // namespace antler::test
