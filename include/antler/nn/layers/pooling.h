#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layer.h"
#include "antler/nn/sizes.h"

namespace antler {

/// Options of MaxPooling1D/2D/3D and AveragePooling1D/2D/3D.
struct PoolingOptions {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Sizes pool_size = {};                       ///< not given: 2
  Sizes strides = {};                         ///< not given: pool_size
  std::string padding = "valid";              ///< or "same"
  std::string data_format = "channels_last";  ///< or "channels_first"
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Base of the pooling layers: the largest value, or the mean, of each window. [batch, spatial...,
/// channels] -> [batch, spatial'..., channels]. Means ignore padding. Keras's first two arguments
/// may be given by position, as in Keras's own examples: `MaxPooling2D(2)`, `MaxPooling2D(3, 2)`,
/// `MaxPooling2D({3, 2}, {.padding = "same"})`.
class BasePooling : public Layer {
 public:
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;

 protected:
  BasePooling(bool average, int rank, const char* class_name, const PoolingOptions& options);

 private:
  bool average_;
  int rank_;
  PoolingOptions options_;
};

/// The largest value of each window: [batch, steps, channels] -> [batch, steps', channels].
class MaxPooling1D : public LayerBase<MaxPooling1D, BasePooling> {
 public:
  explicit MaxPooling1D(const PoolingOptions& options = {});
  explicit MaxPooling1D(int64_t pool_size, PoolingOptions options = {});
  template <std::integral I>
  MaxPooling1D(int64_t pool_size, I strides, PoolingOptions options = {})
      : MaxPooling1D(by_position<&PoolingOptions::pool_size, &PoolingOptions::strides>(
            "MaxPooling1D", std::move(options), Sizes(pool_size), Sizes(strides))) {}
  ANTLER_KEYWORD_CONSTRUCTORS(MaxPooling1D, PoolingOptions, int64_t)
};
/// The largest value of each window: [batch, height, width, channels] -> [batch, height', width',
/// channels].
class MaxPooling2D : public LayerBase<MaxPooling2D, BasePooling> {
 public:
  explicit MaxPooling2D(const PoolingOptions& options = {});
  explicit MaxPooling2D(int64_t pool_size, PoolingOptions options = {});
  template <std::integral I>
  MaxPooling2D(int64_t pool_size, I strides, PoolingOptions options = {})
      : MaxPooling2D(by_position<&PoolingOptions::pool_size, &PoolingOptions::strides>(
            "MaxPooling2D", std::move(options), Sizes(pool_size), Sizes(strides))) {}
  // A template, because g++ would also convert options in braces to sizes.
  template <class S = std::initializer_list<int64_t>>
  explicit MaxPooling2D(const std::type_identity_t<S>& pool_size, PoolingOptions options = {})
      : MaxPooling2D(by_position<&PoolingOptions::pool_size>("MaxPooling2D", std::move(options),
                                                             Sizes(pool_size))) {}
  ANTLER_KEYWORD_CONSTRUCTORS(MaxPooling2D, PoolingOptions, int64_t)
  ANTLER_KEYWORD_CONSTRUCTOR(MaxPooling2D, PoolingOptions, std::initializer_list<int64_t>)
};
/// The largest value of each window: [batch, depth, height, width, channels] -> [batch, depth',
/// height', width', channels].
class MaxPooling3D : public LayerBase<MaxPooling3D, BasePooling> {
 public:
  explicit MaxPooling3D(const PoolingOptions& options = {});
  explicit MaxPooling3D(int64_t pool_size, PoolingOptions options = {});
  template <std::integral I>
  MaxPooling3D(int64_t pool_size, I strides, PoolingOptions options = {})
      : MaxPooling3D(by_position<&PoolingOptions::pool_size, &PoolingOptions::strides>(
            "MaxPooling3D", std::move(options), Sizes(pool_size), Sizes(strides))) {}
  // A template, because g++ would also convert options in braces to sizes.
  template <class S = std::initializer_list<int64_t>>
  explicit MaxPooling3D(const std::type_identity_t<S>& pool_size, PoolingOptions options = {})
      : MaxPooling3D(by_position<&PoolingOptions::pool_size>("MaxPooling3D", std::move(options),
                                                             Sizes(pool_size))) {}
  ANTLER_KEYWORD_CONSTRUCTORS(MaxPooling3D, PoolingOptions, int64_t)
  ANTLER_KEYWORD_CONSTRUCTOR(MaxPooling3D, PoolingOptions, std::initializer_list<int64_t>)
};
/// The mean of each window: [batch, steps, channels] -> [batch, steps', channels].
class AveragePooling1D : public LayerBase<AveragePooling1D, BasePooling> {
 public:
  explicit AveragePooling1D(const PoolingOptions& options = {});
  explicit AveragePooling1D(int64_t pool_size, PoolingOptions options = {});
  template <std::integral I>
  AveragePooling1D(int64_t pool_size, I strides, PoolingOptions options = {})
      : AveragePooling1D(by_position<&PoolingOptions::pool_size, &PoolingOptions::strides>(
            "AveragePooling1D", std::move(options), Sizes(pool_size), Sizes(strides))) {}
  ANTLER_KEYWORD_CONSTRUCTORS(AveragePooling1D, PoolingOptions, int64_t)
};
/// The mean of each window: [batch, height, width, channels] -> [batch, height', width', channels].
class AveragePooling2D : public LayerBase<AveragePooling2D, BasePooling> {
 public:
  explicit AveragePooling2D(const PoolingOptions& options = {});
  explicit AveragePooling2D(int64_t pool_size, PoolingOptions options = {});
  template <std::integral I>
  AveragePooling2D(int64_t pool_size, I strides, PoolingOptions options = {})
      : AveragePooling2D(by_position<&PoolingOptions::pool_size, &PoolingOptions::strides>(
            "AveragePooling2D", std::move(options), Sizes(pool_size), Sizes(strides))) {}
  // A template, because g++ would also convert options in braces to sizes.
  template <class S = std::initializer_list<int64_t>>
  explicit AveragePooling2D(const std::type_identity_t<S>& pool_size, PoolingOptions options = {})
      : AveragePooling2D(by_position<&PoolingOptions::pool_size>(
            "AveragePooling2D", std::move(options), Sizes(pool_size))) {}
  ANTLER_KEYWORD_CONSTRUCTORS(AveragePooling2D, PoolingOptions, int64_t)
  ANTLER_KEYWORD_CONSTRUCTOR(AveragePooling2D, PoolingOptions, std::initializer_list<int64_t>)
};
/// The mean of each window: [batch, depth, height, width, channels] -> [batch, depth', height',
/// width', channels].
class AveragePooling3D : public LayerBase<AveragePooling3D, BasePooling> {
 public:
  explicit AveragePooling3D(const PoolingOptions& options = {});
  explicit AveragePooling3D(int64_t pool_size, PoolingOptions options = {});
  template <std::integral I>
  AveragePooling3D(int64_t pool_size, I strides, PoolingOptions options = {})
      : AveragePooling3D(by_position<&PoolingOptions::pool_size, &PoolingOptions::strides>(
            "AveragePooling3D", std::move(options), Sizes(pool_size), Sizes(strides))) {}
  // A template, because g++ would also convert options in braces to sizes.
  template <class S = std::initializer_list<int64_t>>
  explicit AveragePooling3D(const std::type_identity_t<S>& pool_size, PoolingOptions options = {})
      : AveragePooling3D(by_position<&PoolingOptions::pool_size>(
            "AveragePooling3D", std::move(options), Sizes(pool_size))) {}
  ANTLER_KEYWORD_CONSTRUCTORS(AveragePooling3D, PoolingOptions, int64_t)
  ANTLER_KEYWORD_CONSTRUCTOR(AveragePooling3D, PoolingOptions, std::initializer_list<int64_t>)
};

/// Options of AdaptiveMaxPooling1D/2D/3D and AdaptiveAveragePooling1D/2D/3D.
struct AdaptivePoolingOptions {
  Sizes output_size = {};                     ///< number of windows per dimension
  std::string data_format = "channels_last";  ///< or "channels_first"
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Base of the adaptive pooling layers. Along a dimension of size s, window i of n ranges from
/// floor(i s / n) to ceil((i + 1) s / n), so that the windows cover it for any size. [batch,
/// spatial..., channels] -> [batch, output_size..., channels].
class BaseAdaptivePooling : public Layer {
 public:
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;

 protected:
  BaseAdaptivePooling(bool average, int rank, const char* class_name,
                      const AdaptivePoolingOptions& options);

 private:
  bool average_;
  AdaptivePoolingOptions options_;
};

/// The largest value of each of a given number of windows: [batch, steps, channels] -> [batch,
/// output_size..., channels].
class AdaptiveMaxPooling1D : public LayerBase<AdaptiveMaxPooling1D, BaseAdaptivePooling> {
 public:
  explicit AdaptiveMaxPooling1D(const Sizes& output_size, AdaptivePoolingOptions options = {});
  explicit AdaptiveMaxPooling1D(const AdaptivePoolingOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(AdaptiveMaxPooling1D, AdaptivePoolingOptions, const Sizes&)
};
/// The largest value of each of a given number of windows: [batch, height, width, channels] ->
/// [batch, output_size..., channels].
class AdaptiveMaxPooling2D : public LayerBase<AdaptiveMaxPooling2D, BaseAdaptivePooling> {
 public:
  explicit AdaptiveMaxPooling2D(const Sizes& output_size, AdaptivePoolingOptions options = {});
  explicit AdaptiveMaxPooling2D(const AdaptivePoolingOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(AdaptiveMaxPooling2D, AdaptivePoolingOptions, const Sizes&)
};
/// The largest value of each of a given number of windows: [batch, depth, height, width, channels]
/// -> [batch, output_size..., channels].
class AdaptiveMaxPooling3D : public LayerBase<AdaptiveMaxPooling3D, BaseAdaptivePooling> {
 public:
  explicit AdaptiveMaxPooling3D(const Sizes& output_size, AdaptivePoolingOptions options = {});
  explicit AdaptiveMaxPooling3D(const AdaptivePoolingOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(AdaptiveMaxPooling3D, AdaptivePoolingOptions, const Sizes&)
};
/// The mean of each of a given number of windows: [batch, steps, channels] -> [batch,
/// output_size..., channels].
class AdaptiveAveragePooling1D : public LayerBase<AdaptiveAveragePooling1D, BaseAdaptivePooling> {
 public:
  explicit AdaptiveAveragePooling1D(const Sizes& output_size, AdaptivePoolingOptions options = {});
  explicit AdaptiveAveragePooling1D(const AdaptivePoolingOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(AdaptiveAveragePooling1D, AdaptivePoolingOptions, const Sizes&)
};
/// The mean of each of a given number of windows: [batch, height, width, channels] -> [batch,
/// output_size..., channels].
class AdaptiveAveragePooling2D : public LayerBase<AdaptiveAveragePooling2D, BaseAdaptivePooling> {
 public:
  explicit AdaptiveAveragePooling2D(const Sizes& output_size, AdaptivePoolingOptions options = {});
  explicit AdaptiveAveragePooling2D(const AdaptivePoolingOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(AdaptiveAveragePooling2D, AdaptivePoolingOptions, const Sizes&)
};
/// The mean of each of a given number of windows: [batch, depth, height, width, channels] ->
/// [batch, output_size..., channels].
class AdaptiveAveragePooling3D : public LayerBase<AdaptiveAveragePooling3D, BaseAdaptivePooling> {
 public:
  explicit AdaptiveAveragePooling3D(const Sizes& output_size, AdaptivePoolingOptions options = {});
  explicit AdaptiveAveragePooling3D(const AdaptivePoolingOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(AdaptiveAveragePooling3D, AdaptivePoolingOptions, const Sizes&)
};

/// Options of GlobalMaxPooling1D/2D/3D and GlobalAveragePooling1D/2D/3D.
struct GlobalPoolingOptions {
  std::string data_format = "channels_last";  ///< or "channels_first"
  bool keepdims = false;                      ///< keep the spatial dimensions, with size 1
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Base of the global pooling layers: [batch, spatial..., channels] -> [batch, channels].
/// GlobalAveragePooling1D ignores masked steps.
class BaseGlobalPooling : public Layer {
 public:
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Tensor compute_mask(const Nest& inputs, const Tensor& mask = {}) override;
  Json get_config() const override;

 protected:
  BaseGlobalPooling(bool average, int rank, const char* class_name,
                    const GlobalPoolingOptions& options);

 private:
  bool average_;
  int rank_;
  GlobalPoolingOptions options_;
};

/// The largest value over all positions: [batch, steps, channels] -> [batch, channels].
class GlobalMaxPooling1D : public LayerBase<GlobalMaxPooling1D, BaseGlobalPooling> {
 public:
  explicit GlobalMaxPooling1D(const GlobalPoolingOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(GlobalMaxPooling1D, GlobalPoolingOptions)
};
/// The largest value over all positions: [batch, height, width, channels] -> [batch, channels].
class GlobalMaxPooling2D : public LayerBase<GlobalMaxPooling2D, BaseGlobalPooling> {
 public:
  explicit GlobalMaxPooling2D(const GlobalPoolingOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(GlobalMaxPooling2D, GlobalPoolingOptions)
};
/// The largest value over all positions: [batch, depth, height, width, channels] -> [batch,
/// channels].
class GlobalMaxPooling3D : public LayerBase<GlobalMaxPooling3D, BaseGlobalPooling> {
 public:
  explicit GlobalMaxPooling3D(const GlobalPoolingOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(GlobalMaxPooling3D, GlobalPoolingOptions)
};
/// The mean over all positions: [batch, steps, channels] -> [batch, channels].
class GlobalAveragePooling1D : public LayerBase<GlobalAveragePooling1D, BaseGlobalPooling> {
 public:
  explicit GlobalAveragePooling1D(const GlobalPoolingOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(GlobalAveragePooling1D, GlobalPoolingOptions)
};
/// The mean over all positions: [batch, height, width, channels] -> [batch, channels].
class GlobalAveragePooling2D : public LayerBase<GlobalAveragePooling2D, BaseGlobalPooling> {
 public:
  explicit GlobalAveragePooling2D(const GlobalPoolingOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(GlobalAveragePooling2D, GlobalPoolingOptions)
};
/// The mean over all positions: [batch, depth, height, width, channels] -> [batch, channels].
class GlobalAveragePooling3D : public LayerBase<GlobalAveragePooling3D, BaseGlobalPooling> {
 public:
  explicit GlobalAveragePooling3D(const GlobalPoolingOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(GlobalAveragePooling3D, GlobalPoolingOptions)
};

}  // namespace antler
