#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <vector>

#include "antler/nn/layer_handle.h"
#include "antler/nn/object_factory.h"
#include "antler/training/model.h"

namespace antler {

/// A stack of layers, each with one input and one output (Keras's Sequential). Built immediately if
/// it starts with an Input, else at the first call.
class Sequential : public Model {
 public:
  Sequential(std::initializer_list<LayerHandle> layers = {}, const LayerOptions& options = {});
  explicit Sequential(const std::vector<LayerHandle>& layers, const LayerOptions& options = {});
  explicit Sequential(const std::vector<LayerPtr>& layers, const LayerOptions& options = {})
      : Sequential(std::vector<LayerHandle>(layers.begin(), layers.end()), options) {}
  explicit Sequential(const LayerOptions& options);
  /// The same with the name by position. (Templates, so that options in braces are not converted to
  /// a name.)
  template <std::convertible_to<std::string> S>
  Sequential(std::initializer_list<LayerHandle> layers, const S& name)
      : Sequential(layers, LayerOptions{.name = name}) {}
  template <std::convertible_to<std::string> S>
  Sequential(const std::vector<LayerHandle>& layers, const S& name)
      : Sequential(layers, LayerOptions{.name = name}) {}

  /// Appends a layer. Throws ValueError if its name is taken.
  void add(const LayerHandle& layer);
  /// Removes the last layer. Throws TypeError if there is none.
  LayerPtr pop();
  void build(const Shape& input_shape) override;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Nest call(const Nest& inputs, const CallOptions& options) override;
  /// A model with new weights from get_config(). Throws ValueError for a wrong configuration.
  static Sequential from_config(const Json& config, const CustomObjects& custom_objects = {});

 protected:
  std::unique_ptr<Layer> clone_handle() const override;

 private:
  void rebuild();
  std::shared_ptr<std::vector<LayerPtr>> stack_;  // includes the input layer
};

}  // namespace antler
