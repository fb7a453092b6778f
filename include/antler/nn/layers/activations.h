#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/nn/activation.h"
#include "antler/nn/layer.h"

namespace antler {

/// Options of Activation.
struct ActivationOptions {
  ActivationFunction activation = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Applies a function to each element.
class Activation : public LayerBase<Activation> {
 public:
  explicit Activation(const ActivationFunction& activation, ActivationOptions options = {});
  explicit Activation(const ActivationOptions& options);
  Tensor call(const Tensor& input, const CallOptions& options) override;
  using Layer::call;
  Json get_config() const override;

 private:
  ActivationOptions options_;
};

/// Options of ReLU.
struct ReLUOptions {
  std::optional<double> max_value = {};  ///< not given: no limit
  double negative_slope = 0;
  double threshold = 0;
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// x >= threshold: min(x, max_value); below: negative_slope * (x - threshold).
class ReLU : public LayerBase<ReLU> {
 public:
  /// Throws ValueError for negative options.
  explicit ReLU(const ReLUOptions& options = {});
  Tensor call(const Tensor& input, const CallOptions& options) override;
  using Layer::call;
  Json get_config() const override;

 private:
  ReLUOptions options_;
};

/// Options of Softmax.
struct SoftmaxOptions {
  int64_t axis = -1;
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// exp(x) / sum(exp(x)) along an axis. A mask (true = keep) of the input's shape, or one that
/// broadcasts, leaves elements out.
class Softmax : public LayerBase<Softmax> {
 public:
  explicit Softmax(const SoftmaxOptions& options = {});
  Tensor call(const Tensor& input, const CallOptions& options) override;
  using Layer::call;
  Json get_config() const override;

 private:
  SoftmaxOptions options_;
};

}  // namespace antler
