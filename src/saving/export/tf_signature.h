#pragma once

#include <string>
#include <vector>

#include "io/wire.h"
#include "saving/export/graph_sink.h"
#include "saving/export/tf_variables.h"

/// Signatures of a SavedModel (meta_graph.proto, saved_model.proto).
namespace antler::saving {

inline constexpr const char* kPredictMethod = "tensorflow/serving/predict";
inline constexpr const char* kClassifyMethod = "tensorflow/serving/classify";
inline constexpr const char* kRegressMethod = "tensorflow/serving/regress";
inline constexpr const char* kTrainMethod = "tensorflow/supervised/training";
inline constexpr const char* kEvalMethod = "tensorflow/supervised/eval";

/// The TensorInfo of a value, "node" or "node:1"; `type` is TensorFlow's number of the dtype.
io::WireWriter tensor_info(const std::string& value, int64_t type, const Dims& dims);
/// A SavedModel message. Throws ValueError above 2 GB, the limit of a protobuf message.
std::string saved_model_message(const std::vector<io::WireWriter>& meta_graphs);

}  // namespace antler::saving
