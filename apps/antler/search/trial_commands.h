#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "processes/process_pool.h"
#include "search/hyperparameter.h"
#include "search/objective.h"
#include "search/trial.h"

namespace antler::cli {

/// Given in place of a model file, this word lets `antler new` create the model of each trial.
inline constexpr const char* kNewModel = "new";

/// What all trials of a search have in common.
struct TrialSetup {
  std::string model;  ///< a file, or kNewModel
  std::string data;
  std::string ending = ".keras";  ///< of the models
  Objective objective;
  uint64_t seed = 0;
  std::vector<Hyperparameter> space;
  /// Options of `fit` that may vary; those that the user gave are the same for all trials.
  std::vector<CLI::Option*> fit_options;
  /// Options of `new` that may vary.
  std::vector<CLI::Option*> new_options;
};

/// Turns trials into commands: `antler fit`, after `antler new` if each trial has its own model.
class TrialCommands {
 public:
  /// Throws ValueError if a hyperparameter is unknown, or one of its values is not possible.
  explicit TrialCommands(TrialSetup setup);

  /// Removes optimizer options that the optimizer in `values` does not have.
  void remove_unused(Json& values) const;
  /// The job that trains the model of a trial and restores the weights of the best epoch. It writes
  /// the files trial_0000.keras (or another ending), .history.json and .log.
  PoolJob job(const Trial& trial, const SearchFolder& folder) const;
  /// The options that the user fixed for all trials, for comparison with an earlier run.
  Json fixed() const;

 private:
  CLI::Option* find_option(const std::string& name) const;
  void check(const Hyperparameter& h) const;
  /// The name of a trial's optimizer, without options; empty: the optimizer of the model's file.
  std::string optimizer_of(const Json& values) const;
  std::vector<std::string> new_command(const Trial& trial, const std::string& out) const;
  std::vector<std::string> fit_command(const Trial& trial, const SearchFolder& folder,
                                       const std::string& model) const;

  TrialSetup setup_;
};

/// The default search space: learning rate, optimizer and batch size, except those that the user
/// fixed in `fit_options`. Throws ValueError if none is left.
std::vector<std::string> default_space(const std::vector<CLI::Option*>& fit_options);

}  // namespace antler::cli
