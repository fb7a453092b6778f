#include <nanobind/stl/tuple.h>

#include "antler/ops/nn/attention.h"
#include "antler/ops/nn/normalization.h"
#include "antler/ops/nn/recurrent.h"
#include "bindings.h"
#include "casters.h"

namespace antler::python {

void bind_nn_layers(nb::module_& m) {
  using nb::literals::operator""_a;
  m.def(
      "moments",
      [](const Tensor& x, const ops::Axes& axes, bool keepdims) {
        const auto [mean, variance] = ops::moments(x, axes, {keepdims});
        return std::pair(mean, variance);
      },
      "x"_a, "axes"_a, "keepdims"_a = false);
  m.def("batch_normalization",
        static_cast<Tensor (*)(const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                               const Tensor&, double)>(&ops::batch_normalization),
        "x"_a, "mean"_a, "variance"_a, "offset"_a = nb::none(), "scale"_a = nb::none(),
        "epsilon"_a = 1e-3);
  m.def("layer_normalization", &ops::normalize_layer, "x"_a, "gamma"_a = nb::none(),
        "beta"_a = nb::none(), "axes"_a = std::vector<int64_t>{-1}, "epsilon"_a = 1e-7);
  m.def("rms_normalization", &ops::normalize_rms, "x"_a, "scale"_a = nb::none(),
        "axes"_a = std::vector<int64_t>{-1}, "epsilon"_a = 1e-7);
  m.def("normalize", &ops::normalize, "x"_a, "axes"_a = std::vector<int64_t>{-1}, "order"_a = 2,
        "epsilon"_a = 1e-7);
  m.def(
      "dot_product_attention",
      [](const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& bias,
         const Tensor& mask, std::optional<double> scale, bool is_causal,
         std::optional<bool> flash_attention) {
        return ops::dot_product_attention(query, key, value,
                                          {bias, mask, scale, is_causal, flash_attention});
      },
      "query"_a, "key"_a, "value"_a, "bias"_a = nb::none(), "mask"_a = nb::none(),
      "scale"_a = nb::none(), "is_causal"_a = false, "flash_attention"_a = nb::none());
  m.def(
      "lstm",
      [](const Tensor& x, const Tensor& h0, const Tensor& c0, const Tensor& kernel,
         const Tensor& recurrent, const Tensor& bias, bool reverse) {
        const auto [sequence, h, c] = ops::lstm(x, h0, c0, kernel, recurrent, bias, {reverse});
        return std::make_tuple(sequence, h, c);
      },
      "x"_a, "h0"_a, "c0"_a, "kernel"_a, "recurrent"_a, "bias"_a = nb::none(), "reverse"_a = false);
  m.def(
      "gru",
      [](const Tensor& x, const Tensor& h0, const Tensor& kernel, const Tensor& recurrent,
         const Tensor& bias, bool reset_after, bool reverse) {
        const auto [sequence, h] = ops::gru(x, h0, kernel, recurrent, bias, {reset_after, reverse});
        return std::pair(sequence, h);
      },
      "x"_a, "h0"_a, "kernel"_a, "recurrent"_a, "bias"_a = nb::none(), "reset_after"_a = true,
      "reverse"_a = false);
}

}  // namespace antler::python
