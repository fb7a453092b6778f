#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/nn/layer.h"

namespace antler {

/// Field type of factors: nothing, a number f, or a range {low, high}. What a number means is said
/// at each field; mostly [-f, f], cut to what is allowed.
class FactorRange {
 public:
  FactorRange() = default;
  FactorRange(double factor) : values_{factor} {}  // NOLINT(google-explicit-constructor)
  FactorRange(std::initializer_list<double> range) : values_(range), range_(true) {}
  FactorRange(std::vector<double> range)  // NOLINT(google-explicit-constructor)
      : values_(std::move(range)), range_(true) {}
  bool given() const { return !values_.empty(); }
  bool is_range() const { return range_; }
  const std::vector<double>& values() const { return values_; }
  double low() const { return values_.front(); }
  double high() const { return values_.back(); }

 private:
  std::vector<double> values_;
  bool range_ = false;
};

/// Base of layers of images: [batch, height, width, channels] or one image without batch;
/// channels_first as the option says. Most change images in training only.
class ImageLayer : public Layer {
 public:
  Tensor call(const Tensor& input, const CallOptions& options) override;
  using Layer::call;

 protected:
  enum class When : uint8_t { training, always };
  ImageLayer(std::string class_name, const LayerOptions& options,
             const std::optional<std::string>& data_format, When when = When::training);
  /// Images of integers come back as they came where nothing is done to them (and with
  /// `in_training` also in training), not as floats.
  void keep_integers(bool in_training = false);
  /// Gives the layer random numbers.
  void use_seed(const std::optional<int64_t>& seed);
  /// Images [batch, height, width, channels] of the compute dtype.
  virtual Tensor transform(const Tensor& images) = 0;
  /// Numbers in [low, high), one per image where `shape` begins with the batch; float32.
  Tensor uniform(const Shape& shape, double low, double high) const;
  Tensor normal(const Shape& shape) const;
  /// The seed of one draw.
  Tensor next_seed() const;
  bool is_channels_first() const { return channels_first_; }

 private:
  bool channels_first_ = false;
  When when_;
  bool keeps_integers_ = false;
  bool keeps_integers_in_training_ = false;
  std::optional<SeedGenerator> seed_generator_;
};

}  // namespace antler
