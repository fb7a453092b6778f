#include "antler/ops/numpy/products.h"

#include "bindings.h"
#include "casters.h"

namespace antler::python {
namespace {

using Dims = std::vector<int64_t>;

}  // namespace

void bind_numpy_products_ops(nb::module_& m) {
  using nb::literals::operator""_a;
  m.def(
      "dot_general",
      [](const Tensor& x, const Tensor& y, const Dims& lhs_contract, const Dims& rhs_contract,
         const Dims& lhs_batch, const Dims& rhs_batch) {
        return ops::dot_general(x, y, {lhs_contract, rhs_contract, lhs_batch, rhs_batch});
      },
      "x"_a, "y"_a, "lhs_contract"_a, "rhs_contract"_a, "lhs_batch"_a = Dims(),
      "rhs_batch"_a = Dims());
  m.def("matmul", &ops::matmul, "x"_a, "y"_a);
  m.def("tensordot", nb::overload_cast<const Tensor&, const Tensor&, int64_t>(&ops::tensordot),
        "x"_a, "y"_a, "axes"_a);
  m.def("tensordot",
        nb::overload_cast<const Tensor&, const Tensor&, const Dims&, const Dims&>(&ops::tensordot),
        "x"_a, "y"_a, "x_axes"_a, "y_axes"_a);
  m.def(
      "einsum",
      [](const std::string& equation, const std::vector<Tensor>& operands) {
        return ops::einsum(equation, operands);
      },
      "equation"_a, "operands"_a);
  m.def("dot", &ops::dot, "x"_a, "y"_a);
  m.def("inner", &ops::inner, "x"_a, "y"_a);
  m.def("outer", &ops::outer, "x"_a, "y"_a);
  m.def("vdot", &ops::vdot, "x"_a, "y"_a);
  m.def("kron", &ops::kron, "x"_a, "y"_a);
  m.def(
      "cross",
      [](const Tensor& x, const Tensor& y, int64_t axisa, int64_t axisb, int64_t axisc,
         std::optional<int64_t> axis) {
        return ops::cross(x, y, {.axisa = axisa, .axisb = axisb, .axisc = axisc, .axis = axis});
      },
      "x"_a, "y"_a, "axisa"_a = -1, "axisb"_a = -1, "axisc"_a = -1, "axis"_a = nb::none());
  m.def("correlate", &ops::correlate, "x"_a, "y"_a, "mode"_a = "valid");
  m.def("cdist", &ops::cdist, "x"_a, "y"_a);
}

}  // namespace antler::python
