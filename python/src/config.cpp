#include "antler/runtime/config.h"

#include "antler/version.h"
#include "bindings.h"
#include "casters.h"

namespace antler::python {

void bind_config(nb::module_& m) {
  m.attr("__version__") = ANTLER_VERSION;
  m.def("threads", &config::threads);
  m.def("set_threads", &config::set_threads, nb::arg("count"));
  m.def("deterministic", [] { return config::deterministic(); });
  m.def(
      "set_deterministic", [](bool on) { config::deterministic(on); }, nb::arg("on"));
  m.def("device", &config::device);
  m.def("set_device", &config::set_device, nb::arg("name"));
  m.def(
      "run_functions_eagerly", [](bool on) { config::run_functions_eagerly(on); }, nb::arg("on"));
  m.def("set_dump_sink", &config::set_dump_sink, nb::arg("sink").none(),
        "`sink(function, stage, text)` gets a printout of a program after each stage of its "
        "compilation; None: no dumps.");
  m.def("set_default_float", &set_default_float, nb::arg("dtype"));
}

}  // namespace antler::python
