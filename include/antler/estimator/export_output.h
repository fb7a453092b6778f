#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "antler/core/nest.h"

namespace antler::estimator {

/// Outputs of any kind: a tensor (under the key "output") or a dictionary of tensors.
struct PredictOutput {
  Nest outputs = {};
};

/// Scores and/or classes of a classifier (tf.estimator.export.ClassificationOutput). `scores`
/// floating, [batch, classes]; `classes` strings, [batch, classes].
struct ClassificationOutput {
  Tensor scores = {};
  Tensor classes = {};
};

/// A floating value per example (tf.estimator.export.RegressionOutput).
struct RegressionOutput {
  Tensor value = {};
};

using ExportOutput = std::variant<PredictOutput, ClassificationOutput, RegressionOutput>;
/// Throws ValueError for scores or a value that are not floating, for classes that are not strings,
/// and for a ClassificationOutput with neither.
void check_export_output(const ExportOutput& output);
/// Outputs by signature name, in order. If there are several, one must be "serving_default".
using ExportOutputs = std::vector<std::pair<std::string, ExportOutput>>;

}  // namespace antler::estimator
