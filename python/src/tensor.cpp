#include "antler/core/tensor.h"

#include <nanobind/ndarray.h>

#include <exception>
#include <memory>
#include <new>
#include <sstream>
#include <vector>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "arrays.h"
#include "bindings.h"
#include "casters.h"
#include "operators.h"

namespace antler::python {
namespace {

/// The format character of Python's `struct` for a dtype; null for bfloat16, which `struct` lacks.
const char* buffer_format(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return "f";
    case DType::float64:
      return "d";
    case DType::float16:
      return "e";
    case DType::int8:
      return "b";
    case DType::int16:
      return "h";
    case DType::int32:
      return "i";
    case DType::int64:
      return "q";
    case DType::uint8:
      return "B";
    case DType::uint16:
      return "H";
    case DType::uint32:
      return "I";
    case DType::uint64:
      return "Q";
    case DType::boolean:
      return "?";
    case DType::bfloat16:
      break;
  }
  return nullptr;
}

/// Shape and strides of an exported buffer, which outlive the call.
struct BufferLayout {
  std::vector<Py_ssize_t> shape;
  std::vector<Py_ssize_t> strides;
};

/// Null, or why a tensor has no buffer of this kind.
const char* refusal(const Tensor& tensor, int flags) {
  if (!tensor.defined() || buffer_format(tensor.dtype()) == nullptr)
    return "The buffer protocol lacks this dtype.";
  if (!tensor.is_value()) return "A symbolic tensor has no values.";
  return (flags & PyBUF_WRITABLE) == PyBUF_WRITABLE ? "Tensors cannot be written." : nullptr;
}

/// A view of a tensor that has values, without the object that owns it.
Py_buffer view_of(const Tensor& tensor, int flags) {
  auto layout = std::make_unique<BufferLayout>();
  const auto item = static_cast<int64_t>(dtype_size(tensor.dtype()));
  for (const int64_t dim : tensor.shape()) layout->shape.push_back(dim);
  for (const int64_t stride : tensor.shape().strides()) layout->strides.push_back(stride * item);
  // NumPy refuses a null pointer, even for no elements.
  static char nothing = 0;
  Py_buffer view = {};
  view.buf = tensor.bytes() > 0 ? const_cast<void*>(tensor.data()) : &nothing;
  view.len = static_cast<Py_ssize_t>(tensor.bytes());
  view.itemsize = item;
  view.readonly = 1;
  view.ndim = tensor.rank();
  if ((flags & PyBUF_FORMAT) != 0) view.format = const_cast<char*>(buffer_format(tensor.dtype()));
  view.shape = layout->shape.data();
  view.strides = layout->strides.data();
  view.internal = layout.release();
  return view;
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) noexcept {
  view->obj = nullptr;
  try {
    const Tensor& tensor = nb::inst_ptr<TensorObject>(self)->tensor;
    if (const char* const reason = refusal(tensor, flags)) {
      PyErr_SetString(PyExc_BufferError, reason);
      return -1;
    }
    *view = view_of(tensor, flags);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
    return -1;
  } catch (const std::exception& error) {  // for example, the values are on a lost device
    PyErr_SetString(PyExc_BufferError, error.what());
    return -1;
  }
  view->obj = self;
  Py_INCREF(self);
  return 0;
}

void release_buffer(PyObject*, Py_buffer* view) noexcept {
  delete static_cast<BufferLayout*>(view->internal);
}

PyType_Slot tensor_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                              {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                              {0, nullptr}};

nb::dlpack::dtype dlpack_dtype(DType dtype) {
  using nb::dlpack::dtype_code;
  const dtype_code code = dtype == DType::bfloat16     ? dtype_code::Bfloat
                          : is_floating(dtype)         ? dtype_code::Float
                          : dtype == DType::boolean    ? dtype_code::Bool
                          : is_unsigned_integer(dtype) ? dtype_code::UInt
                                                       : dtype_code::Int;
  return {static_cast<uint8_t>(code), static_cast<uint8_t>(8 * dtype_size(dtype)), 1};
}

nb::object dlpack(const TensorObject& self) {
  const Tensor& tensor = self.tensor;
  std::vector<size_t> shape(tensor.shape().begin(), tensor.shape().end());
  // The array owns a handle to the tensor.
  auto* owner = new Tensor(tensor);
  const nb::capsule keeper(owner, [](void* p) noexcept { delete static_cast<Tensor*>(p); });
  const nb::ndarray<> array(const_cast<void*>(tensor.data()), shape.size(), shape.data(), keeper,
                            nullptr, dlpack_dtype(tensor.dtype()), nb::device::cpu::value, 0);
  return nb::cast(array);
}

/// The integer of an object with `__index__`. If it is too large, raises `overflow` or, if that is
/// null, returns the closest int64.
int64_t to_integer(nb::handle object, PyObject* overflow) {
  const Py_ssize_t value = PyNumber_AsSsize_t(object.ptr(), overflow);
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return value;
}

/// A basic index, as NumPy calls it: numbers, slices, None and `...`. Returns false for others.
bool to_index(nb::handle key, std::vector<Index>& indices) {
  if (key.is_none()) {
    indices.emplace_back(NewAxis);
  } else if (key.ptr() == Py_Ellipsis) {
    indices.emplace_back(Ellipsis);
  } else if (nb::isinstance<nb::slice>(key)) {
    const auto bound = [&](const char* name) -> std::optional<int64_t> {
      nb::object value = key.attr(name);
      if (value.is_none()) return std::nullopt;
      return to_integer(value, nullptr);
    };
    indices.emplace_back(Slice(bound("start"), bound("stop"), bound("step").value_or(1)));
  } else if (PyLong_Check(key.ptr()) != 0 && PyBool_Check(key.ptr()) == 0) {
    indices.emplace_back(to_integer(key, PyExc_IndexError));
  } else {
    return false;
  }
  return true;
}

nb::object get_item(const TensorObject& self, nb::handle key) {
  std::vector<Index> indices;
  bool basic = true;
  if (nb::isinstance<nb::tuple>(key)) {
    for (nb::handle part : key) basic = basic && to_index(part, indices);
  } else {
    basic = to_index(key, indices);
  }
  if (basic) return nb::cast(ops::get_item(self.tensor, indices));
  return nb::module_::import_("antler._indexing").attr("get_item")(nb::cast(self), key);
}

double item(const TensorObject& self) {
  if (!self.tensor.is_value())
    throw RuntimeError(
        "{} has no value while a function is being traced. Use control flow of antler (`cond`, "
        "`while_loop`) or run eagerly.",
        self.tensor.str());
  return self.tensor.item();
}

}  // namespace

void bind_tensor(nb::module_& m) {
  nb::class_<TensorObject> type(m, "Tensor", nb::type_slots(tensor_slots),
                                nb::is_weak_referenceable(), nb::dynamic_attr());
  type.def("__init__", [](TensorObject* self, nb::handle object) {
    new (self) TensorObject{to_tensor(object)};
  });
  type.def_prop_ro("shape", [](const TensorObject& t) { return t.tensor.shape(); });
  type.def_prop_ro("dtype", [](const TensorObject& t) { return t.tensor.dtype(); });
  type.def_prop_ro("ndim", [](const TensorObject& t) { return t.tensor.rank(); });
  type.def_prop_ro("size", [](const TensorObject& t) { return t.tensor.size(); });
  type.def_prop_ro("nbytes", [](const TensorObject& t) { return t.tensor.bytes(); });
  type.def_prop_ro("is_weak", [](const TensorObject& t) { return t.tensor.is_weak(); });
  type.def_prop_ro(
      "is_traced", [](const TensorObject& t) { return t.tensor.is_traced(); },
      "Whether the tensor belongs to a function that is being traced.");
  type.def(
      "numpy", [](const TensorObject& t) { return to_numpy(t.tensor); },
      "The values as a read-only array that shares their memory.");
  type.def("item", [](const TensorObject& t) { return to_numpy(t.tensor).attr("item")(); });
  type.def("tolist", [](const TensorObject& t) { return to_numpy(t.tensor).attr("tolist")(); });
  type.def(
      "__array__",
      [](const TensorObject& t, const nb::object& dtype, const nb::object& copy) -> nb::object {
        nb::object array = to_numpy(t.tensor);
        if (!dtype.is_none()) array = array.attr("astype")(dtype, nb::arg("copy") = false);
        if (copy.is_valid() && copy.ptr() == Py_True) array = array.attr("copy")();
        return array;
      },
      nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none());
  // With an array on the left, NumPy then defers to Tensor's reflected operators.
  type.attr("__array_priority__") = 100;
  type.attr("__array_ufunc__") = nb::none();
  type.def("__dlpack__", [](const TensorObject& t, const nb::kwargs&) { return dlpack(t); });
  type.def("__dlpack_device__",
           [](const TensorObject&) { return std::pair(int{nb::device::cpu::value}, 0); });
  type.def("reshape",
           [](const TensorObject& t, const Shape& shape) { return t.tensor.reshape(shape); });
  type.def("astype", [](const TensorObject& t, DType dtype) { return t.tensor.astype(dtype); });
  type.def("__getitem__", &get_item, nb::arg("key").none());
  type.def("__len__", [](const TensorObject& t) {
    if (t.tensor.rank() == 0) throw TypeError("len() of a tensor of rank 0");
    return t.tensor.dim(0);
  });
  type.def("__iter__", [](const TensorObject& t) {
    if (t.tensor.rank() == 0) throw TypeError("iteration over a tensor of rank 0");
    return nb::iter(nb::cast(ops::unstack(t.tensor)));
  });
  type.def("__bool__", [](const TensorObject& t) {
    if (t.tensor.size() != 1)
      throw ValueError("The truth value of a tensor with {} elements is ambiguous.",
                       t.tensor.size());
    return item(t) != 0;
  });
  type.def("__float__", &item);
  type.def("__int__", [](const TensorObject& t) {
    return nb::int_(
        nb::module_::import_("builtins").attr("int")(to_numpy(t.tensor).attr("item")()));
  });
  type.def("__index__", [](const TensorObject& t) {
    if (!is_integer(t.tensor.dtype()) || t.tensor.rank() != 0)
      throw TypeError("Only integer tensors of rank 0 can be used as an index. Received: {}",
                      t.tensor.str());
    return static_cast<int64_t>(item(t));
  });
  type.def("__repr__", [](const TensorObject& t) {
    std::ostringstream out;
    out << t.tensor;
    return out.str();
  });
  type.def("__hash__", [](const TensorObject& t) { return t.tensor.id(); });
  type.def("__copy__", [](const TensorObject& t) { return t.tensor; });
  type.def("__deepcopy__", [](const TensorObject& t, nb::handle) { return t.tensor; });
  type.def("__reduce__", [](const TensorObject& t) {
    return nb::make_tuple(nb::type<TensorObject>(),
                          nb::make_tuple(to_numpy(t.tensor).attr("copy")()));
  });
  type.def("__format__", [](const TensorObject& t, nb::str spec) {
    nb::object value = t.tensor.rank() == 0 && t.tensor.is_value()
                           ? to_numpy(t.tensor).attr("item")()
                           : nb::object(nb::str(nb::repr(nb::cast(t))));
    return nb::module_::import_("builtins").attr("format")(value, spec);
  });
  type.def(
      "__round__",
      [](const TensorObject& t, nb::object digits) {
        return nb::module_::import_("builtins").attr("round")(nb::float_(item(t)), digits);
      },
      nb::arg("ndigits") = nb::none());

  bind_operators(type);
  // Variables compare by identity, because they are used as keys of dictionaries.
  bind_operator<&ops::equal>(type, "__eq__", nullptr);
  bind_operator<&ops::not_equal>(type, "__ne__", nullptr);

  m.def("asarray", &share_array, nb::arg("array"),
        "A tensor that shares the memory of a contiguous array, which must not change.");
  m.def("spec_only", [](DType dtype, const Shape& shape) {
    return Tensor::spec_only({dtype, shape});
  });
}

}  // namespace antler::python
