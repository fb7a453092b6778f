#pragma once

#include <optional>
#include <string>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/nn/activation.h"
#include "antler/nn/layer_of.h"
#include "antler/nn/sizes.h"

/// Layers of Keras 2 that Keras 3 has dropped.
namespace antler {

/// Options of ThresholdedReLU.
struct ThresholdedReLUOptions {
  double theta = 1;  ///< at least 0
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// x where x > theta, else 0.
class ThresholdedReLU : public LayerOf<ThresholdedReLU, ThresholdedReLUOptions> {
 public:
  /// Throws ValueError for theta below 0.
  explicit ThresholdedReLU(const ThresholdedReLUOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(ThresholdedReLU, ThresholdedReLUOptions)
  Tensor call(const Tensor& input, const CallOptions& options) override;
};

/// Options of LocallyConnected1D and LocallyConnected2D.
struct LocallyConnectedOptions {
  int64_t filters = 0;                        ///< channels of the output
  Sizes kernel_size = {};                     ///< one number, or one per dimension
  Sizes strides = {};                         ///< not given: 1
  std::string padding = "valid";              ///< or "same", except with implementation 1
  std::string data_format = "channels_last";  ///< or "channels_first"
  ActivationFunction activation = {};         ///< of the output; {}: none
  bool use_bias = true;                       ///< whether to add a bias
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint bias_constraint = {};
  /// 1: a kernel per position. 2: a matrix from all inputs to all outputs, mostly zeros. 3: the
  /// non-zero elements of that matrix as a vector.
  int64_t implementation = 1;
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
};

struct LocalGeometry;

/// A convolution whose weights are not shared: each output position ("place") has its own kernel.
/// Weights: kernel [places, elements of a window, filters] with implementation 1, [input...,
/// places..., filters] with 2, [elements] with 3; bias [places..., filters].
class BaseLocallyConnected : public Layer {
 public:
  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;

 protected:
  /// Throws ValueError for options that do not fit together.
  BaseLocallyConnected(int rank, const char* class_name, const LocallyConnectedOptions& options);

 private:
  Tensor by_place(const Tensor& x, const std::vector<int64_t>& places) const;
  Tensor by_matrix(const Tensor& x, const LocalGeometry& geometry) const;
  int rank_;
  LocallyConnectedOptions options_;
  Variable kernel_;
  Variable bias_;
};

/// [batch, steps, channels] -> [batch, places, filters].
class LocallyConnected1D : public LayerBase<LocallyConnected1D, BaseLocallyConnected> {
 public:
  LocallyConnected1D(int64_t filters, const Sizes& kernel_size,
                     LocallyConnectedOptions options = {});
  explicit LocallyConnected1D(const LocallyConnectedOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(LocallyConnected1D, LocallyConnectedOptions, int64_t, const Sizes&)
};

/// [batch, rows, columns, channels] -> [batch, rows of places, columns of places, filters].
class LocallyConnected2D : public LayerBase<LocallyConnected2D, BaseLocallyConnected> {
 public:
  LocallyConnected2D(int64_t filters, const Sizes& kernel_size,
                     LocallyConnectedOptions options = {});
  explicit LocallyConnected2D(const LocallyConnectedOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(LocallyConnected2D, LocallyConnectedOptions, int64_t, const Sizes&)
};

/// Options of RandomFourierFeatures.
struct RandomFourierFeaturesOptions {
  int64_t output_dim = 0;               ///< size of a vector
  std::string kernel = "gaussian";      ///< or "laplacian"; Keras's `kernel_initializer` as a name
  Initializer kernel_initializer = {};  ///< if given, used instead of `kernel`
  /// Not given: sqrt(inputs / 2) for the Gaussian kernel, else 1.
  std::optional<double> scale = {};
  bool trainable = false;
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  Regularizer activity_regularizer = {};
};

/// cos(x kernel / scale + bias) with random kernel and bias: features whose products approach those
/// of a Gaussian or Laplacian kernel (Rahimi and Recht 2007). [batch, n] -> [batch, output_dim],
/// computed in float32 and converted to the compute dtype (Keras 2 returns float32). Weights:
/// kernel_scale [1], unscaled_kernel, bias; only the first is trainable.
class RandomFourierFeatures : public LayerOf<RandomFourierFeatures, RandomFourierFeaturesOptions> {
 public:
  /// Throws ValueError for sizes and scales that are not positive, and for an unknown kernel.
  explicit RandomFourierFeatures(const RandomFourierFeaturesOptions& options);
  explicit RandomFourierFeatures(int64_t output_dim, RandomFourierFeaturesOptions options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(RandomFourierFeatures, RandomFourierFeaturesOptions, int64_t)
  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;

 private:
  Variable scale_;
  Variable kernel_;
  Variable bias_;
};

}  // namespace antler
