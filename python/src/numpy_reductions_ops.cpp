#include "antler/ops/numpy/reductions.h"

#include "bindings.h"
#include "casters.h"

namespace antler::python {
namespace {

using Reduction = Tensor (*)(const Tensor&, const ops::Axes&, ops::ReduceOptions);
using Extremum = Tensor (*)(const Tensor&, std::optional<int64_t>, ops::ReduceOptions);
using Cumulation = Tensor (*)(const Tensor&, std::optional<int64_t>, ops::CumulativeOptions);
using CumulativeExtremum = Tensor (*)(const Tensor&, int64_t, ops::CumulativeExtremumOptions);

template <Reduction F>
void bind_reduction(nb::module_& m, const char* name) {
  m.def(
      name,
      [](const Tensor& x, const ops::Axes& axis, bool keepdims) {
        return F(x, axis, {.keepdims = keepdims});
      },
      nb::arg("x"), nb::arg("axis").none() = nb::none(), nb::arg("keepdims") = false);
}

template <Extremum F>
void bind_extremum(nb::module_& m, const char* name) {
  m.def(
      name,
      [](const Tensor& x, std::optional<int64_t> axis, bool keepdims) {
        return F(x, axis, {.keepdims = keepdims});
      },
      nb::arg("x"), nb::arg("axis").none() = nb::none(), nb::arg("keepdims") = false);
}

template <Cumulation F>
void bind_cumulation(nb::module_& m, const char* name) {
  m.def(
      name,
      [](const Tensor& x, std::optional<int64_t> axis, bool reverse, bool exclusive) {
        return F(x, axis, {.reverse = reverse, .exclusive = exclusive});
      },
      nb::arg("x"), nb::arg("axis").none() = nb::none(), nb::arg("reverse") = false,
      nb::arg("exclusive") = false);
}

template <CumulativeExtremum F>
void bind_cumulative_extremum(nb::module_& m, const char* name) {
  m.def(
      name,
      [](const Tensor& x, int64_t axis, bool reverse) { return F(x, axis, {.reverse = reverse}); },
      nb::arg("x"), nb::arg("axis"), nb::arg("reverse") = false);
}

}  // namespace

void bind_numpy_reductions_ops(nb::module_& m) {
  using nb::literals::operator""_a;
  bind_reduction<&ops::sum>(m, "sum");
  bind_reduction<&ops::prod>(m, "prod");
  bind_reduction<&ops::max>(m, "max");
  bind_reduction<&ops::min>(m, "min");
  bind_reduction<&ops::amax>(m, "amax");
  bind_reduction<&ops::amin>(m, "amin");
  bind_reduction<&ops::any>(m, "any");
  bind_reduction<&ops::all>(m, "all");
  bind_reduction<&ops::mean>(m, "mean");
  bind_reduction<&ops::var>(m, "var");
  bind_reduction<&ops::std>(m, "std");
  bind_reduction<&ops::logsumexp>(m, "logsumexp");
  bind_reduction<&ops::nansum>(m, "nansum");
  bind_reduction<&ops::nanprod>(m, "nanprod");
  bind_reduction<&ops::nanmax>(m, "nanmax");
  bind_reduction<&ops::nanmin>(m, "nanmin");
  bind_reduction<&ops::nanmean>(m, "nanmean");
  bind_reduction<&ops::nanvar>(m, "nanvar");
  bind_reduction<&ops::nanstd>(m, "nanstd");
  m.def("count_nonzero", &ops::count_nonzero, "x"_a, "axis"_a.none() = nb::none());
  bind_extremum<&ops::argmax>(m, "argmax");
  bind_extremum<&ops::argmin>(m, "argmin");
  bind_extremum<&ops::nanargmax>(m, "nanargmax");
  bind_extremum<&ops::nanargmin>(m, "nanargmin");
  m.def(
      "trapezoid",
      [](const Tensor& y, const Tensor& x, double dx, int64_t axis) {
        return ops::trapezoid(y, {.x = x, .dx = dx, .axis = axis});
      },
      "y"_a, "x"_a.none() = nb::none(), "dx"_a = 1.0, "axis"_a = -1);
  bind_cumulation<&ops::cumsum>(m, "cumsum");
  bind_cumulation<&ops::cumprod>(m, "cumprod");
  bind_cumulative_extremum<&ops::cummax>(m, "cummax");
  bind_cumulative_extremum<&ops::cummin>(m, "cummin");
  m.def("nancumsum", &ops::nancumsum, "x"_a, "axis"_a.none() = nb::none());
  m.def("nancumprod", &ops::nancumprod, "x"_a, "axis"_a.none() = nb::none());
  m.def("diff", &ops::diff, "x"_a, "n"_a = 1, "axis"_a = -1);
  m.def("segment_sum", &ops::segment_sum, "data"_a, "segment_ids"_a, "segments"_a = nb::none());
  m.def("segment_prod", &ops::segment_prod, "data"_a, "segment_ids"_a, "segments"_a = nb::none());
  m.def("segment_max", &ops::segment_max, "data"_a, "segment_ids"_a, "segments"_a = nb::none());
  m.def("segment_min", &ops::segment_min, "data"_a, "segment_ids"_a, "segments"_a = nb::none());
}

}  // namespace antler::python
