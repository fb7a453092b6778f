#include "antler/runtime/function.h"

#include <memory>

#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "bindings.h"
#include "casters.h"

namespace antler::python {
namespace {

/// The attribute of the Python object that holds the traced callable.
constexpr const char* kBody = "_body";

/// A Python object that C++ may copy and destroy on any thread.
std::shared_ptr<nb::object> shared(nb::object object) {
  return {new nb::object(std::move(object)), [](nb::object* pointer) {
            if (Py_IsInitialized() == 0) return;  // the interpreter has already freed everything
            const nb::gil_scoped_acquire gil;
            delete pointer;
          }};
}

/// Calls the body of `self` through a weak reference. The callable itself is an attribute, so that
/// Python's garbage collector sees it and can break cycles of a model and its functions.
Function::Body body_of(nb::handle self) {
  return [weak = shared(nb::steal(PyWeakref_NewRef(self.ptr(), nullptr)))](
             const Nest& arguments) -> Nest {
    const nb::gil_scoped_acquire gil;
    const nb::object owner = (*weak)();
    if (owner.is_none()) throw RuntimeError("The function that is traced no longer exists.");
    return to_nest(owner.attr(kBody)(from_nest(arguments)));
  };
}

Nest call(const Function& function, const Nest& arguments) {
  const nb::gil_scoped_release unlocked;
  return function(arguments);
}

/// The dtypes and shapes that `function` returns for arguments of these specs. Its assignments to
/// variables are discarded.
Nest output_specs(const std::function<Nest(const Nest&)>& function, const Nest& specs) {
  ir::Tracer tracer;
  const Nest inputs = specs.map(
      [&](const Tensor& leaf) { return leaf.defined() ? tracer.input(leaf.spec()) : Tensor(); });
  return function(inputs).map([](const Tensor& leaf) {
    return leaf.defined() ? Tensor::spec_only(leaf.spec()) : Tensor();
  });
}

/// TraceSuspension as a Python context manager.
class Suspension {
 public:
  void enter() { suspension_ = std::make_unique<ir::TraceSuspension>(); }
  void exit() { suspension_.reset(); }

 private:
  std::unique_ptr<ir::TraceSuspension> suspension_;
};

}  // namespace

void bind_function(nb::module_& m) {
  nb::class_<Function> type(m, "Function", nb::is_weak_referenceable(), nb::dynamic_attr(),
                            "A function of one tree of tensors that is traced and compiled once "
                            "for each signature.");
  type.def(
      "__init__",
      [](nb::pointer_and_handle<Function> self, const nb::object& body, const std::string& name,
         bool jit_compile, bool run_eagerly) {
        nb::setattr(self.h, kBody, body);
        new (self.p)
            Function(body_of(self.h),
                     {.name = name, .jit_compile = jit_compile, .run_eagerly = run_eagerly});
      },
      nb::arg("body"), nb::arg("name") = "function", nb::arg("jit_compile") = true,
      nb::arg("run_eagerly") = false);
  type.def("__call__", &call, nb::arg("arguments"));
  type.def_prop_ro("trace_count", &Function::trace_count);
  m.def("output_specs", &output_specs, nb::arg("function"), nb::arg("specs"));
  m.def("is_tracing", [] { return ir::Tracer::current() != nullptr; });
  nb::class_<Suspension>(m, "TraceSuspension", "Operations in the block run at once.")
      .def(nb::init<>())
      .def("__enter__", &Suspension::enter)
      .def("__exit__", [](Suspension& self, const nb::args& /*exception*/) { self.exit(); });
}

}  // namespace antler::python
