#include "antler/ops/control_flow.h"

#include "bindings.h"
#include "casters.h"

namespace antler::python {

void bind_control_flow(nb::module_& m) {
  m.def(
      "cond",
      [](const Tensor& predicate, const std::function<Tensors()>& if_true,
         const std::function<Tensors()>& if_false) {
        return ops::cond(predicate, if_true, if_false);
      },
      nb::arg("predicate"), nb::arg("if_true"), nb::arg("if_false"));
  m.def(
      "switch",
      [](const Tensor& index, const std::vector<std::function<Tensors()>>& branches) {
        return ops::switch_(index, branches);
      },
      nb::arg("index"), nb::arg("branches"));
  m.def(
      "while_loop",
      [](const std::function<Tensor(const Tensors&)>& condition,
         const std::function<Tensors(const Tensors&)>& body, const Tensors& values,
         int64_t maximum_iterations) {
        return ops::while_loop(condition, body, values, {maximum_iterations});
      },
      nb::arg("condition"), nb::arg("body"), nb::arg("values"), nb::arg("maximum_iterations") = -1);
  m.def(
      "scan",
      [](const ops::ScanStep& step, const Tensors& init, const Tensors& xs, int64_t length,
         bool reverse) {
        ops::ScanResult result = ops::scan(step, init, xs, {.length = length, .reverse = reverse});
        return std::pair(std::move(result.carry), std::move(result.ys));
      },
      nb::arg("step"), nb::arg("init"), nb::arg("xs"), nb::arg("length") = -1,
      nb::arg("reverse") = false);
  m.def(
      "fori_loop",
      [](int64_t low, int64_t high,
         const std::function<Tensors(const Tensor&, const Tensors&)>& body,
         const Tensors& values) { return ops::fori_loop(low, high, body, values); },
      nb::arg("low"), nb::arg("high"), nb::arg("body"), nb::arg("values"));
  m.def(
      "map", [](const ops::TensorsFunction& f, const Tensors& xs) { return ops::map(f, xs); },
      nb::arg("f"), nb::arg("xs"));
  m.def(
      "associative_scan",
      [](const ops::Combine& combine, const Tensors& elements, bool reverse, int64_t axis) {
        return ops::associative_scan(combine, elements, {.reverse = reverse, .axis = axis});
      },
      nb::arg("combine"), nb::arg("elements"), nb::arg("reverse") = false, nb::arg("axis") = 0);
}

}  // namespace antler::python
