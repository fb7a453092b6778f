#include "antler/training/steps_per_execution_tuner.h"

#include "bindings.h"
#include "casters.h"

namespace antler::python {
namespace {

/// Releases the GIL, because the tuner's thread may be waiting for it.
void stop(StepsPerExecutionTuner& tuner) {
  const nb::gil_scoped_release unlocked;
  tuner.stop();
}

}  // namespace

void bind_steps_per_execution(nb::module_& m) {
  using nb::literals::operator""_a;
  nb::class_<StepsPerExecution>(m, "StepsPerExecution",
                                "The number of steps per execution of a loop, which a tuner may "
                                "change, and a count of the steps done.")
      .def(nb::init<int64_t>(), "value"_a = 1)
      .def_prop_ro("value", &StepsPerExecution::value)
      .def("assign", &StepsPerExecution::assign, "value"_a)
      .def_prop_ro("steps_done", &StepsPerExecution::steps_done)
      .def("add_steps", &StepsPerExecution::add_steps, "n"_a,
           "A loop reports its steps with this.");

  nb::class_<StepsPerExecutionTuner>(
      m, "StepsPerExecutionTuner",
      "Keras's StepsPerExecutionTuner: a thread that measures steps per second and changes the "
      "number of steps per execution. `optimizer` is only there for Keras's signature; the tuner "
      "counts the steps that the loop adds to `spe_variable`.")
      .def(
          "__init__",
          [](StepsPerExecutionTuner* self, nb::handle, const StepsPerExecution& variable,
             double interval, int64_t change_spe_interval, double change_threshold) {
            new (self)
                StepsPerExecutionTuner([variable] { return variable.steps_done(); }, variable,
                                       {.interval = interval,
                                        .change_spe_interval = change_spe_interval,
                                        .change_threshold = change_threshold});
          },
          nb::arg("optimizer").none(), "spe_variable"_a, "interval"_a = 5.0,
          "change_spe_interval"_a = 10, "change_threshold"_a = 0.1)
      .def("start", &StepsPerExecutionTuner::start)
      .def("stop", &stop)
      .def_prop_rw("steps_per_execution", &StepsPerExecutionTuner::steps_per_execution,
                   &StepsPerExecutionTuner::set_steps_per_execution)
      .def_prop_ro("interval", &StepsPerExecutionTuner::interval)
      .def_prop_ro("change_spe_interval", &StepsPerExecutionTuner::change_spe_interval)
      .def_prop_ro("spe_change_threshold", &StepsPerExecutionTuner::spe_change_threshold)
      .def_prop_ro("spe_measurement_count", &StepsPerExecutionTuner::spe_measurement_count)
      .def_prop_ro("init_spe", &StepsPerExecutionTuner::init_spe)
      .def("measure_and_tune", &StepsPerExecutionTuner::measure_and_tune);
}

}  // namespace antler::python
