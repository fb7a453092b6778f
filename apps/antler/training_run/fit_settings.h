#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
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

/// The weights that --class-weight gives to classes. Throws ValueError for a wrong entry.
std::map<int64_t, double> class_weights(const FitSettings& settings);
/// Does what --steps-per-execution says.
void set_steps_per_execution(Model& model, const FitSettings& settings);
/// How the training data are read for the model.
DataOptions data_options(const Model& model, const FitSettings& settings);

}  // namespace antler::cli
