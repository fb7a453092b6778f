#include "antler/ops/numpy/creation.h"

#include "bindings.h"
#include "casters.h"

namespace antler::python {
namespace {

using MaybeDType = std::optional<DType>;

std::optional<DTypeArg> creation_dtype(MaybeDType dtype) {
  return dtype ? std::optional<DTypeArg>(*dtype) : std::nullopt;
}

}  // namespace

void bind_numpy_creation_ops(nb::module_& m) {
  using nb::literals::operator""_a;
  const auto dtype = "dtype"_a = nb::none();
  m.def("copy", &ops::copy, "x"_a);
  m.def(
      "zeros", [](const Shape& shape, DType type) { return ops::zeros(shape, type); }, "shape"_a,
      "dtype"_a);
  m.def(
      "ones", [](const Shape& shape, DType type) { return ops::ones(shape, type); }, "shape"_a,
      "dtype"_a);
  m.def(
      "empty", [](const Shape& shape, DType type) { return ops::empty(shape, type); }, "shape"_a,
      "dtype"_a);
  m.def(
      "full",
      [](const Shape& shape, const Tensor& value, DType type) {
        return ops::full(shape, value, type);
      },
      "shape"_a, "value"_a, "dtype"_a);
  m.def(
      "empty_like",
      [](const Tensor& x, MaybeDType type) { return ops::empty_like(x, creation_dtype(type)); },
      "x"_a, dtype);
  m.def("zeros_like", static_cast<Tensor (*)(const Tensor&)>(&ops::zeros_like), "x"_a);
  m.def("ones_like", static_cast<Tensor (*)(const Tensor&)>(&ops::ones_like), "x"_a);
  m.def("full_like", static_cast<Tensor (*)(const Tensor&, const Tensor&)>(&ops::full_like), "x"_a,
        "value"_a);
  m.def(
      "arange",
      [](int64_t start, int64_t stop, int64_t step, MaybeDType type) {
        return ops::arange(start, stop, step, {.dtype = creation_dtype(type)});
      },
      "start"_a, "stop"_a, "step"_a = 1, dtype);
  m.def(
      "arange_floating",
      [](double start, double stop, double step, MaybeDType type) {
        return ops::arange_floating(start, stop, step, {.dtype = creation_dtype(type)});
      },
      "start"_a, "stop"_a, "step"_a, dtype);
  m.def("iota", &ops::iota, "shape"_a, "axis"_a, "dtype"_a = "int32");
  m.def(
      "linspace",
      [](const Tensor& start, const Tensor& stop, int64_t num, bool endpoint, MaybeDType type,
         int64_t axis) {
        return ops::linspace(start, stop, num,
                             {.endpoint = endpoint, .dtype = creation_dtype(type), .axis = axis});
      },
      "start"_a, "stop"_a, "num"_a = 50, "endpoint"_a = true, dtype, "axis"_a = 0);
  m.def(
      "linspace_step",
      [](const Tensor& start, const Tensor& stop, int64_t num, bool endpoint) {
        return ops::linspace_step(start, stop, num, {.endpoint = endpoint});
      },
      "start"_a, "stop"_a, "num"_a = 50, "endpoint"_a = true);
  m.def(
      "logspace",
      [](const Tensor& start, const Tensor& stop, int64_t num, bool endpoint, double base,
         MaybeDType type, int64_t axis) {
        return ops::logspace(
            start, stop, num,
            {.endpoint = endpoint, .base = base, .dtype = creation_dtype(type), .axis = axis});
      },
      "start"_a, "stop"_a, "num"_a = 50, "endpoint"_a = true, "base"_a = 10, dtype, "axis"_a = 0);
  m.def(
      "geomspace",
      [](const Tensor& start, const Tensor& stop, int64_t num, bool endpoint, MaybeDType type,
         int64_t axis) {
        return ops::geomspace(start, stop, num,
                              {.endpoint = endpoint, .dtype = creation_dtype(type), .axis = axis});
      },
      "start"_a, "stop"_a, "num"_a = 50, "endpoint"_a = true, dtype, "axis"_a = 0);
  m.def(
      "meshgrid",
      [](const std::vector<Tensor>& xs, const std::string& indexing) {
        return ops::meshgrid(xs, indexing);
      },
      "xs"_a, "indexing"_a = "xy");
  m.def(
      "eye",
      [](int64_t rows, std::optional<int64_t> columns, int64_t k, MaybeDType type) {
        return ops::eye(rows, columns, k, type.value_or(default_float()));
      },
      "rows"_a, "columns"_a = nb::none(), "k"_a = 0, dtype);
  m.def(
      "identity",
      [](int64_t n, MaybeDType type) { return ops::identity(n, type.value_or(default_float())); },
      "n"_a, dtype);
  m.def(
      "tri",
      [](int64_t rows, std::optional<int64_t> columns, int64_t k, MaybeDType type) {
        return ops::tri(rows, columns, k, type.value_or(default_float()));
      },
      "rows"_a, "columns"_a = nb::none(), "k"_a = 0, dtype);
  m.def("tril", &ops::tril, "x"_a, "k"_a = 0);
  m.def("triu", &ops::triu, "x"_a, "k"_a = 0);
  m.def("diag", &ops::diag, "x"_a, "k"_a = 0);
  m.def("diagflat", &ops::diagflat, "x"_a, "k"_a = 0);
  m.def("diagonal", &ops::diagonal, "x"_a, "offset"_a = 0, "axis1"_a = 0, "axis2"_a = 1);
  m.def("trace", &ops::trace, "x"_a, "offset"_a = 0, "axis1"_a = 0, "axis2"_a = 1);
  m.def(
      "vander",
      [](const Tensor& x, std::optional<int64_t> n, bool increasing) {
        return ops::vander(x, n, {.increasing = increasing});
      },
      "x"_a, "n"_a = nb::none(), "increasing"_a = false);
  m.def("bartlett", &ops::bartlett, "length"_a);
  m.def("blackman", &ops::blackman, "length"_a);
  m.def("hamming", &ops::hamming, "length"_a);
  m.def("hanning", &ops::hanning, "length"_a);
  m.def("kaiser", &ops::kaiser, "length"_a, "beta"_a);
}

}  // namespace antler::python
