#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "antler/base/json.h"
#include "antler/core/tensor.h"
#include "antler/ops/nn/activations.h"

namespace antler {

/// Field type of `.activation`: a Keras name ("relu"), a function of a tensor, or nothing (linear).
class ActivationFunction {
 public:
  using Function = std::function<Tensor(const Tensor&)>;

  ActivationFunction() = default;
  /// Throws ValueError for an unknown name.
  ActivationFunction(
      const char* name);  // NOLINT(google-explicit-constructor): names stand for functions
  ActivationFunction(const std::string& name);  // NOLINT(google-explicit-constructor)
  /// A custom function, saved under this name.
  ActivationFunction(std::string name, Function function)
      : name_(std::move(name)), function_(std::move(function)) {}
  /// A function of Keras, such as `activations::silu` or `ops::tanh`, which is saved by its name,
  /// or a custom function, which is saved under the name that it was registered with.
  ActivationFunction(Tensor (*function)(const Tensor&));  // NOLINT(google-explicit-constructor)
  /// For functions that have overloads, such as ops::softmax, ops::elu and activations::relu.
  ActivationFunction(  // NOLINT(google-explicit-constructor)
      Tensor (*function)(const Tensor&, int64_t axis))
      : ActivationFunction(with_parameters(reinterpret_cast<AnyFunction>(function))) {}
  ActivationFunction(  // NOLINT(google-explicit-constructor)
      Tensor (*function)(const Tensor&, double parameter))
      : ActivationFunction(with_parameters(reinterpret_cast<AnyFunction>(function))) {}
  ActivationFunction(  // NOLINT(google-explicit-constructor)
      Tensor (*function)(const Tensor&, double, double, double))
      : ActivationFunction(with_parameters(reinterpret_cast<AnyFunction>(function))) {}
  /// A Keras function with parameters, such as `activations::gelu`, called with Keras's defaults.
  /// Throws ValueError for other functions.
  template <class First, class... More>
  ActivationFunction(  // NOLINT(google-explicit-constructor)
      Tensor (*function)(const Tensor&, First, More...))
      : ActivationFunction(with_parameters(reinterpret_cast<AnyFunction>(function))) {}
  template <class F>
  requires(std::invocable<F, const Tensor&> &&
           !std::same_as<std::remove_cvref_t<F>, ActivationFunction>)
      ActivationFunction(F function)  // NOLINT(google-explicit-constructor)
      : name_("function"), function_(std::move(function)) {}

  bool given() const { return static_cast<bool>(function_); }
  /// Keras's name; "linear" if nothing was given.
  const std::string& name() const { return name_; }
  Tensor operator()(const Tensor& x) const;

 private:
  using AnyFunction = void (*)();
  static ActivationFunction with_parameters(AnyFunction function);

  std::string name_ = "linear";
  Function function_;
};

/// The element-wise functions that Keras has as activations, by Keras's names.
namespace activations {
/// The activation with this name. Throws ValueError for an unknown name.
ActivationFunction get(const std::string& name);
/// Registers a function under a name, so that loaded models find it.
void register_activation(const std::string& name, ActivationFunction::Function function);

/// min(x, max_value) where x >= threshold, else negative_slope * (x - threshold). A negative
/// max_value means no limit.
Tensor relu(const Tensor& x, double negative_slope = 0, double max_value = -1,
            double threshold = 0);
Tensor linear(const Tensor& x);
Tensor exponential(const Tensor& x);
using ops::glu;
using ops::hard_shrink;
using ops::hard_tanh;
using ops::soft_shrink;
using ops::sparse_plus;
using ops::sparse_sigmoid;
using ops::sparsemax;
using ops::squareplus;
using ops::tanh_shrink;
using ops::threshold;
/// The same as ops::softmax.
Tensor softmax(const Tensor& x, int64_t axis = -1);
}  // namespace activations

}  // namespace antler
