#include "antler/ops/numpy/sorting.h"

#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bindings.h"
#include "casters.h"

namespace antler::python {

void bind_numpy_sorting_ops(nb::module_& m) {
  using nb::literals::operator""_a;
  m.def(
      "sort",
      [](const Tensor& x, int64_t axis, bool descending) {
        return ops::sort(x, axis, {.descending = descending});
      },
      "x"_a, "axis"_a = -1, "descending"_a = false);
  m.def(
      "argsort",
      [](const Tensor& x, int64_t axis, bool descending) {
        return ops::argsort(x, axis, {.descending = descending});
      },
      "x"_a, "axis"_a = -1, "descending"_a = false);
  m.def("argpartition", &ops::argpartition, "x"_a, "kth"_a, "axis"_a = -1);
  m.def(
      "top_k",
      [](const Tensor& x, int64_t k) {
        const ops::TopK top = ops::top_k(x, k);
        return std::pair(top.values, top.indices);
      },
      "x"_a, "k"_a);
  m.def("in_top_k", &ops::in_top_k, "targets"_a, "predictions"_a, "k"_a);
  m.def("searchsorted", &ops::searchsorted, "sorted"_a, "values"_a, "side"_a = "left");
  m.def(
      "isin",
      [](const Tensor& x, const Tensor& y, bool invert) {
        return ops::isin(x, y, {.invert = invert});
      },
      "x"_a, "y"_a, "invert"_a = false);
  m.def(
      "unique",
      [](const Tensor& x, std::optional<int64_t> axis, std::optional<int64_t> size,
         std::optional<double> fill_value) {
        const ops::Unique unique =
            ops::unique(x, {.axis = axis, .size = size, .fill_value = fill_value});
        return std::tuple(unique.values, unique.indices, unique.inverse, unique.counts);
      },
      "x"_a, "axis"_a = nb::none(), "size"_a = nb::none(), "fill_value"_a = nb::none());
  m.def("nonzero", &ops::nonzero, "x"_a);
  m.def("unravel_index", &ops::unravel_index, "indices"_a, "shape"_a);
}

}  // namespace antler::python
