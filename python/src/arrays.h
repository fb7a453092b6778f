#pragma once

#include <nanobind/nanobind.h>

#include "antler/core/tensor.h"

/// Between tensors and the arrays of NumPy and others.
namespace antler::python {

namespace nb = nanobind;

/// A tensor with the elements of what NumPy takes for an array. Throws TypeError for dtypes that
/// Antler lacks.
Tensor copy_array(nb::handle object);
/// The same, but memory of a contiguous, aligned array is shared, and must not change.
Tensor share_array(nb::handle object);
/// A read-only NumPy array that shares the tensor's memory. Throws RuntimeError for a symbolic
/// tensor.
nb::object to_numpy(const Tensor& tensor);

}  // namespace antler::python
