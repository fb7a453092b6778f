#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/training/model.h"

namespace antler {

struct ExportOptions {
  /// "onnx" or "tf_saved_model"; empty: ONNX for a path that ends in `.onnx`, else a SavedModel.
  std::string format = "";
  /// The only size of the batch that the exported model takes. Not given: it takes any.
  std::optional<int64_t> batch_size = {};
};

/// Writes what predict() computes for other programs, Keras's `model.export`: an ONNX file
/// (operator set 17, run by ONNX Runtime), or a folder with a TensorFlow SavedModel whose signature
/// "serving_default" takes and gives the model's inputs and outputs by name (tf.saved_model.load,
/// TensorFlow Serving, TFSMLayer). Loops over time are unrolled. Throws ValueError for a model that
/// was not built or has no known input shapes, NotImplementedError that names the op for what a
/// format cannot say.
void export_model(const Model& model, const std::string& path, const ExportOptions& options = {});

}  // namespace antler
