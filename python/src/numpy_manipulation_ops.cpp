#include "antler/ops/numpy/manipulation.h"

#include "bindings.h"
#include "casters.h"

namespace antler::python {
namespace {

using Sizes = std::vector<int64_t>;
using SplitParts = TensorParts (*)(const Tensor&, int64_t);
using SplitIndices = TensorParts (*)(const Tensor&, const Sizes&);

}  // namespace

void bind_numpy_manipulation_ops(nb::module_& m) {
  using nb::literals::operator""_a;
  m.def("broadcast_to", &ops::broadcast_to, "x"_a, "shape"_a);
  m.def("reshape", &ops::reshape, "x"_a, "shape"_a);
  m.def("ravel", &ops::ravel, "x"_a);
  m.def("transpose", &ops::transpose, "x"_a, "axes"_a = Sizes());
  m.def("swapaxes", &ops::swapaxes, "x"_a, "axis1"_a, "axis2"_a);
  m.def("moveaxis", &ops::moveaxis, "x"_a, "source"_a, "destination"_a);
  m.def("expand_dims", &ops::expand_dims, "x"_a, "axis"_a);
  m.def("squeeze", &ops::squeeze, "x"_a, "axis"_a = nb::none());
  m.def(
      "rearrange",
      [](const Tensor& x, const std::string& pattern, const std::map<std::string, int64_t>& sizes) {
        return ops::rearrange(x, pattern, {sizes.begin(), sizes.end()});
      },
      "x"_a, "pattern"_a, "sizes"_a = nb::dict());

  // Joining and splitting.
  m.def("concatenate", &ops::concatenate, "xs"_a, "axis"_a = 0);
  m.def("stack", &ops::stack, "xs"_a, "axis"_a = 0);
  m.def("append", &ops::append, "x"_a, "y"_a, "axis"_a = nb::none());
  m.def("hstack", &ops::hstack, "xs"_a);
  m.def("vstack", &ops::vstack, "xs"_a);
  m.def("dstack", &ops::dstack, "xs"_a);
  m.def("split", nb::overload_cast<const Tensor&, int64_t, int64_t>(&ops::split), "x"_a, "parts"_a,
        "axis"_a = 0);
  m.def("split", nb::overload_cast<const Tensor&, const Sizes&, int64_t>(&ops::split), "x"_a,
        "indices"_a, "axis"_a = 0);
  m.def("array_split", nb::overload_cast<const Tensor&, int64_t, int64_t>(&ops::array_split), "x"_a,
        "parts"_a, "axis"_a = 0);
  m.def("array_split", nb::overload_cast<const Tensor&, const Sizes&, int64_t>(&ops::array_split),
        "x"_a, "indices"_a, "axis"_a = 0);
  m.def("hsplit", SplitParts{&ops::hsplit}, "x"_a, "parts"_a);
  m.def("hsplit", SplitIndices{&ops::hsplit}, "x"_a, "indices"_a);
  m.def("vsplit", SplitParts{&ops::vsplit}, "x"_a, "parts"_a);
  m.def("vsplit", SplitIndices{&ops::vsplit}, "x"_a, "indices"_a);
  m.def("dsplit", SplitParts{&ops::dsplit}, "x"_a, "parts"_a);
  m.def("dsplit", SplitIndices{&ops::dsplit}, "x"_a, "indices"_a);

  // Padding.
  m.def(
      "pad",
      [](const Tensor& x, const Sizes& low, const Sizes& high, const Sizes& interior,
         const Tensor& value) { return ops::pad(x, low, high, interior, value); },
      "x"_a, "low"_a, "high"_a, "interior"_a = Sizes(), "value"_a = 0);
  m.def("pad_mirrored", &ops::pad_mirrored, "x"_a, "low"_a, "high"_a, "mode"_a);

  // Repeating and reordering.
  m.def("tile", &ops::tile, "x"_a, "repeats"_a);
  m.def("repeat", static_cast<Tensor (*)(const Tensor&, int64_t, int64_t)>(&ops::repeat), "x"_a,
        "count"_a, "axis"_a);
  m.def(
      "roll",
      [](const Tensor& x, int64_t shift, std::optional<int64_t> axis) {
        return axis ? ops::roll(x, shift, *axis) : ops::roll(x, shift);
      },
      "x"_a, "shift"_a, "axis"_a = nb::none());
  m.def("reverse", &ops::reverse, "x"_a, "axes"_a);
  m.def("flip", &ops::flip, "x"_a, "axis"_a.none() = nb::none());
  m.def("fliplr", &ops::fliplr, "x"_a);
  m.def("flipud", &ops::flipud, "x"_a);
  m.def("rot90", &ops::rot90, "x"_a, "k"_a = 1, "axis1"_a = 0, "axis2"_a = 1);

  // Selecting by index.
  m.def("take", nb::overload_cast<const Tensor&, const Tensor&, std::optional<int64_t>>(&ops::take),
        "x"_a, "indices"_a, "axis"_a = nb::none());
  m.def("take_along_axis",
        nb::overload_cast<const Tensor&, const Tensor&, std::optional<int64_t>>(
            &ops::take_along_axis),
        "x"_a, "indices"_a, "axis"_a = nb::none());
}

}  // namespace antler::python
