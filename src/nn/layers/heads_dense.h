#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/nn/activation.h"
#include "antler/nn/layer.h"

namespace antler {

/// A Dense layer for heads: contracts the last `contracted` axes of x with a kernel
/// [contracted..., units...] and adds a bias [units...].
struct HeadsDenseOptions {
  int contracted = 1;
  std::vector<int64_t> units = {};
  bool use_bias = true;
  ActivationFunction activation = {};
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint bias_constraint = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  Regularizer activity_regularizer = {};
};

class HeadsDense final : public LayerBase<HeadsDense> {
 public:
  explicit HeadsDense(const HeadsDenseOptions& options);
  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  using Layer::call;

 private:
  HeadsDenseOptions options_;
  Variable kernel_;
  Variable bias_;
};

/// A projection of an attention layer with these options, built for inputs of `shape`.
template <class O>
std::shared_ptr<HeadsDense> heads_dense(const O& o, const char* name, const Shape& shape,
                                        int contracted, std::vector<int64_t> units,
                                        const ActivationFunction& activation = {}) {
  HeadsDense layer({.contracted = contracted,
                    .units = std::move(units),
                    .use_bias = o.use_bias,
                    .activation = activation,
                    .kernel_initializer = o.kernel_initializer,
                    .bias_initializer = o.bias_initializer,
                    .kernel_regularizer = o.kernel_regularizer,
                    .bias_regularizer = o.bias_regularizer,
                    .kernel_constraint = o.kernel_constraint,
                    .bias_constraint = o.bias_constraint,
                    .name = name,
                    .dtype = o.dtype,
                    .activity_regularizer = o.activity_regularizer});
  auto shared = std::dynamic_pointer_cast<HeadsDense>(layer.share());
  shared->ensure_built({shape});
  return shared;
}

}  // namespace antler
