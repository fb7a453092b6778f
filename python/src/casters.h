#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "antler/core/dtype_arg.h"
#include "antler/core/nest.h"
#include "antler/core/shape.h"
#include "antler/core/tensor.h"
#include "antler/core/tensor_parts.h"
#include "antler/ops/axes.h"

/// How Antler's argument types look in Python. Every file that binds functions includes this.
///
/// - Tensor: an `antler.Tensor`; also accepts numbers (which stay weak), NumPy arrays and scalars,
///   lists, and objects with a method `__antler_tensor__`. None is an undefined tensor.
/// - Shape, Axes: an int or a sequence of ints; None is unknown, or no axes.
/// - DType: its name.
/// - Nest: dictionaries, lists and tuples of tensors.
namespace antler::python {

namespace nb = nanobind;

/// The C++ object of a Python `Tensor`. A separate class, so that Tensor itself can have a caster.
struct TensorObject {
  Tensor tensor;
};

/// Converts a Python object. Throws TypeError if it is not an array, nb::python_error for errors
/// that Python raised.
Tensor to_tensor(nb::handle object);
Nest to_nest(nb::handle object);
nb::object from_nest(const Nest& nest);
/// Throws TypeError unless `object` is a name, or has one (a NumPy dtype, a scalar type).
DType to_dtype(nb::handle object);
std::vector<int64_t> to_integers(nb::handle object, int64_t none);

}  // namespace antler::python

namespace nanobind::detail {

template <>
struct type_caster<antler::Tensor> {
  NB_TYPE_CASTER(antler::Tensor, const_name("Tensor"))
  bool from_python(handle source, uint8_t, cleanup_list*) noexcept;
  static handle from_cpp(const antler::Tensor& tensor, rv_policy, cleanup_list*) noexcept;
};

template <>
struct type_caster<antler::TensorParts> : list_caster<antler::TensorParts, antler::Tensor> {};

template <>
struct type_caster<antler::Nest> {
  NB_TYPE_CASTER(antler::Nest, const_name("Nest"))
  bool from_python(handle source, uint8_t, cleanup_list*) noexcept;
  static handle from_cpp(const antler::Nest& nest, rv_policy, cleanup_list*) noexcept;
};

template <>
struct type_caster<antler::Shape> {
  NB_TYPE_CASTER(antler::Shape, const_name("Sequence[int | None]"))
  bool from_python(handle source, uint8_t, cleanup_list*) noexcept;
  static handle from_cpp(const antler::Shape& shape, rv_policy, cleanup_list*) noexcept;
};

template <>
struct type_caster<antler::DType> {
  NB_TYPE_CASTER(antler::DType, const_name("str"))
  bool from_python(handle source, uint8_t, cleanup_list*) noexcept;
  static handle from_cpp(antler::DType dtype, rv_policy, cleanup_list*) noexcept;
};

template <>
struct type_caster<antler::ops::Axes> {
  NB_TYPE_CASTER(antler::ops::Axes, const_name("int | Sequence[int] | None"))
  bool from_python(handle source, uint8_t, cleanup_list*) noexcept;
};

/// It has no default constructor, so the caster converts a DType.
template <>
struct type_caster<antler::DTypeArg> {
  // NOLINTNEXTLINE(readability-identifier-naming): nanobind's
  static constexpr auto Name = const_name("str");
  template <typename>
  using Cast = antler::DTypeArg;
  template <typename T>
  static constexpr bool can_cast() {
    return true;
  }
  bool from_python(handle source, uint8_t flags, cleanup_list* cleanup) noexcept {
    return dtype.from_python(source, flags, cleanup);
  }
  explicit operator antler::DTypeArg() { return {dtype.value}; }
  type_caster<antler::DType> dtype;
};

}  // namespace nanobind::detail
