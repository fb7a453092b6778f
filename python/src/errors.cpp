#include "antler/base/error.h"

#include <exception>

#include "bindings.h"

namespace antler::python {
namespace {

/// Python has no classes for these errors. Each derives from a class that callers would catch.
PyObject* cancelled_error = nullptr;
PyObject* not_found_error = nullptr;
PyObject* out_of_range_error = nullptr;
PyObject* aborted_error = nullptr;
PyObject* unavailable_error = nullptr;
PyObject* deadline_exceeded_error = nullptr;
PyObject* resource_exhausted_error = nullptr;
PyObject* internal_error = nullptr;

PyObject* new_class(nb::module_& m, const char* name, PyObject* base) {
  const std::string qualified = std::string("antler.") + name;
  PyObject* type = PyErr_NewException(qualified.c_str(), base, nullptr);
  if (type == nullptr) throw nb::python_error();
  m.attr(name) = nb::handle(type);
  return type;
}

template <class E>
bool raises(const Error& error, PyObject* type) {
  const Error* pointer = &error;
  if (dynamic_cast<const E*>(pointer) == nullptr) return false;
  PyErr_SetString(type, error.what());
  return true;
}

void raise(const Error& error) {
  // Derived classes before their bases.
  (void)(raises<ValueError>(error, PyExc_ValueError) || raises<TypeError>(error, PyExc_TypeError) ||
         raises<NotImplementedError>(error, PyExc_NotImplementedError) ||
         raises<RuntimeError>(error, PyExc_RuntimeError) ||
         raises<KeyError>(error, PyExc_KeyError) ||
         raises<AttributeError>(error, PyExc_AttributeError) ||
         raises<IndexError>(error, PyExc_IndexError) || raises<IOError>(error, PyExc_OSError) ||
         raises<NotFoundError>(error, not_found_error) ||
         raises<OutOfRangeError>(error, out_of_range_error) ||
         raises<AbortedError>(error, aborted_error) ||
         raises<UnavailableError>(error, unavailable_error) ||
         raises<DeadlineExceededError>(error, deadline_exceeded_error) ||
         raises<CancelledError>(error, cancelled_error) ||
         raises<ResourceExhaustedError>(error, resource_exhausted_error) ||
         raises<InternalError>(error, internal_error) ||
         (PyErr_SetString(PyExc_RuntimeError, error.what()), true));
}

}  // namespace

void bind_errors(nb::module_& m) {
  not_found_error = new_class(m, "NotFoundError", PyExc_FileNotFoundError);
  out_of_range_error = new_class(m, "OutOfRangeError", PyExc_IndexError);
  aborted_error = new_class(m, "AbortedError", PyExc_RuntimeError);
  unavailable_error = new_class(m, "UnavailableError", PyExc_ConnectionError);
  deadline_exceeded_error = new_class(m, "DeadlineExceededError", PyExc_TimeoutError);
  cancelled_error = new_class(m, "CancelledError", PyExc_RuntimeError);
  resource_exhausted_error = new_class(m, "ResourceExhaustedError", PyExc_MemoryError);
  internal_error = new_class(m, "InternalError", PyExc_RuntimeError);
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& error) {
      raise(error);
    }
  });
}

}  // namespace antler::python
