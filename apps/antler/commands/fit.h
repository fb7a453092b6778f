#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/training/model.h"
#include "input/data_arguments.h"
#include "input/data_files.h"
#include "models/compile_model.h"

namespace antler::cli {

/// The command line options of training.
struct FitSettings {
  std::string model;  ///< empty: the command makes one
  DataArguments data;
  CompileSettings compile;
  int64_t epochs = 1;
  int64_t initial_epoch = 0;
  int64_t batch_size = 32;
  double validation_split = 0;
  std::string validation_data;
  std::string steps_per_execution;
  std::vector<std::string> callbacks;
  std::vector<std::string> class_weight;
  std::vector<std::string> augment;
  std::optional<int64_t> seed;
  bool no_shuffle = false;
  std::string log_dir;
  std::string checkpoint_dir;
  bool resume = false;
  std::string mixed_precision;
  std::string out = "trained.keras";
  std::string history;
  Json given;  ///< the options that the user gave, for the history
  std::string plot;
  bool json = false;
  int verbose = 1;
  int64_t workers = 1;
  bool dry_run = false;
  bool dashboard = false;
  int dashboard_port = 0;
};

/// Adds the options of FitSettings that all training commands share, except those about DATA.
void add_training_options(CLI::App& command, FitSettings& settings);

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
