#include "antler/estimator/export_output.h"

#include "antler/base/error.h"
#include "antler/core/string_handles.h"

namespace antler::estimator {
namespace {

void check(const PredictOutput& output) {
  if (output.outputs.is_none()) throw ValueError("Prediction output value must be a Tensor");
  if (output.outputs.is_list()) {
    throw ValueError("PredictOutput takes a tensor or a dictionary of tensors, not a list.");
  }
  for (const auto& [key, value] : output.outputs.items()) {
    if (!value.is_tensor() || value.is_none()) {
      throw ValueError("Prediction output value must be a Tensor; got {} for '{}'.",
                       value.structure(), key);
    }
  }
}

void check(const ClassificationOutput& output) {
  if (output.scores.defined() && !is_floating(output.scores.dtype())) {
    throw ValueError("Classification scores must be a float32 Tensor; got {}.",
                     dtype_name(output.scores.dtype()));
  }
  if (output.classes.defined() && output.classes.dtype() != kStringDType) {
    throw ValueError("Classification classes must be a string Tensor; got {}.",
                     dtype_name(output.classes.dtype()));
  }
  if (!output.scores.defined() && !output.classes.defined()) {
    throw ValueError(
        "Cannot create a ClassificationOutput with empty arguments. At least one of `scores` and "
        "`classes` must be defined.");
  }
}

void check(const RegressionOutput& output) {
  if (!output.value.defined() || !is_floating(output.value.dtype())) {
    throw ValueError("Regression output value must be a float32 Tensor; got {}.",
                     output.value.defined() ? dtype_name(output.value.dtype()) : "nothing");
  }
}

}  // namespace

void check_export_output(const ExportOutput& output) {
  std::visit([](const auto& kind) { check(kind); }, output);
}

}  // namespace antler::estimator
