#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/core/keyword.h"
#include "antler/nn/layer_of.h"

/// Layers that only models of keras.applications use.
namespace antler {

/// Options of LayerScale.
struct LayerScaleOptions {
  double init_values = 0;      ///< initial value of gamma
  int64_t projection_dim = 0;  ///< size of gamma: the input's last dimension
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// x * gamma (Touvron et al. 2021), used by ConvNeXt. Weight: gamma [projection_dim].
class LayerScale : public LayerOf<LayerScale, LayerScaleOptions> {
 public:
  LayerScale(double init_values, int64_t projection_dim, LayerScaleOptions options = {});
  explicit LayerScale(const LayerScaleOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(LayerScale, LayerScaleOptions, double, int64_t)
  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;

 private:
  Variable gamma_;
};

/// Options of CustomScaleLayer.
struct CustomScaleLayerOptions {
  double scale = 1;  ///< factor of the second tensor
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// a + scale * b for a list of two tensors of the same shape. Used by InceptionResNetV2.
class CustomScaleLayer : public LayerOf<CustomScaleLayer, CustomScaleLayerOptions> {
 public:
  explicit CustomScaleLayer(double scale, CustomScaleLayerOptions options = {});
  explicit CustomScaleLayer(const CustomScaleLayerOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(CustomScaleLayer, CustomScaleLayerOptions, double)
  /// Throws ValueError unless there are two inputs.
  Nest call(const Nest& inputs, const CallOptions& options) override;
};

}  // namespace antler
