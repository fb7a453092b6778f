#include "arrays.h"

#include <cstring>
#include <memory>
#include <string>

#include "antler/base/error.h"
#include "antler/core/dtype.h"
#include "antler/ops/core.h"
#include "casters.h"

namespace antler::python {
namespace {

/// Keeps the buffer that a Python object exports until the last tensor is destroyed, on any thread.
class ExportedBuffer {
 public:
  explicit ExportedBuffer(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_C_CONTIGUOUS) != 0) throw nb::python_error();
  }
  ~ExportedBuffer() {
    if (Py_IsInitialized() == 0) return;
    const nb::gil_scoped_acquire gil;
    PyBuffer_Release(&view_);
  }
  ExportedBuffer(const ExportedBuffer&) = delete;
  ExportedBuffer& operator=(const ExportedBuffer&) = delete;
  void* data() const { return view_.buf; }
  size_t bytes() const { return static_cast<size_t>(view_.len); }

 private:
  Py_buffer view_{};
};

nb::module_& numpy() {
  // Never released: the interpreter may be gone when statics are destroyed.
  static auto* module = new nb::module_(nb::module_::import_("numpy"));
  return *module;
}

struct Array {
  nb::object bytes;  ///< a contiguous NumPy array that exports its memory
  TensorSpec spec;
};

Array standard_array(nb::handle object) {
  nb::object array = numpy().attr("ascontiguousarray")(object);
  // ascontiguousarray gives scalars one dimension.
  const auto shape = nb::cast<std::vector<int64_t>>(numpy().attr("shape")(object));
  auto name = nb::cast<std::string>(array.attr("dtype").attr("name"));
  DType dtype{};
  try {
    dtype = parse_dtype(name);
  } catch (const ValueError&) {
    throw TypeError("Arrays of dtype {} cannot be converted to tensors.", name);
  }
  // NumPy exports neither ml_dtypes.bfloat16 nor byte orders that are not native.
  if (nb::cast<std::string>(array.attr("dtype").attr("byteorder")) == ">")
    array = array.attr("astype")(array.attr("dtype").attr("newbyteorder")("="));
  if (dtype == DType::bfloat16) array = array.attr("view")("uint16");
  return {array, {dtype, Shape(shape)}};
}

}  // namespace

Tensor copy_array(nb::handle object) {
  const Array array = standard_array(object);
  const ExportedBuffer source(array.bytes);
  Tensor tensor = Tensor::empty(array.spec.dtype, array.spec.shape);
  if (tensor.bytes() > 0) std::memcpy(tensor.mutable_data(), source.data(), tensor.bytes());
  return tensor;
}

Tensor share_array(nb::handle object) {
  if (TensorObject* own = nullptr; nb::try_cast(object, own)) return own->tensor;
  const Array array = standard_array(object);
  auto source = std::make_shared<ExportedBuffer>(array.bytes);
  if (reinterpret_cast<uintptr_t>(source->data()) % dtype_size(array.spec.dtype) != 0)
    return copy_array(object);
  void* data = source->data();
  const size_t bytes = source->bytes();
  return Tensor::from_buffer(array.spec, Buffer::borrow(data, bytes, std::move(source)));
}

nb::object to_numpy(const Tensor& tensor) {
  if (!tensor.is_value())
    throw RuntimeError("{} has no values: it is part of a function that is being traced.",
                       tensor.str());
  if (tensor.dtype() == DType::bfloat16) {
    const nb::object words = to_numpy(ops::bitcast(tensor, DType::uint16));
    return words.attr("view")(nb::module_::import_("ml_dtypes").attr("bfloat16"));
  }
  // The array keeps the object alive, and thereby the memory.
  return numpy().attr("asarray")(nb::cast(TensorObject{tensor}));
}

}  // namespace antler::python
