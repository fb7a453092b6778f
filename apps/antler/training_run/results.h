#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "antler/training/callbacks.h"
#include "antler/training/model.h"
#include "common/interrupt.h"
#include "curves/history_file.h"
#include "input/data_plan.h"
#include "training_run/fit_settings.h"

/// What a training run writes and prints at its end.
namespace antler::cli {

/// Checks before the training that its results can be written.
void check_outputs(const FitSettings& settings);

struct Written {
  std::string out;       ///< the path of the model
  bool in_place = true;  ///< all files were written where the user wanted
};

/// Writes the model with its data plan, the history and the plot.
Written write_results(const Model& model, const DataPlan& plan, const FitSettings& settings,
                      const EpochTimes& times);
/// Saves the model of a training run that failed after some steps, for example because a checkpoint
/// could not be written.
void keep_unfinished(const Model& model, const DataPlan& plan, const FitSettings& settings);

/// Adds the loss and metrics for samples to the result, as `name`. Returns a line to print.
std::string evaluated(Model& model, const Samples& samples, const FitSettings& settings,
                      const char* name, Json& result);

struct Results {
  std::string out;   ///< the path of the model
  Json json;         ///< further entries of the line of JSON
  std::string text;  ///< printed if JSON is not asked for
};

/// Prints the results of the training run. `interrupted` is null if it was not.
void report(const FitSettings& settings, const Results& results, const History& history,
            const InterruptCallback* interrupted);

}  // namespace antler::cli
