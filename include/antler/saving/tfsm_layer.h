#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/nn/layer.h"

namespace antler {

/// What a TFSMLayer can be told, Keras's arguments.
struct TFSMLayerOptions {
  std::string call_endpoint = "serve";
  std::optional<std::string> call_training_endpoint = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
};

/// A part of a model that TensorFlow saved (Keras's TFSMLayer): the folder of a SavedModel, whose
/// function `call_endpoint` is computed by Antler's own ops. An endpoint is a function among the
/// attributes of what was saved ("serve" of Keras's `model.export`), or a signature
/// ("serving_default"). While training, `call_training_endpoint` is called instead, where given.
/// Arguments go to the function's by their order, entries of dictionaries by sorted key; the
/// outputs have the function's structure. Its variables are weights, trainable ones first, which
/// train through the function.
///
/// Loops must have a known length, and are unrolled. Throws NotFoundError for a folder that is no
/// SavedModel, IOError for a damaged one, ValueError for an endpoint that does not exist;
/// NotImplementedError, when called, for operations that Antler does not have (tables, StableHLO).
class TFSMLayer : public LayerBase<TFSMLayer> {
 public:
  explicit TFSMLayer(const std::string& filepath, const TFSMLayerOptions& options = {});

  Nest call(const Nest& inputs, const CallOptions& options) override;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;

  /// dtypes and shapes of the arguments, with names, as a tree of Nest::flatten()'s order.
  struct Argument {
    std::string name;
    DType dtype = DType::float32;
    Shape shape;  ///< unknown dimensions are open
  };
  std::vector<Argument> arguments() const;

 private:
  struct Graph;
  std::string filepath_;
  TFSMLayerOptions options_;
  std::shared_ptr<const Graph> graph_;
};

/// The endpoint of a SavedModel that predicts: "serve", else "serving_default", else the first.
std::string saved_model_endpoint(const std::string& filepath);

/// A layer from get_config(). The folder must still be there.
LayerPtr tfsm_layer_from_config(const Json& config);

}  // namespace antler
