#pragma once

#include "antler/nn/layer.h"
#include "antler/nn/layer_handle.h"

namespace antler {

/// Base of layers that modify another layer: keeps it, builds it, and writes it into the
/// configuration as "layer".
class Wrapper : public Layer {
 public:
  const LayerPtr& layer() const { return layer_; }
  /// Builds the wrapped layer for the same input.
  void build(const Shape& input_shape) override;
  using Layer::build;
  Json get_config() const override;

 protected:
  Wrapper(const char* class_name, const LayerHandle& layer, const LayerOptions& options);

 private:
  LayerPtr layer_;
};

}  // namespace antler
