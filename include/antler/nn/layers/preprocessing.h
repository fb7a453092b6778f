#pragma once

#include <optional>
#include <string>

#include "antler/nn/layer.h"

namespace antler {

/// Options of Rescaling.
struct RescalingOptions {
  double scale = 1;
  double offset = 0;
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// x * scale + offset. Integers become floats.
class Rescaling : public LayerBase<Rescaling> {
 public:
  explicit Rescaling(double scale, RescalingOptions options = {});
  explicit Rescaling(const RescalingOptions& options);
  Tensor call(const Tensor& input, const CallOptions& options) override;
  using Layer::call;
  Json get_config() const override;

 private:
  RescalingOptions options_;
};

}  // namespace antler
