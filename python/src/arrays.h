#pragma once

#include <nanobind/nanobind.h>

#include "antler/core/tensor.h"

/// Conversions between tensors and the arrays of NumPy and other libraries.
namespace antler::python {

namespace nb = nanobind;

/// A tensor with the elements of anything that NumPy can convert to an array. Throws TypeError for
/// dtypes that Antler lacks.
Tensor copy_array(nb::handle object);
/// The same, but shares the memory of a contiguous, aligned array, which must not change.
Tensor share_array(nb::handle object);
/// A read-only NumPy array that shares the tensor's memory. Throws RuntimeError for a symbolic
/// tensor.
nb::object to_numpy(const Tensor& tensor);

}  // namespace antler::python
