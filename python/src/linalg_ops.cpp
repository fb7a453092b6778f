#include "antler/ops/linalg.h"

#include <nanobind/stl/tuple.h>

#include "bindings.h"
#include "casters.h"

namespace antler::python {
namespace {

using ComplexParts = std::pair<Tensor, Tensor>;

}  // namespace

void bind_linalg_ops(nb::module_& m) {
  using nb::literals::operator""_a;
  m.def(
      "cholesky", [](const Tensor& x, bool upper) { return ops::cholesky(x, {upper}); }, "x"_a,
      "upper"_a = false);
  m.def(
      "cholesky_inverse",
      [](const Tensor& x, bool upper) { return ops::cholesky_inverse(x, {upper}); }, "x"_a,
      "upper"_a = false);
  m.def("inv", &ops::inv, "x"_a);
  m.def("det", &ops::det, "x"_a);
  m.def("logdet", &ops::logdet, "x"_a);
  m.def(
      "slogdet",
      [](const Tensor& x) {
        const auto [sign, log_abs] = ops::slogdet(x);
        return std::pair(sign, log_abs);
      },
      "x"_a);
  m.def("solve", &ops::solve, "a"_a, "b"_a);
  m.def(
      "solve_triangular",
      [](const Tensor& a, const Tensor& b, bool lower) {
        return ops::solve_triangular(a, b, {lower});
      },
      "a"_a, "b"_a, "lower"_a = false);
  m.def(
      "lu_factor",
      [](const Tensor& x) {
        const auto [lu, pivots] = ops::lu_factor(x);
        return std::pair(lu, pivots);
      },
      "x"_a);
  m.def(
      "qr",
      [](const Tensor& x, const std::string& mode) {
        const auto [q, r] = ops::qr(x, mode);
        return std::pair(q, r);
      },
      "x"_a, "mode"_a = "reduced");
  m.def(
      "eigh",
      [](const Tensor& x) {
        const auto [values, vectors] = ops::eigh(x);
        return std::pair(values, vectors);
      },
      "x"_a);
  m.def(
      "eig",
      [](const Tensor& x) {
        const auto [values, vectors] = ops::eig(x);
        return std::pair(ComplexParts(values.real, values.imag),
                         ComplexParts(vectors.real, vectors.imag));
      },
      "x"_a, "Values and vectors, each as (real, imag).");
  m.def(
      "svd",
      [](const Tensor& x, bool full_matrices) {
        const auto [u, s, vt] = ops::svd(x, {full_matrices});
        return std::make_tuple(u, s, vt);
      },
      "x"_a, "full_matrices"_a = true);
  m.def("singular_values", &ops::singular_values, "x"_a);
  m.def("pinv", &ops::pinv, "x"_a, "rcond"_a = nb::none());
  m.def("matrix_rank", &ops::matrix_rank, "x"_a, "tol"_a = nb::none());
  m.def("lstsq", &ops::lstsq, "a"_a, "b"_a, "rcond"_a = nb::none());
  m.def(
      "norm",
      [](const Tensor& x, const std::string& ord, const ops::Axes& axes, bool keepdims) {
        return ops::norm(x, ord, axes, {keepdims});
      },
      "x"_a, "ord"_a, "axes"_a = nb::none(), "keepdims"_a = false);
  m.def(
      "norm",
      [](const Tensor& x, std::optional<double> ord, const ops::Axes& axes, bool keepdims) {
        return ops::norm(x, ord, axes, {keepdims});
      },
      "x"_a, "ord"_a = nb::none(), "axes"_a = nb::none(), "keepdims"_a = false);
}

}  // namespace antler::python
