#pragma once

#include <optional>
#include <string>

#include "antler/nn/layer.h"
#include "antler/nn/sizes.h"

namespace antler {

/// Options of MaxPooling1D/2D/3D and AveragePooling1D/2D/3D.
struct PoolingOptions {
  Sizes pool_size = {};                       ///< not given: 2
  Sizes strides = {};                         ///< not given: pool_size
  std::string padding = "valid";              ///< or "same"
  std::string data_format = "channels_last";  ///< or "channels_first"
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// What the pooling layers share: the largest value, or the mean, of each window. [batch,
/// spatial..., channels] -> [batch, spatial'..., channels]. Means leave padding out.
class BasePooling : public Layer {
 public:
  Tensor call(const Tensor& input, const CallOptions& options) override;
  using Layer::call;
  Json get_config() const override;

 protected:
  BasePooling(bool average, int rank, const char* class_name, const PoolingOptions& options);

 private:
  bool average_;
  int rank_;
  PoolingOptions options_;
};

class MaxPooling1D : public LayerBase<MaxPooling1D, BasePooling> {
 public:
  explicit MaxPooling1D(const PoolingOptions& options = {});
};
class MaxPooling2D : public LayerBase<MaxPooling2D, BasePooling> {
 public:
  explicit MaxPooling2D(const PoolingOptions& options = {});
};
class MaxPooling3D : public LayerBase<MaxPooling3D, BasePooling> {
 public:
  explicit MaxPooling3D(const PoolingOptions& options = {});
};
class AveragePooling1D : public LayerBase<AveragePooling1D, BasePooling> {
 public:
  explicit AveragePooling1D(const PoolingOptions& options = {});
};
class AveragePooling2D : public LayerBase<AveragePooling2D, BasePooling> {
 public:
  explicit AveragePooling2D(const PoolingOptions& options = {});
};
class AveragePooling3D : public LayerBase<AveragePooling3D, BasePooling> {
 public:
  explicit AveragePooling3D(const PoolingOptions& options = {});
};

/// Options of GlobalMaxPooling1D/2D/3D and GlobalAveragePooling1D/2D/3D.
struct GlobalPoolingOptions {
  std::string data_format = "channels_last";  ///< or "channels_first"
  bool keepdims = false;                      ///< spatial dimensions stay, with size 1
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// What the global pooling layers share: [batch, spatial..., channels] -> [batch, channels].
/// GlobalAveragePooling1D leaves masked steps out.
class BaseGlobalPooling : public Layer {
 public:
  Tensor call(const Tensor& input, const CallOptions& options) override;
  using Layer::call;
  Tensor compute_mask(const Nest& inputs, const Tensor& mask) override;
  Json get_config() const override;

 protected:
  BaseGlobalPooling(bool average, int rank, const char* class_name,
                    const GlobalPoolingOptions& options);

 private:
  bool average_;
  int rank_;
  GlobalPoolingOptions options_;
};

class GlobalMaxPooling1D : public LayerBase<GlobalMaxPooling1D, BaseGlobalPooling> {
 public:
  explicit GlobalMaxPooling1D(const GlobalPoolingOptions& options = {});
};
class GlobalMaxPooling2D : public LayerBase<GlobalMaxPooling2D, BaseGlobalPooling> {
 public:
  explicit GlobalMaxPooling2D(const GlobalPoolingOptions& options = {});
};
class GlobalMaxPooling3D : public LayerBase<GlobalMaxPooling3D, BaseGlobalPooling> {
 public:
  explicit GlobalMaxPooling3D(const GlobalPoolingOptions& options = {});
};
class GlobalAveragePooling1D : public LayerBase<GlobalAveragePooling1D, BaseGlobalPooling> {
 public:
  explicit GlobalAveragePooling1D(const GlobalPoolingOptions& options = {});
};
class GlobalAveragePooling2D : public LayerBase<GlobalAveragePooling2D, BaseGlobalPooling> {
 public:
  explicit GlobalAveragePooling2D(const GlobalPoolingOptions& options = {});
};
class GlobalAveragePooling3D : public LayerBase<GlobalAveragePooling3D, BaseGlobalPooling> {
 public:
  explicit GlobalAveragePooling3D(const GlobalPoolingOptions& options = {});
};

}  // namespace antler
