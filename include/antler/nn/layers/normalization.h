#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/nn/layer.h"

namespace antler {

/// Options of BatchNormalization.
struct BatchNormalizationOptions {
  int64_t axis = -1;       ///< the axis of features; statistics are over all others
  double momentum = 0.99;  ///< of the moving statistics
  double epsilon = 1e-3;
  bool center = true;  ///< add beta
  bool scale = true;   ///< multiply by gamma
  Initializer beta_initializer = "zeros";
  Initializer gamma_initializer = "ones";
  Initializer moving_mean_initializer = "zeros";
  Initializer moving_variance_initializer = "ones";
  Regularizer beta_regularizer = {};
  Regularizer gamma_regularizer = {};
  Constraint beta_constraint = {};
  Constraint gamma_constraint = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// gamma (x - mean) / sqrt(variance + epsilon) + beta (Ioffe and Szegedy 2015). In training with
/// statistics of the batch, which also update the moving ones; else, and when not trainable, with
/// the moving ones. Computes in float32 at least. Weights [features]: gamma, beta, moving_mean,
/// moving_variance.
class BatchNormalization : public LayerBase<BatchNormalization> {
 public:
  explicit BatchNormalization(const BatchNormalizationOptions& options = {});
  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  using Layer::call;
  Json get_config() const override;

 private:
  BatchNormalizationOptions options_;
  Variable gamma_;
  Variable beta_;
  Variable moving_mean_;
  Variable moving_variance_;
};

/// Options of LayerNormalization.
struct LayerNormalizationOptions {
  std::vector<int64_t> axis = {-1};  ///< axes that are normalised together
  double epsilon = 1e-3;
  bool center = true;  ///< add beta
  bool scale = true;   ///< multiply by gamma
  Initializer beta_initializer = "zeros";
  Initializer gamma_initializer = "ones";
  Regularizer beta_regularizer = {};
  Regularizer gamma_regularizer = {};
  Constraint beta_constraint = {};
  Constraint gamma_constraint = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// gamma (x - mean) / sqrt(variance + epsilon) + beta with statistics of each sample over `axis`
/// (Ba et al. 2016). Weights, of the sizes of the axes: gamma, beta.
class LayerNormalization : public LayerBase<LayerNormalization> {
 public:
  explicit LayerNormalization(const LayerNormalizationOptions& options = {});
  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  using Layer::call;
  Json get_config() const override;

 private:
  LayerNormalizationOptions options_;
  Variable gamma_;
  Variable beta_;
};

}  // namespace antler
