#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/nn/axis_list.h"
#include "antler/nn/layer_of.h"
#include "antler/nn/layers/wrapper.h"

namespace antler {

/// Limits of the corrections of batch renormalization. Without a limit, nothing is clipped.
struct RenormClipping {
  std::optional<double> rmax = {};
  std::optional<double> rmin = {};
  std::optional<double> dmax = {};
};

/// Options of BatchNormalization.
struct BatchNormalizationOptions {
  int64_t axis = -1;       ///< axis of the features; statistics are over all others
  double momentum = 0.99;  ///< of the moving statistics
  double epsilon = 1e-3;   ///< added to the variance
  bool center = true;      ///< add beta
  bool scale = true;       ///< multiply by gamma
  Initializer beta_initializer = "zeros";
  Initializer gamma_initializer = "ones";
  Initializer moving_mean_initializer = "zeros";
  Initializer moving_variance_initializer = "ones";
  Regularizer beta_regularizer = {};
  Regularizer gamma_regularizer = {};
  Constraint beta_constraint = {};
  Constraint gamma_constraint = {};
  bool renorm = false;  ///< batch renormalization (Ioffe 2017)
  /// Limits of the corrections; not given: none.
  std::optional<RenormClipping> renorm_clipping = {};
  double renorm_momentum = 0.99;  ///< of the averages for the corrections
  bool synchronized = false;      ///< statistics over the batches of all replicas
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// gamma (x - mean) / sqrt(variance + epsilon) + beta (Ioffe and Szegedy 2015). In training, uses
/// the statistics of the batch and updates the moving statistics with them. Otherwise, and if the
/// layer is not trainable, uses the moving statistics. Computes in at least float32. Weights
/// [features]: gamma, beta, moving_mean, moving_variance; with `renorm` also moving_stddev,
/// renorm_mean, renorm_stddev. Masked elements do not count in the statistics.
class BatchNormalization : public LayerBase<BatchNormalization> {
 public:
  explicit BatchNormalization(const BatchNormalizationOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(BatchNormalization, BatchNormalizationOptions)
  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;
  /// The weights with these names. Throw AttributeError before build(), and gamma() and beta()
  /// without `scale` or `center`.
  Variable gamma() const { return weight("gamma"); }
  Variable beta() const { return weight("beta"); }
  Variable moving_mean() const { return weight("moving_mean"); }
  Variable moving_variance() const { return weight("moving_variance"); }

 protected:
  BatchNormalization(const char* class_name, const BatchNormalizationOptions& options);

 private:
  /// Folds batch renormalization of the normalized input, x r + d, into gamma and beta. The
  /// corrections r = stddev / renorm_stddev and d = (mean - renorm_mean) / renorm_stddev are
  /// treated as constants.
  void correct(const Tensor& mean, const Tensor& stddev, Tensor& gamma, Tensor& beta) const;
  BatchNormalizationOptions options_;
  Variable gamma_;
  Variable beta_;
  Variable moving_mean_;
  Variable moving_variance_;
  Variable moving_stddev_;
  Variable renorm_mean_;
  Variable renorm_stddev_;
};

/// Options of SyncBatchNormalization.
struct SyncBatchNormalizationOptions {
  int64_t axis = -1;       ///< axis of the features
  double momentum = 0.99;  ///< of the moving statistics
  double epsilon = 1e-3;   ///< added to the variance
  bool center = true;      ///< whether to add beta
  bool scale = true;       ///< whether to multiply by gamma
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

/// BatchNormalization with `synchronized`, under its older name in Keras 2.
class SyncBatchNormalization : public LayerBase<SyncBatchNormalization, BatchNormalization> {
 public:
  explicit SyncBatchNormalization(const SyncBatchNormalizationOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(SyncBatchNormalization, SyncBatchNormalizationOptions)
  Json get_config() const override;

 private:
  SyncBatchNormalizationOptions options_;
};

/// Options of LayerNormalization.
struct LayerNormalizationOptions {
  AxisList axis = -1;     ///< axes that are normalized together
  double epsilon = 1e-3;  ///< added to the variance
  bool center = true;     ///< add beta
  bool scale = true;      ///< multiply by gamma
  Initializer beta_initializer = "zeros";
  Initializer gamma_initializer = "ones";
  Regularizer beta_regularizer = {};
  Regularizer gamma_regularizer = {};
  Constraint beta_constraint = {};
  Constraint gamma_constraint = {};
  bool rms_scaling = false;  ///< gamma x / sqrt(variance + epsilon), no mean and no beta
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// gamma (x - mean) / sqrt(variance + epsilon) + beta with statistics of each sample over `axis`
/// (Ba et al. 2016). Weights, of the sizes of the axes: gamma, beta.
class LayerNormalization : public LayerOf<LayerNormalization, LayerNormalizationOptions> {
 public:
  explicit LayerNormalization(const LayerNormalizationOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(LayerNormalization, LayerNormalizationOptions)
  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;

 private:
  Variable gamma_;
  Variable beta_;
};

/// Options of GroupNormalization.
struct GroupNormalizationOptions {
  int64_t groups = 32;    ///< a divisor of the number of features; -1: that number
  int64_t axis = -1;      ///< axis of the features
  double epsilon = 1e-3;  ///< added to the variance
  bool center = true;     ///< add beta
  bool scale = true;      ///< multiply by gamma
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

/// gamma (x - mean) / sqrt(variance + epsilon) + beta with statistics of each sample over all axes
/// and one group of features (Wu and He 2018). Weights [features]: gamma, beta.
class GroupNormalization : public LayerOf<GroupNormalization, GroupNormalizationOptions> {
 public:
  /// Throws ValueError unless groups is positive or -1.
  explicit GroupNormalization(const GroupNormalizationOptions& options = {});
  explicit GroupNormalization(int64_t groups, GroupNormalizationOptions options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(GroupNormalization, GroupNormalizationOptions, int64_t)
  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;

 private:
  Variable gamma_;
  Variable beta_;
};

/// Options of UnitNormalization.
struct UnitNormalizationOptions {
  AxisList axis = -1;  ///< axes of the norm
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Scales vectors along `axis` to length 1.
class UnitNormalization : public LayerOf<UnitNormalization, UnitNormalizationOptions> {
 public:
  explicit UnitNormalization(const UnitNormalizationOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(UnitNormalization, UnitNormalizationOptions)
  Tensor call(const Tensor& input, const CallOptions& options) override;
};

/// Options of RMSNormalization.
struct RMSNormalizationOptions {
  AxisList axis = -1;     ///< axes of the mean
  double epsilon = 1e-6;  ///< added to the mean of squares
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// scale x / sqrt(mean(x^2) + epsilon) with the mean over `axis` (Zhang and Sennrich 2019). Weight,
/// of the sizes of the axes: scale.
class RMSNormalization : public LayerOf<RMSNormalization, RMSNormalizationOptions> {
 public:
  explicit RMSNormalization(const RMSNormalizationOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(RMSNormalization, RMSNormalizationOptions)
  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;

 private:
  Variable scale_;
};

/// Options of SpectralNormalization.
struct SpectralNormalizationOptions {
  int64_t power_iterations = 1;  ///< at least 1
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// In training, divides the kernel (or the embeddings) of a layer by an estimate of its largest
/// singular value before the layer is called (Miyato et al. 2018). A kernel [..., out] is treated
/// as a matrix of `out` columns. Weight, in addition to the layer's: vector_u [1, out].
class SpectralNormalization : public LayerBase<SpectralNormalization, Wrapper> {
 public:
  /// Throws ValueError unless power_iterations > 0.
  explicit SpectralNormalization(const LayerHandle& layer,
                                 SpectralNormalizationOptions options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(SpectralNormalization, SpectralNormalizationOptions,
                             const LayerHandle&)
  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;

 private:
  SpectralNormalizationOptions options_;
  Variable kernel_;
  Variable vector_u_;
};

}  // namespace antler
