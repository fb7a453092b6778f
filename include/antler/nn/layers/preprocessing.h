#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/nn/layer_of.h"
#include "antler/nn/layers/adaptable.h"
#include "antler/ops/axes.h"

namespace antler {

/// A number, or one number for each index of the last axis.
class PerChannel {
 public:
  PerChannel(double value)  // NOLINT(google-explicit-constructor): a number for all
      : values_{value} {}
  PerChannel(std::vector<double> values)  // NOLINT(google-explicit-constructor)
      : values_(std::move(values)), list_(true) {}
  const std::vector<double>& values() const { return values_; }
  bool is_list() const { return list_; }

 private:
  std::vector<double> values_;
  bool list_ = false;
};

/// Options of Rescaling.
struct RescalingOptions {
  PerChannel scale = 1.0;   ///< a factor, or one per channel
  PerChannel offset = 0.0;  ///< added after scaling
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// x * scale + offset. Integers become floats.
class Rescaling : public LayerOf<Rescaling, RescalingOptions> {
 public:
  explicit Rescaling(PerChannel scale, RescalingOptions options = {});
  explicit Rescaling(const RescalingOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(Rescaling, RescalingOptions, PerChannel)
  Tensor call(const Tensor& input, const CallOptions& options) override;
};

/// Options of Normalization.
struct NormalizationOptions {
  ops::Axes axis = -1;   ///< axes with separate statistics; {}: one pair for all
  Tensor mean = {};      ///< a number, or one per index of the axes; not given: adapt()
  Tensor variance = {};  ///< given with `mean`
  bool invert = false;   ///< the reverse: x * deviation + mean
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// (x - mean) / max(sqrt(variance), 1e-7), with statistics per index of `axis`.
class Normalization : public LayerOf<Normalization, NormalizationOptions>, public Adaptable {
 public:
  explicit Normalization(const NormalizationOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Normalization, NormalizationOptions)
  void build(const Shape& input_shape) override;
  using Layer::build;
  /// Computes the mean and population variance of the data.
  void adapt(const Tensor& data) override;
  void adapt(const std::vector<Tensor>& batches);
  using Adaptable::adapt;
  /// Has the rank of the input, and size 1 along the axes that are not in `axis`.
  Tensor mean() const;
  Tensor variance() const;
  Tensor call(const Tensor& input, const CallOptions& options) override;

 private:
  struct State;
  struct Statistics {
    Tensor mean;
    Tensor variance;
  };
  Statistics statistics() const;
  std::shared_ptr<State> own_;  ///< shared by copies
};

}  // namespace antler
