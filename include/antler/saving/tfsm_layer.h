#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/nn/layer.h"

namespace antler {

/// Keras's arguments of TFSMLayer.
struct TFSMLayerOptions {
  std::string call_endpoint = "serve";  ///< the function to call
  /// The function to call in training; not given: the same.
  std::optional<std::string> call_training_endpoint = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
};

/// A layer that calls a SavedModel (Keras's TFSMLayer). The function `call_endpoint` is computed by
/// Antler's own ops. An endpoint is a function attribute of the saved object ("serve" of Keras's
/// `model.export`) or a signature ("serving_default"). During training, `call_training_endpoint` is
/// called instead, if given. Arguments are passed in order, entries of dictionaries by sorted key;
/// the outputs have the function's structure. The function's variables become weights, trainable
/// ones first, and can be trained.
///
/// Loops must have a known length and are unrolled. Throws NotFoundError if the folder is not a
/// SavedModel, IOError if it is damaged, ValueError if an endpoint does not exist. A call throws
/// NotImplementedError for operations that Antler does not have (tables, StableHLO).
class TFSMLayer : public LayerBase<TFSMLayer> {
 public:
  explicit TFSMLayer(const std::string& filepath, const TFSMLayerOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(TFSMLayer, TFSMLayerOptions, const std::string&)

  Nest call(const Nest& inputs, const CallOptions& options) override;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;

  /// An argument of the endpoint; the order is that of Nest::flatten().
  struct Argument {
    std::string name;
    DType dtype = DType::float32;
    Shape shape;  ///< unknown dimensions are Shape::kUnknown
  };
  std::vector<Argument> arguments() const;

 private:
  struct Graph;
  std::string filepath_;
  TFSMLayerOptions options_;
  std::shared_ptr<const Graph> graph_;
};

/// The endpoint to use for inference: "serve", else "serving_default", else the first.
std::string saved_model_endpoint(const std::string& filepath);

/// A layer from get_config(). The folder must still exist.
LayerPtr tfsm_layer_from_config(const Json& config);

}  // namespace antler
