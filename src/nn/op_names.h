#pragma once

#include <span>
#include <string>
#include <string_view>

#include "antler/core/tensor.h"

namespace antler {

/// The names of an op in other libraries. Null: the library has no single operation for it.
struct OpNames {
  /// The public function of an op with one or two tensors, which imported graphs call.
  struct Function {
    constexpr Function() = default;
    constexpr Function(Tensor (*f)(const Tensor&)) : unary(f) {}
    constexpr Function(Tensor (*f)(const Tensor&, const Tensor&)) : binary(f) {}
    explicit operator bool() const { return unary != nullptr || binary != nullptr; }
    /// `argument(i)` returns argument i.
    template <class Arguments>
    Tensor operator()(const Arguments& argument) const {
      return unary != nullptr ? unary(argument(0)) : binary(argument(0), argument(1));
    }

    Tensor (*unary)(const Tensor&) = nullptr;
    Tensor (*binary)(const Tensor&, const Tensor&) = nullptr;
  };

  std::string_view op;
  const char* keras = nullptr;  ///< class of keras.ops
  const char* onnx = nullptr;
  const char* tensorflow = nullptr;
  Function function = {};
  const char* keras_module = "numpy";  ///< keras.src.ops.<keras_module>
};

/// Element-wise ops, reductions, and ops whose class in Keras is not their name in camel case.
std::span<const OpNames> op_names();
/// The names of an op; null if none are listed.
const OpNames* find_op_names(std::string_view op);

/// The class of keras.ops for an op ("Multiply" for "mul"); by default the op's name in camel case.
/// Keras derives the names of graph nodes from it.
std::string keras_class_of_op(std::string_view op);

}  // namespace antler
