#include "training_run/fit_settings.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

#include "antler/base/error.h"
#include "command_line/command.h"
#include "command_line/command_options.h"
#include "input/augment.h"
#include "input/model_data.h"
#include "models/device.h"

namespace antler::cli {
namespace {

/// Parses a whole string as a number.
template <typename T>
std::optional<T> parse_number(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

std::string check_steps_per_execution(const std::string& text) {
  if (text == "auto" || parse_number<int64_t>(text).value_or(0) > 0) return {};
  return "expected a positive integer or auto, not " + text;
}

}  // namespace

std::map<int64_t, double> class_weights(const FitSettings& settings) {
  std::map<int64_t, double> weights;
  for (const std::string& entry : settings.class_weight) {
    const std::string_view text = entry;
    const size_t equals = std::min(text.find('='), text.size());
    const auto label = parse_number<int64_t>(text.substr(0, equals));
    const auto weight = parse_number<double>(text.substr(std::min(equals + 1, text.size())));
    if (!label || !weight) {
      throw ValueError("--class-weight takes entries like 0=1.5. Received: {}.", entry);
    }
    weights[*label] = *weight;
  }
  return weights;
}

void set_steps_per_execution(Model& model, const FitSettings& settings) {
  const std::string& text = settings.steps_per_execution;
  if (text == "auto") {
    model.set_autotune_steps_per_execution(true);
  } else if (const auto steps = parse_number<int64_t>(text)) {
    model.set_steps_per_execution(*steps);
  }
}

DataOptions data_options(const Model& model, const FitSettings& s) {
  DataOptions options = data_options_for(model, s.model, s.compile.loss);
  s.data.apply_to(options);
  options.batch_size = s.batch_size;
  options.shuffle = !s.no_shuffle;
  options.validation_split = s.validation_data.empty() ? s.validation_split : 0;
  return options;
}

void add_training_options(CLI::App& command, FitSettings& s) {
  command.add_option("--loss", s.compile.loss, "For example mse, sparse_categorical_crossentropy");
  command.add_option("--optimizer", s.compile.optimizer, "For example adam:learning_rate=1e-3");
  command
      .add_option("--learning-rate", s.compile.learning_rate,
                  "Overrides that of the optimizer; the optimizer keeps its state")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--metrics", s.compile.metrics, "For example accuracy")->delimiter(',');
  command
      .add_option("--freeze", s.compile.freeze,
                  "Names of layers to freeze, or all; saved with the model")
      ->delimiter(',');
  command.add_option("--unfreeze", s.compile.unfreeze, "Names of layers to train again, or all")
      ->delimiter(',');
  add_batch_size(command, s.batch_size);
  command.add_option("--validation-data", s.validation_data, "DATA to validate on");
  command.add_option("--steps-per-execution", s.steps_per_execution, "A number or auto")
      ->check(check_steps_per_execution);
  command.add_option("--callback", s.callbacks,
                     "For example early_stopping:patience=3; can be repeated");
  command.add_option("--class-weight", s.class_weight, "For example 0=1,1=2.5")->delimiter(',');
  add_augment_option(command, s.augment);
  command.add_option("--seed", s.seed, "Seed of shuffling, dropout and everything else random")
      ->check(CLI::NonNegativeNumber);
  add_device_option(command);
  command
      .add_option("--workers", s.workers,
                  "Number of processes that train together, each with --threads threads (default: "
                  "cores / workers)")
      ->check(positive_integer());
  command.add_flag("--no-shuffle", s.no_shuffle, "Keep the order of the data");
  command.add_option("--log-dir", s.log_dir, "Write event files for TensorBoard");
  command.add_option("--checkpoint-dir", s.checkpoint_dir,
                     "Save last.keras and a backup for --resume after each epoch");
  command.add_flag("--resume", s.resume, "Continue the same command where it was interrupted");
  command.add_flag_callback(
      "--mixed-precision", [&s] { s.mixed_precision = "mixed_bfloat16"; },
      "Compute in bfloat16, keep weights in float32");
  command.add_option("--history", s.history, "Write the history as JSON");
  command.add_option("--plot", s.plot, "Plot the history to a .svg or .png");
  command.add_flag("--dashboard", s.dashboard,
                   "Show the training on a page for a browser on this machine; prints its address");
  command
      .add_option("--dashboard-port", s.dashboard_port,
                  "Port of that page (default: any free port); implies --dashboard")
      ->check(CLI::Range(1, 65535));
  command.add_option("--verbose", s.verbose, "0: silent, 1: progress bar, 2: a line per epoch")
      ->capture_default_str()
      ->check(CLI::Range(0, 2));
  command.add_flag("--json", s.json, "Print only one line of JSON");
  command.add_flag("--dry-run", s.dry_run,
                   "Check everything and print what would be done, without training");
}

}  // namespace antler::cli
