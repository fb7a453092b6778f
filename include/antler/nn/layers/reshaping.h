#pragma once

#include <optional>
#include <string>

#include "antler/nn/layer.h"

namespace antler {

/// Options of Flatten.
struct FlattenOptions {
  std::string data_format =
      "channels_last";  ///< "channels_first": channels are moved last before flattening
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// [batch, ...] -> [batch, product of the rest]; [batch] -> [batch, 1].
class Flatten : public LayerBase<Flatten> {
 public:
  explicit Flatten(const FlattenOptions& options = {});
  Tensor call(const Tensor& input, const CallOptions& options) override;
  using Layer::call;
  Json get_config() const override;

 private:
  FlattenOptions options_;
};

/// Options of Reshape.
struct ReshapeOptions {
  Shape target_shape = {};  ///< without the batch; one -1 is inferred
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// [batch, ...] -> [batch, target...].
class Reshape : public LayerBase<Reshape> {
 public:
  explicit Reshape(const Shape& target_shape, ReshapeOptions options = {});
  explicit Reshape(const ReshapeOptions& options);
  Tensor call(const Tensor& input, const CallOptions& options) override;
  using Layer::call;
  Json get_config() const override;

 private:
  ReshapeOptions options_;
};

}  // namespace antler
