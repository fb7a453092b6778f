#pragma once

#include <map>
#include <optional>
#include <string>

#include "antler/estimator/estimator.h"
#include "antler/training/model.h"

namespace antler::estimator {

/// Arguments of model_to_estimator(). Exactly one of the first two is required.
struct ModelToEstimatorOptions {
  std::optional<Model> keras_model = {};             ///< compiled
  std::optional<std::string> keras_model_path = {};  ///< a file written by save()
  /// Folder of the files; not given: that of `config`, or a temporary one.
  std::optional<std::string> model_dir = {};
  std::optional<RunConfig> config = {};  ///< not given: RunConfig()
  /// Names of metrics in the results of evaluate(): Keras's name -> new name.
  std::map<std::string, std::string> metric_names_map = {};
};

/// An estimator that trains a copy of a Keras model with the optimizer, loss and metrics that it
/// was compiled with (tf.keras.estimator.model_to_estimator). Training starts from the weights that
/// the model has now. Variables are named by Keras's paths. Predictions are named after the
/// outputs. Throws ValueError unless exactly one of model and path is given, for a model that is
/// not compiled or not built, and (during evaluation) for unknown metrics in metric_names_map.
Estimator model_to_estimator(const ModelToEstimatorOptions& options);

}  // namespace antler::estimator
