#include "support/op_cases_matrix.h"

#include <cmath>
#include <complex>
#include <numbers>

namespace antler::test {
namespace {

/// Sums as the definition has them.
void add_fourier(OpCases& cases, DType dtype, int64_t n, bool inverse) {
  OpCase c{
      .op = "fourier",
      .name = std::string(inverse ? "inverse " : "") + std::to_string(n) + " " + dtype_name(dtype),
      .inputs = {random_tensor(dtype, {2, n}, -1, 1, 1), random_tensor(dtype, {2, n}, -1, 1, 2)},
      .attrs = {{"inverse", inverse}},
      .expected = {{}, {}}};
  const std::vector<double> real = c.inputs[0].to_doubles();
  const std::vector<double> imag = c.inputs[1].to_doubles();
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t k = 0; k < n; ++k) {
      std::complex<double> sum = 0;
      for (int64_t j = 0; j < n; ++j) {
        const auto at = static_cast<size_t>(row * n + j);
        const double turn =
            2 * std::numbers::pi * static_cast<double>(j * k) / static_cast<double>(n);
        sum += std::complex<double>(real[at], imag[at]) * std::polar(1.0, inverse ? turn : -turn);
      }
      c.expected[0].push_back(sum.real());
      c.expected[1].push_back(sum.imag());
    }
  }
  if (dtype == DType::float32) c.tolerance = 1e-5;
  cases.push_back(std::move(c));
}

}  // namespace

OpCases matrix_cases() {
  OpCases cases;
  const double root2 = std::sqrt(2.0);
  const double root5 = std::sqrt(5.0);
  for (DType dtype : {DType::float32, DType::float64}) {
    const auto add = [&](const char* op, const Tensors& inputs, const ir::Attrs& attrs,
                         const std::vector<std::vector<double>>& expected, bool gradient = true) {
      cases.push_back({.op = op,
                       .name = dtype_name(dtype),
                       .inputs = inputs,
                       .attrs = attrs,
                       .expected = expected,
                       .tolerance = dtype == DType::float32 ? 1e-5 : 1e-12,
                       .gradient = gradient,
                       .second_order = false});
    };
    const Tensor positive = tensor_of(dtype, {2, 2}, {4, 2, 2, 3});
    const Tensor x = tensor_of(dtype, {2, 2}, {3, 1, 4, 2});
    add("cholesky", {positive}, {}, {{2, 0, 1, root2}});
    add("cholesky", {tensor_of(dtype, {2, 1, 1}, {4, 9})}, {}, {{2, 3}});
    add("cholesky", {tensor_of(dtype, {0, 2, 2}, {})}, {}, {{}});
    add("triangular_solve", {positive, tensor_of(dtype, {2, 1}, {8, 10})}, {{"lower", true}},
        {{2, 2}});
    add("triangular_solve", {positive, tensor_of(dtype, {2, 1}, {8, 6})}, {{"lower", false}},
        {{1, 2}});
    add("solve", {x, tensor_of(dtype, {2, 2}, {5, 1, 8, 0})}, {}, {{1, 1, 2, -2}});
    add("slogdet", {x}, {}, {{1}, {std::log(2.0)}});
    add("lu_factor", {x}, {}, {{4, 2, 0.75, -0.5}, {1, 1}}, false);
    add("qr", {x}, {{"complete", false}}, {{-0.6, -0.8, -0.8, 0.6}, {-5, -2.2, 0, 0.4}});
    add("eigh", {tensor_of(dtype, {2, 2}, {4, 0, 2, 1})}, {},
        {{0, 5}, {-1 / root5, 2 / root5, 2 / root5, 1 / root5}});
    add("eig", {tensor_of(dtype, {2, 2}, {0, -1, 1, 0})}, {},
        {{0, 0}, {1, -1}, {-1 / root2, -1 / root2, 0, 0}, {0, 0, 1 / root2, -1 / root2}}, false);
    add("svd", {tensor_of(dtype, {2, 2}, {3, 0, 0, 2})}, {{"full", false}},
        {{1, 0, 0, 1}, {3, 2}, {1, 0, 0, 1}});
    for (const bool inverse : {false, true}) {
      for (const int64_t n : {1, 4, 7}) add_fourier(cases, dtype, n, inverse);
    }
  }
  return cases;
}

}  // namespace antler::test
