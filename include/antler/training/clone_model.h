#pragma once

#include <functional>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/core/nest.h"
#include "antler/nn/layer_handle.h"
#include "antler/training/model.h"
#include "antler/training/sequential.h"

namespace antler {

/// Arguments of clone_model after the model, in Keras's order.
struct CloneModelOptions {
  Nest input_tensors = {};  ///< placeholders in place of new ones, in the structure of the inputs
  /// Makes the layer that takes the place of `layer`; not called for inputs. If it returns `layer`,
  /// both models share it. Not given: a layer of the same configuration with new weights. A custom
  /// class needs a static `from_config(const Json&)`; it need not be registered.
  std::function<LayerHandle(const Layer& layer)> clone_function = {};
  /// Calls a layer of the clone, for instance with others before or after it. Not for Sequential
  /// models. Not given: `layer(inputs, options)`.
  std::function<Nest(const Layer&, const Nest&, const CallOptions&)> call_function = {};
  bool recursive = false;  ///< whether the layers of models in the model are cloned likewise
};

/// A functional or sequential model of the same architecture with new weights. It is compiled if
/// `model` is and its losses and metrics can be made from their configurations; otherwise that is a
/// warning. Throws ValueError for input tensors of another structure, and for a `call_function`
/// with a Sequential model.
///
///     Model gentle = clone_model(model, kw::clone_function = [](const Layer& layer) -> LayerHandle
///     {
///       if (dynamic_cast<const Dropout*>(&layer) != nullptr) return Dropout(0.1);
///       return layers::deserialize(layers::serialize(layer));
///     });
Model clone_model(const Model& model, const CloneModelOptions& options = {});
Sequential clone_model(const Sequential& model, const CloneModelOptions& options = {});
template <class... K>
requires KeywordArguments<K...> Model clone_model(const Model& model, K... keywords) {
  return clone_model(model, from_keywords<CloneModelOptions>(std::move(keywords)...));
}
template <class... K>
requires KeywordArguments<K...> Sequential clone_model(const Sequential& model, K... keywords) {
  return clone_model(model, from_keywords<CloneModelOptions>(std::move(keywords)...));
}

}  // namespace antler
