#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/training/model.h"

namespace antler {

namespace ir {
class Graph;
}

/// Options of export_model().
struct ExportOptions {
  /// "onnx" or "tf_saved_model"; empty: ONNX if the path ends in `.onnx`, else a SavedModel.
  std::string format = "";
  /// The only batch size that the exported model accepts; not given: any.
  std::optional<int64_t> batch_size = {};
};

/// Exports what predict() computes, for inference in other programs (Keras's `model.export`): an
/// ONNX file (opset 17, for ONNX Runtime), or a TensorFlow SavedModel whose signature
/// "serving_default" maps the model's inputs to its outputs by name (for tf.saved_model.load,
/// TensorFlow Serving and TFSMLayer). Loops over time are unrolled. Throws ValueError for a model
/// that is not built or whose input shapes are not known, and NotImplementedError, naming the op,
/// for an op that the format cannot express.
void export_model(const Model& model, const std::string& path, const ExportOptions& options = {});
ANTLER_KEYWORD_FUNCTION(export_model, ExportOptions, const Model&, const std::string&)

/// The names in an exported file.
struct ExportNames {
  std::string graph;
  std::vector<std::string> inputs;   ///< of the graph's inputs, in order
  std::vector<std::string> outputs;  ///< of its outputs, in order
};

/// Exports a function other than a model's, as export_model() does. `trace` returns its graph for a
/// batch size. Repeated names get a suffix.
void export_function(const std::function<ir::Graph(int64_t batch)>& trace, ExportNames names,
                     const std::string& path, const ExportOptions& options = {});

}  // namespace antler
