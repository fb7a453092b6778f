#include "antler/core/variable.h"

#include <sstream>

#include "arrays.h"
#include "bindings.h"
#include "casters.h"
#include "operators.h"

namespace antler::python {

void bind_variable(nb::module_& m) {
  nb::class_<Variable> type(m, "Variable", nb::is_weak_referenceable(), nb::dynamic_attr(),
                            "Mutable state: reads and assignments inside of a traced function "
                            "become part of it.");
  type.def(
      "__init__",
      [](Variable* self, const Tensor& initial, const std::string& name, bool trainable) {
        new (self) Variable(initial, {.name = name, .trainable = trainable});
      },
      nb::arg("initial"), nb::arg("name") = "variable", nb::arg("trainable") = true);
  type.def_prop_ro("shape", [](const Variable& v) { return v.shape(); });
  type.def_prop_ro("dtype", &Variable::dtype);
  type.def_prop_rw("name", &Variable::name, &Variable::set_name);
  type.def_prop_rw("path", &Variable::path, &Variable::set_path);
  type.def_prop_rw("trainable", &Variable::trainable, &Variable::set_trainable);
  type.def_prop_ro("id", &Variable::id);
  type.def("value", &Variable::value, "The current value; symbolic while a function is traced.");
  type.def("__antler_tensor__", &Variable::value);
  type.def("assign", &Variable::assign, nb::arg("value"));
  type.def("assign_add", &Variable::assign_add, nb::arg("value"));
  type.def("assign_sub", &Variable::assign_sub, nb::arg("value"));
  type.def("numpy", [](const Variable& v) { return to_numpy(v.stored()); });
  type.def("stored", &Variable::stored, "The stored value, never symbolic.");
  type.def("store", &Variable::store, nb::arg("value"), "Sets the stored value, never symbolic.");
  bind_operators(type);
  type.def("__repr__", [](const Variable& v) {
    std::ostringstream out;
    out << v;
    return out.str();
  });
}

}  // namespace antler::python
