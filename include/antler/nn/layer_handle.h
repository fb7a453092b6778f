#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

#include "antler/nn/layer.h"

namespace antler {

/// Any layer, passed by value in lists of layers: `{Input({784}), Dense(10)}`. The result of
/// Input() stands for its input layer.
class LayerHandle {
 public:
  template <std::derived_from<Layer> L>
  LayerHandle(const L& layer)
      : layer_(layer.share()) {}  // NOLINT(google-explicit-constructor): lists of layers
  template <std::derived_from<Layer> L>
  requires(!std::is_const_v<L>) LayerHandle(L& layer)
      : layer_(layer.share()) {}  // NOLINT(google-explicit-constructor)
  template <std::derived_from<Layer> L>
  LayerHandle(std::shared_ptr<L> layer)
      : layer_(std::move(layer)) {}  // NOLINT(google-explicit-constructor)
  /// Throws TypeError unless `input` is a result of Input().
  LayerHandle(const Tensor& input);  // NOLINT(google-explicit-constructor)

  const LayerPtr& layer() const { return layer_; }
  operator const LayerPtr&() const { return layer_; }  // NOLINT(google-explicit-constructor)
  Layer* operator->() const { return layer_.get(); }
  /// Calls the layer.
  Tensor operator()(const Tensor& input, const CallOptions& options = {}) const {
    return (*layer_)(input, options);
  }
  Nest operator()(const Nest& inputs, const CallOptions& options = {}) const {
    return (*layer_)(inputs, options);
  }

 private:
  LayerPtr layer_;
};

/// Field type of an optional layer: a LayerPtr that is also made from a layer itself,
/// `{.backward_layer = LSTM(4, {.go_backwards = true})}`.
class OptionalLayer : public LayerPtr {
 public:
  using LayerPtr::LayerPtr;
  OptionalLayer() = default;
  OptionalLayer(LayerPtr layer)
      : LayerPtr(std::move(layer)) {}  // NOLINT(google-explicit-constructor)
  template <std::derived_from<Layer> L>
  OptionalLayer(const L& layer) : LayerPtr(layer.share()) {}  // NOLINT(google-explicit-constructor)
};

}  // namespace antler
