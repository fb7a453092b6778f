#pragma once

#include <map>
#include <optional>
#include <string>

#include "antler/estimator/estimator.h"
#include "antler/training/model.h"

namespace antler::estimator {

/// Arguments of model_to_estimator. Exactly one of the first two.
struct ModelToEstimatorOptions {
  std::optional<Model> keras_model = {};             ///< compiled
  std::optional<std::string> keras_model_path = {};  ///< of a file that save() wrote
  /// Folder of the files; not given: that of `config`, or a temporary one.
  std::optional<std::string> model_dir = {};
  std::optional<RunConfig> config = {};  ///< not given: RunConfig()
  /// Names of metrics in the results of evaluate(): Keras's name -> another one.
  std::map<std::string, std::string> metric_names_map = {};
};

/// An estimator that trains a copy of a Keras model with the optimizer, loss and metrics that it
/// was compiled with (tf.keras.estimator.model_to_estimator). Training starts from the weights that
/// the model has now. Variables are named by Keras's paths. Predictions are named after the
/// outputs. Throws ValueError unless there is exactly one of model and path, for a model that is
/// not compiled or not built, and for names in metric_names_map that are no metrics (when it
/// evaluates).
Estimator model_to_estimator(const ModelToEstimatorOptions& options);

}  // namespace antler::estimator
