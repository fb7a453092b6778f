#include "antler/ops/numpy/statistics.h"

#include "bindings.h"
#include "casters.h"

namespace antler::python {
namespace {

using AxesReduction = Tensor (*)(const Tensor&, const ops::Axes&, ops::ReduceOptions);
using Quantile = Tensor (*)(const Tensor&, const Tensor&, const ops::Axes&,
                            const ops::QuantileOptions&);

template <AxesReduction F>
void bind_axes_reduction(nb::module_& m, const char* name) {
  m.def(
      name,
      [](const Tensor& x, const ops::Axes& axis, bool keepdims) {
        return F(x, axis, {.keepdims = keepdims});
      },
      nb::arg("x"), nb::arg("axis").none() = nb::none(), nb::arg("keepdims") = false);
}

template <Quantile F>
void bind_quantile(nb::module_& m, const char* name) {
  m.def(
      name,
      [](const Tensor& x, const Tensor& q, const ops::Axes& axis, const std::string& method,
         bool keepdims) { return F(x, q, axis, {.method = method, .keepdims = keepdims}); },
      nb::arg("x"), nb::arg("q"), nb::arg("axis").none() = nb::none(), nb::arg("method") = "linear",
      nb::arg("keepdims") = false);
}

}  // namespace

void bind_numpy_statistics_ops(nb::module_& m) {
  using nb::literals::operator""_a;
  m.def(
      "average",
      [](const Tensor& x, const ops::Axes& axis, const Tensor& weights) {
        return ops::average(x, axis, {.weights = weights});
      },
      "x"_a, "axis"_a.none() = nb::none(), "weights"_a.none() = nb::none());
  bind_axes_reduction<&ops::median>(m, "median");
  bind_axes_reduction<&ops::nanmedian>(m, "nanmedian");
  bind_axes_reduction<&ops::ptp>(m, "ptp");
  bind_quantile<&ops::quantile>(m, "quantile");
  bind_quantile<&ops::percentile>(m, "percentile");
  bind_quantile<&ops::nanquantile>(m, "nanquantile");
  bind_quantile<&ops::nanpercentile>(m, "nanpercentile");
  m.def("corrcoef", &ops::corrcoef, "x"_a);
  m.def("digitize", &ops::digitize, "x"_a, "bins"_a);
  m.def(
      "bincount",
      [](const Tensor& x, const Tensor& weights, int64_t minlength, std::optional<int64_t> size) {
        return ops::bincount(x, {.weights = weights, .minlength = minlength, .size = size});
      },
      "x"_a, "weights"_a.none() = nb::none(), "minlength"_a = 0, "size"_a = nb::none());
  m.def(
      "histogram",
      [](const Tensor& x, int64_t bins, std::optional<std::pair<double, double>> range) {
        const ops::Histogram histogram = ops::histogram(x, bins, range);
        return std::pair(histogram.counts, histogram.edges);
      },
      "x"_a, "bins"_a = 10, "range"_a = nb::none());
}

}  // namespace antler::python
