#include "casters.h"

#include <exception>

#include "antler/base/error.h"
#include "arrays.h"

namespace antler::python {
namespace {

/// keras.Variable and the like.
constexpr const char* kTensorMethod = "__antler_tensor__";

bool is_sequence(nb::handle object) {
  return nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object);
}

}  // namespace

Tensor to_tensor(nb::handle object) {
  if (object.is_none()) return {};
  if (TensorObject* own = nullptr; nb::try_cast(object, own)) return own->tensor;
  if (PyBool_Check(object.ptr())) return Tensor(object.ptr() == Py_True);
  if (PyLong_Check(object.ptr())) {
    const long long number = PyLong_AsLongLong(object.ptr());  // NOLINT(google-runtime-int)
    if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return Tensor(static_cast<int64_t>(number));
  }
  if (Py_TYPE(object.ptr()) == &PyFloat_Type) return Tensor(PyFloat_AsDouble(object.ptr()));
  if (nb::hasattr(object, kTensorMethod)) return to_tensor(object.attr(kTensorMethod)());
  return copy_array(object);
}

Nest to_nest(nb::handle object) {
  if (nb::isinstance<nb::dict>(object)) {
    Nest::Items items;
    for (auto [key, value] : nb::borrow<nb::dict>(object))
      items.emplace_back(nb::cast<std::string>(nb::str(key)), to_nest(value));
    return Nest::dict(std::move(items));
  }
  if (is_sequence(object)) {
    std::vector<Nest> parts;
    for (nb::handle part : object) parts.push_back(to_nest(part));
    return parts;
  }
  return to_tensor(object);
}

nb::object from_nest(const Nest& nest) {
  if (nest.is_tensor()) return nest.is_none() ? nb::none() : nb::cast(nest.tensor());
  if (nest.is_list()) {
    nb::list list;
    for (const auto& [key, value] : nest.items()) list.append(from_nest(value));
    return list;
  }
  nb::dict dict;
  for (const auto& [key, value] : nest.items()) dict[key.c_str()] = from_nest(value);
  return dict;
}

DType to_dtype(nb::handle object) {
  if (nb::isinstance<nb::str>(object)) return parse_dtype(nb::cast<std::string>(object));
  if (nb::hasattr(object, "name")) return to_dtype(object.attr("name"));
  if (nb::hasattr(object, "__name__")) {
    const auto name = nb::cast<std::string>(object.attr("__name__"));
    if (name == "float") return default_float();
    if (name == "int") return DType::int32;
    return parse_dtype(name);
  }
  throw TypeError("A dtype must be a name, such as \"float32\". Received: {}",
                  nb::cast<std::string>(nb::repr(object)));
}

std::vector<int64_t> to_integers(nb::handle object, int64_t none) {
  const auto number = [none](nb::handle part) -> int64_t {
    if (part.is_none()) return none;
    nb::object index = nb::steal(PyNumber_Index(part.ptr()));
    if (!index.is_valid()) throw nb::python_error();
    return nb::cast<int64_t>(index);
  };
  if (PyIndex_Check(object.ptr()) != 0) return {number(object)};
  std::vector<int64_t> integers;
  for (nb::handle part : object) integers.push_back(number(part));
  return integers;
}

}  // namespace antler::python

namespace nanobind::detail {
namespace {

/// Runs a conversion. Its exceptions become "no match", and nanobind raises a TypeError with the
/// signature. A function that needs a better message takes a handle and converts it itself.
template <class F>
bool converts(F&& f) noexcept {
  try {
    f();
    return true;
  } catch (...) {
    return false;
  }
}

/// Makes a Python object. C++ exceptions become Python errors.
template <class F>
handle made(F&& f) noexcept {
  try {
    return f();
  } catch (python_error& error) {
    error.restore();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return {};
}

}  // namespace

bool type_caster<antler::Tensor>::from_python(handle source, uint8_t, cleanup_list*) noexcept {
  return converts([&] { value = antler::python::to_tensor(source); });
}
handle type_caster<antler::Tensor>::from_cpp(const antler::Tensor& tensor, rv_policy,
                                             cleanup_list*) noexcept {
  if (!tensor.defined()) return none().release();
  return made([&] { return nanobind::cast(antler::python::TensorObject{tensor}).release(); });
}

bool type_caster<antler::Nest>::from_python(handle source, uint8_t, cleanup_list*) noexcept {
  return converts([&] { value = antler::python::to_nest(source); });
}
handle type_caster<antler::Nest>::from_cpp(const antler::Nest& nest, rv_policy,
                                           cleanup_list*) noexcept {
  return made([&] { return antler::python::from_nest(nest).release(); });
}

bool type_caster<antler::Shape>::from_python(handle source, uint8_t, cleanup_list*) noexcept {
  return converts(
      [&] { value = antler::Shape(antler::python::to_integers(source, antler::Shape::kUnknown)); });
}
handle type_caster<antler::Shape>::from_cpp(const antler::Shape& shape, rv_policy,
                                            cleanup_list*) noexcept {
  return made([&] {
    list dims;
    for (const int64_t dim : shape) {
      if (dim == antler::Shape::kUnknown)
        dims.append(none());
      else
        dims.append(dim);
    }
    return handle(PyList_AsTuple(dims.ptr()));
  });
}

bool type_caster<antler::DType>::from_python(handle source, uint8_t, cleanup_list*) noexcept {
  return !source.is_none() && converts([&] { value = antler::python::to_dtype(source); });
}
handle type_caster<antler::DType>::from_cpp(antler::DType dtype, rv_policy,
                                            cleanup_list*) noexcept {
  return str(antler::dtype_name(dtype)).release();
}

bool type_caster<antler::ops::Axes>::from_python(handle source, uint8_t, cleanup_list*) noexcept {
  return converts([&] {
    value = source.is_none() ? antler::ops::Axes{}
                             : antler::ops::Axes(antler::python::to_integers(source, 0));
  });
}

}  // namespace nanobind::detail
