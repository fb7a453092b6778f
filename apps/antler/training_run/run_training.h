#pragma once

#include <functional>

#include <nlohmann/json.hpp>

#include "antler/training/model.h"
#include "input/data_files.h"
#include "training_run/fit_settings.h"

namespace antler::cli {

/// A model with the data to train it on. Its validation data is `data.held_out`.
struct TrainingStart {
  Model model;
  LoadedData data;
  Samples test = {};  ///< not used for training; may be empty
  /// Whether to print the result on the validation data and on `test`.
  bool reports = false;
  Json facts = Json::object();  ///< for the line of JSON
};
/// Prepares the model and the data. May change the settings for the training.
using PrepareTraining = std::function<TrainingStart(FitSettings&)>;

/// Calls `prepare` under the strategy of this process, trains, saves the model with its data plan,
/// and prints the result. With `--workers`, several processes do this. Returns the exit code.
int run_training(const FitSettings& settings, const PrepareTraining& prepare);

}  // namespace antler::cli
