#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "antler/core/tensor.h"

/// Host functions inside of programs, for work that ops cannot express, such as string lookups.
namespace antler::ops {

/// A function from tensor to tensor. Programs that call it do not keep it alive; its creator must.
class HostFunction {
 public:
  /// Infers dtype and shape of the result from those of the argument.
  using Spec = std::function<TensorSpec(const TensorSpec&)>;
  /// Fills `output`. May be called from several threads at once. The result may depend on `input`
  /// and on immutable state only.
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

HostFunctionPtr host_function(HostFunction::Spec spec, HostFunction::Run run);  ///< a handle to it

/// function(x). Not differentiable. Running the program throws RuntimeError if the function no
/// longer exists.
Tensor host_map(const HostFunctionPtr& function, const Tensor& x);

}  // namespace antler::ops
