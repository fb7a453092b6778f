#pragma once

#include "antler/core/tensor.h"
#include "antler/core/variable.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/products.h"
#include "casters.h"

/// Python's operators for tensors, and for objects that convert to tensors.
namespace antler::python {

inline Tensor operand(const TensorObject& object) { return object.tensor; }
inline Tensor operand(const Variable& variable) { return variable.value(); }

using BinaryOp = Tensor (*)(const Tensor&, const Tensor&);

template <BinaryOp F, class T>
void bind_operator(nb::class_<T>& type, const char* name, const char* reflected) {
  type.def(
      name, [](const T& x, const Tensor& y) { return F(operand(x), y); }, nb::is_operator());
  if (reflected != nullptr)
    type.def(
        reflected, [](const T& y, const Tensor& x) { return F(x, operand(y)); }, nb::is_operator());
}

template <class T>
void bind_operators(nb::class_<T>& type) {
  bind_operator<&ops::add>(type, "__add__", "__radd__");
  bind_operator<&ops::subtract>(type, "__sub__", "__rsub__");
  bind_operator<&ops::multiply>(type, "__mul__", "__rmul__");
  bind_operator<&ops::true_divide>(type, "__truediv__", "__rtruediv__");
  bind_operator<&ops::floor_divide>(type, "__floordiv__", "__rfloordiv__");
  bind_operator<&ops::mod>(type, "__mod__", "__rmod__");
  bind_operator<&ops::power>(type, "__pow__", "__rpow__");
  bind_operator<&ops::matmul>(type, "__matmul__", "__rmatmul__");
  bind_operator<&ops::bitwise_and>(type, "__and__", "__rand__");
  bind_operator<&ops::bitwise_or>(type, "__or__", "__ror__");
  bind_operator<&ops::bitwise_xor>(type, "__xor__", "__rxor__");
  bind_operator<&ops::left_shift>(type, "__lshift__", "__rlshift__");
  bind_operator<&ops::right_shift>(type, "__rshift__", "__rrshift__");
  bind_operator<&ops::less>(type, "__lt__", nullptr);
  bind_operator<&ops::less_equal>(type, "__le__", nullptr);
  bind_operator<&ops::greater>(type, "__gt__", nullptr);
  bind_operator<&ops::greater_equal>(type, "__ge__", nullptr);
  type.def("__neg__", [](const T& x) { return ops::negative(operand(x)); });
  type.def("__pos__", [](const T& x) { return operand(x); });
  type.def("__abs__", [](const T& x) { return ops::abs(operand(x)); });
  type.def("__invert__", [](const T& x) { return ops::bitwise_not(operand(x)); });
}

}  // namespace antler::python
