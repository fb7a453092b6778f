#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/training/model.h"

namespace antler {

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

}  // namespace antler
