#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "antler/core/tensor.h"

/// Functions of the host inside of programs: what cannot be said in ops, as a look-up of texts.
namespace antler::ops {

/// A function from one tensor to another. Programs that call it do not keep it alive: whoever made
/// it does.
class HostFunction {
 public:
  /// dtype and shape of the result for those of the argument.
  using Spec = std::function<TensorSpec(const TensorSpec&)>;
  /// Fills `output`. Called from any thread, perhaps several at once; depends on `input` alone as
  /// long as nobody changes what the function was made of.
  using Run = std::function<void(const Tensor& input, const Tensor& output)>;

  HostFunction(Spec spec, Run run);
  ~HostFunction();
  HostFunction(const HostFunction&) = delete;
  HostFunction& operator=(const HostFunction&) = delete;

  int64_t id() const { return id_; }
  TensorSpec spec(const TensorSpec& input) const { return spec_(input); }
  void run(const Tensor& input, const Tensor& output) const { run_(input, output); }

 private:
  int64_t id_;
  Spec spec_;
  Run run_;
};
using HostFunctionPtr = std::shared_ptr<const HostFunction>;

HostFunctionPtr host_function(HostFunction::Spec spec, HostFunction::Run run);

/// The value of the function for `x`. Not differentiable. Throws RuntimeError where the function is
/// gone when the program runs.
Tensor host_map(const HostFunctionPtr& function, const Tensor& x);

}  // namespace antler::ops
