#include "antler/ops/core.h"

#include "antler/base/error.h"
#include "bindings.h"
#include "casters.h"

namespace antler::python {
namespace {

ops::ScatterMode scatter_mode(const std::string& name) {
  if (name == "set") return ops::ScatterMode::set;
  if (name == "add") return ops::ScatterMode::add;
  if (name == "mul") return ops::ScatterMode::mul;
  if (name == "max") return ops::ScatterMode::max;
  if (name == "min") return ops::ScatterMode::min;
  throw ValueError("`mode` must be set, add, mul, max or min. Received: {}", name);
}

}  // namespace

void bind_core_ops(nb::module_& m) {
  using nb::literals::operator""_a;
  m.def(
      "convert_to_tensor",
      [](const Tensor& x, nb::handle dtype) {
        return ops::to_tensor(
            x, dtype.is_none() ? std::nullopt : std::optional<DTypeArg>(to_dtype(dtype)));
      },
      "x"_a, "dtype"_a = nb::none());
  m.def(
      "cast", [](const Tensor& x, nb::handle dtype) { return ops::cast(x, to_dtype(dtype)); },
      "x"_a, "dtype"_a);
  m.def("saturate_cast", &ops::saturate_cast, "x"_a, "dtype"_a);
  m.def("bitcast", &ops::bitcast, "x"_a, "dtype"_a);
  m.def("view", &ops::view, "x"_a, "dtype"_a);
  m.def("stop_gradient", &ops::stop_gradient, "x"_a);
  m.def("slice", &ops::slice, "x"_a, "starts"_a, "sizes"_a);
  m.def("dynamic_slice", &ops::dynamic_slice, "x"_a, "starts"_a, "sizes"_a);
  m.def("slice_update", &ops::slice_update, "x"_a, "start"_a, "updates"_a);
  m.def("unstack", &ops::unstack, "x"_a, "axis"_a = 0);
  m.def("gather_nd", &ops::gather_nd, "x"_a, "indices"_a);
  m.def(
      "scatter",
      [](const Tensor& x, const Tensor& indices, const Tensor& updates, const std::string& mode,
         int64_t axis) { return ops::scatter(x, indices, updates, scatter_mode(mode), axis); },
      "x"_a, "indices"_a, "updates"_a, "mode"_a = "set", "axis"_a = 0);
  m.def(
      "scatter_nd",
      [](const Tensor& x, const Tensor& indices, const Tensor& updates, const std::string& mode) {
        return ops::scatter_nd(x, indices, updates, scatter_mode(mode));
      },
      "x"_a, "indices"_a, "updates"_a, "mode"_a = "set");
}

}  // namespace antler::python
