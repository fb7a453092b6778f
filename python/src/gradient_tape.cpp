#include "antler/autodiff/gradient_tape.h"

#include <memory>
#include <optional>

#include "antler/autodiff/remat.h"
#include "antler/base/error.h"
#include "bindings.h"
#include "casters.h"

namespace antler::python {
namespace {

GradientOptions options_of(bool zero) {
  return {.unconnected_gradients = zero ? UnconnectedGradients::zero : UnconnectedGradients::none};
}

/// GradientTape as a Python context manager: records during the `with` block.
class PythonTape {
 public:
  explicit PythonTape(GradientTapeOptions options) : options_(options) {}

  void enter() { tape_ = std::make_unique<GradientTape>(options_); }
  void exit() {
    if (tape_ != nullptr) stopped_ = std::make_unique<GradientTape::StopRecording>(*tape_);
  }
  GradientTape& tape() {
    if (tape_ == nullptr) throw RuntimeError("The tape has not been entered: use `with`.");
    return *tape_;
  }
  void reset() { tape().reset(); }

 private:
  GradientTapeOptions options_;
  std::unique_ptr<GradientTape> tape_;
  std::unique_ptr<GradientTape::StopRecording> stopped_;
};

Tensors gradient(PythonTape& self, const Tensors& targets, const Tensors& sources,
                 const std::optional<Tensors>& output_gradients, bool zero) {
  return self.tape().gradient(targets, sources, output_gradients.value_or(Tensors{}),
                              options_of(zero));
}

/// RematRegion as a Python context manager.
struct PythonRematRegion {
  void enter() { region.emplace(); }
  void exit() { region.reset(); }
  std::optional<RematRegion> region;
};

}  // namespace

void bind_gradient_tape(nb::module_& m) {
  nb::class_<PythonTape> type(m, "Tape");
  type.def(
      "__init__",
      [](PythonTape* self, bool persistent, bool watch_accessed_variables) {
        new (self) PythonTape(
            {.persistent = persistent, .watch_accessed_variables = watch_accessed_variables});
      },
      nb::arg("persistent") = false, nb::arg("watch_accessed_variables") = true);
  type.def("enter", &PythonTape::enter);
  type.def("exit", &PythonTape::exit);
  type.def("watch", [](PythonTape& self, const Tensor& tensor) { self.tape().watch(tensor); });
  type.def("watch_variable",
           [](PythonTape& self, const Variable& variable) { self.tape().watch(variable); });
  type.def("gradient", &gradient, nb::arg("targets"), nb::arg("sources"),
           nb::arg("output_gradients") = nb::none(), nb::arg("zero") = false);
  type.def(
      "gradient_of_variables",
      [](PythonTape& self, const Tensor& target, const Variables& sources, bool zero) {
        return self.tape().gradient(target, sources, options_of(zero));
      },
      nb::arg("target"), nb::arg("sources"), nb::arg("zero") = false);
  type.def("jacobian", [](PythonTape& self, const Tensor& target, const Tensor& source) {
    return self.tape().jacobian(target, source);
  });
  type.def("watched_variables", [](PythonTape& self) { return self.tape().watched_variables(); });
  type.def("reset", &PythonTape::reset);
  m.def(
      "custom_gradient",
      [](const std::function<Tensors(const Tensors&)>& forward,
         const std::function<Tensors(const Tensors&, const Tensors&, const Tensors&)>& backward,
         const Tensors& inputs) { return custom_gradient(forward, backward, inputs); },
      nb::arg("forward"), nb::arg("backward"), nb::arg("inputs"));
  nb::class_<PythonRematRegion>(m, "RematRegion",
                                "Values traced in the block are computed again for the gradient.")
      .def(nb::init<>())
      .def("__enter__", &PythonRematRegion::enter)
      .def("__exit__", [](PythonRematRegion& self, const nb::args& /*exception*/) { self.exit(); });
}

}  // namespace antler::python
