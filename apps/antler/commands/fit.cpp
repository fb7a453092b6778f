#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/data/array_source.h"
#include "antler/nn/random_seed.h"
#include "antler/nn/registry.h"
#include "antler/runtime/config.h"
#include "antler/training/callbacks.h"
#include "antler/training/model.h"
#include "antler/training/plot_history.h"
#include "antler/training/saving.h"
#include "command_line/command.h"
#include "command_line/command_line.h"
#include "command_line/command_options.h"
#include "commands/dry_run.h"
#include "commands/fit.h"
#include "common/interrupt.h"
#include "curves/history_file.h"
#include "dashboard/dashboard.h"
#include "input/augment.h"
#include "input/hold_out.h"
#include "input/model_data.h"
#include "models/device.h"
#include "models/mixed_precision.h"
#include "models/model_file.h"
#include "models/object_spec.h"
#include "models/outputs.h"
#include "processes/cluster_program.h"
#include "processes/launch_plan.h"
#include "processes/supervisor.h"
#include "training_strategy.h"

namespace antler::cli {
namespace {

/// Trains in several processes, each of which runs the same command.
int fit_in_workers(const FitSettings& s) {
  LaunchSettings launch;
  launch.workers = s.workers;
  launch.threads_per_worker = s.data.threads;
  launch.program = arguments();
  launch.program.insert(launch.program.begin(),
                        cluster_program("antler-worker", "antler fit --workers"));
  if (s.model.empty() && !s.seed) {
    // All workers must make the same initial weights.
    launch.program.insert(launch.program.end(), {"--seed", std::to_string(std::random_device()())});
  }
  return supervise(plan_launch(launch), {});
}

/// Parses a whole string as a number.
template <typename T>
std::optional<T> parse_number(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

void set_steps_per_execution(Model& model, const std::string& text) {
  if (text == "auto") {
    model.set_autotune_steps_per_execution(true);
  } else if (const auto steps = parse_number<int64_t>(text)) {
    model.set_steps_per_execution(*steps);
  }
}

std::string check_steps_per_execution(const std::string& text) {
  if (text == "auto" || parse_number<int64_t>(text).value_or(0) > 0) return {};
  return "expected a positive integer or auto, not " + text;
}

std::map<int64_t, double> class_weights(const std::vector<std::string>& entries) {
  std::map<int64_t, double> weights;
  for (const std::string& entry : entries) {
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

DataOptions data_options(const Model& model, const FitSettings& s) {
  DataOptions options = data_options_for(model, s.model, s.compile.loss);
  s.data.apply_to(options);
  options.batch_size = s.batch_size;
  options.shuffle = !s.no_shuffle;
  options.validation_split = s.validation_data.empty() ? s.validation_split : 0;
  return options;
}

/// The folder of the backup for --resume.
std::string backup_dir(const FitSettings& s) {
  return s.checkpoint_dir.empty() ? s.out + ".resume" : s.checkpoint_dir + "/backup";
}

/// Writes a backup on Ctrl-C and, if the user wants checkpoints, after each epoch.
CallbackHandle backup_callback(const FitSettings& s) {
  const std::string folder = backup_dir(s);
  const bool exists = std::filesystem::exists(folder + "/latest.weights.h5");
  if (exists && !s.resume) {
    throw ValueError(
        "'{}' has the backup of an interrupted training run: continue it with --resume, or remove "
        "that folder to start over.",
        folder);
  }
  if (s.resume && !exists && !s.json) std::printf("nothing to resume in '%s'\n", folder.c_str());
  callbacks::BackupAndRestoreOptions options;
  if (s.checkpoint_dir.empty()) options.save_freq = std::numeric_limits<int64_t>::max();
  options.save_now = InterruptCallback::notice;
  return callbacks::BackupAndRestore(folder, options);
}

/// Loads --validation-data and converts it in the same way as the training data.
Samples validation_samples(const Model& model, const FitSettings& s, const DataPlan& plan) {
  DataOptions options = data_options(model, s);
  options.plan = plan;
  options.shuffle = false;
  return load_data(s.validation_data, options).samples;
}

/// The validation data, unless fit() takes them from the end of the training data.
Samples validation_of(const FitSettings& s, const LoadedData& data) {
  const bool is_split = !s.validation_data.empty() || data.plan.image || data.plan.text;
  const bool is_used =
      data.held_out.given() && data.held_out.has_targets() && (s.validation_split == 0 || is_split);
  return is_used ? data.held_out : Samples();
}

FitOptions fit_options(const Model& model, const FitSettings& s, const LoadedData& data,
                       const std::shared_ptr<EpochTimes>& times) {
  FitOptions options;
  options.epochs = s.epochs;
  options.initial_epoch = s.initial_epoch;
  options.verbose = s.json ? 0 : s.verbose;
  options.shuffle = !s.no_shuffle;
  options.class_weight = class_weights(s.class_weight);
  if (!data.samples.batches) options.batch_size = s.batch_size;
  if (const Samples validation = validation_of(s, data); validation.given()) {
    options.validation_data = {validation.inputs(model), validation.targets()};
  } else {
    options.validation_split = s.validation_split;
  }
  options.callbacks.push_back(times);  // before callbacks that save its state
  for (const std::string& text : s.callbacks) options.callbacks.push_back(make_callback(text));
  if (!s.log_dir.empty()) options.callbacks.push_back(callbacks::TensorBoard(s.log_dir));
  if (!s.checkpoint_dir.empty() && !s.dry_run) {
    std::error_code error;
    std::filesystem::create_directories(s.checkpoint_dir, error);
    if (error) {
      throw IOError("Cannot create the folder '{}': {}.", s.checkpoint_dir, error.message());
    }
    options.callbacks.push_back(callbacks::ModelCheckpoint(s.checkpoint_dir + "/last.keras"));
  }
  options.callbacks.push_back(backup_callback(s));
  return options;
}

/// Shows the training in the dashboard, with predictions for validation data. Workers show none:
/// the chief cannot predict without the others.
CallbackHandle dashboard_callback(Dashboard& dashboard, const Model& model, const FitSettings& s,
                                  const LoadedData& data) {
  const Samples& all = data.samples;
  int64_t rows = all.count();
  Samples validation = validation_of(s, data);
  if (!validation.given() && s.validation_split > 0 && all.x.defined() && all.y.defined()) {
    const Nest tail = data::split_tail(Nest{all.x, all.y}, s.validation_split).second;
    validation.x = tail[0];
    validation.y = tail[1];
    rows -= validation.count();
  }
  return dashboard.watch(model, data, rows, is_worker() ? Samples() : std::move(validation));
}

struct Results {
  std::string out;   ///< the path of the model
  Json json;         ///< further entries of the line of JSON
  std::string text;  ///< printed if JSON is not asked for
};

/// Prints the results of the training run.
void report(const FitSettings& s, const Results& results, const History& history,
            const InterruptCallback* interrupted) {
  const std::string& out = results.out;
  if (s.json) {
    Json result = results.json;
    result.update(Json{{"out", out}, {"epochs", history.epoch.size()}, {"logs", Json::object()}});
    for (const auto& [name, values] : history.history) {
      if (!values.empty()) result["logs"][name] = values.back();
    }
    if (interrupted != nullptr) result["resume"] = resume_command();
    std::printf("%s\n", result.dump().c_str());
  } else {
    if (history.epoch.size() > 1 && s.verbose == 1) {
      const auto charts = history_charts(history);
      if (!charts.empty()) std::printf("\n%s\n", charts.front().to_terminal(72, 8).c_str());
    }
    std::printf("%s", results.text.c_str());
    std::printf("%ssaved: %s\n", interrupted != nullptr ? "\n" : "", out.c_str());
  }
  if (interrupted == nullptr) return;
  std::fflush(stdout);
  std::fprintf(stderr, "Stopped by Ctrl-C in epoch %lld, after step %lld. To continue:\n  %s\n",
               static_cast<long long>(interrupted->epoch()),
               static_cast<long long>(interrupted->step()), resume_command().c_str());
}

/// Checks before the training that its results can be written.
void check_outputs(const FitSettings& s) {
  check_output(s.out, {".keras", ".h5", ".hdf5"});
  check_output(s.history);
  check_output(s.plot, {".svg", ".png"});
}

int64_t steps_of(Model& model) {
  return model.has_optimizer() && model.optimizer().built()
             ? model.optimizer().iterations().value().to_vector<int64_t>()[0]
             : 0;
}

int64_t bytes_of_weights(const Model& model) {
  int64_t bytes = 0;
  for (const Variable& v : model.weights()) {
    bytes += v.shape().num_elements() * static_cast<int64_t>(dtype_size(v.dtype()));
  }
  return bytes;
}

struct Written {
  std::string out;       ///< the path of the model
  bool in_place = true;  ///< all files were written where the user wanted
};

Written write_results(const Model& model, const DataPlan& plan, const FitSettings& s,
                      const EpochTimes& times) {
  Written written;
  const auto write = [&](const std::string& path,
                         const std::function<void(const std::string&)>& to) {
    if (path.empty()) return path;
    std::string found = write_or_keep(path, {s.checkpoint_dir}, to);
    written.in_place = written.in_place && found == path;
    return found;
  };
  written.out = write(s.out, [&](const std::string& path) {
    model.save(path);
    plan.save_beside(path);
  });
  const History& history = model.history();
  write(s.history,
        [&](const std::string& path) { write_history(path, history, times.seconds(), s.given); });
  if (!history.epoch.empty()) {
    write(s.plot, [&](const std::string& path) { save_charts(history_charts(history), path); });
  }
  return written;
}

Samples with_augmentation(const Model& model, const FitSettings& s, const LoadedData& data) {
  return augmented(data.samples, model, {s.augment, s.batch_size, !s.no_shuffle});
}

/// Saves the model of a training run that failed after some steps, for example because a checkpoint
/// could not be written.
void keep_unfinished(const Model& model, const DataPlan& plan, const FitSettings& s) {
  const auto kept = keep_beside(s.out, {s.checkpoint_dir}, [&](const std::string& path) {
    model.save(path);
    plan.save_beside(path);
  });
  std::fflush(stdout);
  if (kept) {
    std::fprintf(stderr, "Training failed. The model so far was saved to %s\n", kept->c_str());
  }
}

/// Adds the loss and metrics for samples to the result, as `name`. Returns a line to print.
std::string evaluated(Model& model, const Samples& samples, const FitSettings& s, const char* name,
                      Json& result) {
  if (!samples.given() || !samples.has_targets()) return "";
  EvaluateOptions options{.verbose = 0};
  if (!samples.batches) options.batch_size = s.batch_size;
  const HostLogs logs = model.evaluate(samples.inputs(model), samples.targets(), options);
  std::string line;
  for (const auto& [key, value] : logs) {
    result[name][key] = value;
    line += format("{}{} {:.4f}", line.empty() ? "" : ", ", key, value);
  }
  return format("{}: {}\n", name, line);
}

/// Trains and writes the results. Returns the exit code. Only the chief prints and writes.
int train(FitSettings s, const PrepareTraining& prepare, bool is_chief, Dashboard& dashboard) {
  const bool prints = !s.json && is_chief;
  if (s.data.threads > 0) config::set_threads(s.data.threads);
  if (s.seed) set_random_seed(static_cast<uint64_t>(*s.seed));
  TrainingStart start = prepare(s);
  Model& model = start.model;
  LoadedData& data = start.data;
  if (!s.validation_data.empty()) data.held_out = validation_samples(model, s, data.plan);
  if (prints) std::printf("%s\n%s", s.data.path.c_str(), data.found.c_str());
  if (!s.mixed_precision.empty()) model = with_dtype_policy(model, s.mixed_precision);
  set_trainable_layers(model, s.compile);
  compile_model(model, s.compile, data);
  set_steps_per_execution(model, s.steps_per_execution);
  if (!s.augment.empty() && s.validation_split > 0 && !data.samples.batches) {
    // fit() can split only arrays, and augmentation turns these samples into batches.
    hold_out(data, s.validation_split, HoldOut::last);
    s.validation_split = 0;
  }
  const auto times = std::make_shared<EpochTimes>();
  FitOptions options = fit_options(model, s, data, times);
  if (s.dashboard) options.callbacks.push_back(dashboard_callback(dashboard, model, s, data));
  const auto interrupt = std::make_shared<InterruptCallback>();
  options.callbacks.push_back(interrupt);
  if (is_chief) check_space(s.out, bytes_of_weights(model));
  const Samples samples = s.augment.empty() ? data.samples : with_augmentation(model, s, data);
  if (samples.batches) options.batch_size = {};
  if (s.dry_run) {
    print_dry_run(model, data.samples, options, s.batch_size, s.out, s.json);
    return 0;
  }
  const int64_t before = steps_of(model);
  bool interrupted = false;
  try {
    model.fit(samples.inputs(model), samples.targets(), options);
  } catch (const Interrupted&) {
    interrupted = true;
  } catch (const Error&) {
    if (is_chief && steps_of(model) > before) keep_unfinished(model, data.plan, s);
    throw;
  }
  Written written;
  if (is_chief) {
    written = write_results(model, data.plan, s, *times);
    dashboard.end(interrupted ? "interrupted" : "finished", "saved: " + written.out);
  }
  Json result = start.facts;
  std::string text;
  if (start.reports && !interrupted) {
    text += evaluated(model, data.held_out, s, "validation", result);
    text += evaluated(model, start.test, s, "test", result);
  }
  if (is_chief) {
    report(s, {written.out, result, text}, model.history(),
           interrupted ? interrupt.get() : nullptr);
    if (start.reports && prints) {
      std::printf("next: antler predict %s NEW_DATA\n", written.out.c_str());
    }
  }
  if (!written.in_place) return 1;
  return interrupted ? 130 : 0;
}

int train_here(FitSettings s, const PrepareTraining& prepare) {
  const distribute::Strategy strategy = training_strategy();
  const auto scope = strategy.scope();
  const bool is_chief = strategy.is_chief();
  if (is_chief) {
    check_outputs(s);
  } else {
    s.verbose = 0;
  }
  s.dashboard = s.dashboard || s.dashboard_port != 0;
  Dashboard dashboard(
      {command_line(), s.model.empty() ? s.out : s.model, s.data.path, s.batch_size});
  if (s.dashboard && is_chief && !s.dry_run) {
    const std::string address = dashboard.serve(s.dashboard_port);
    std::fprintf(s.json ? stderr : stdout, "dashboard: %s\n", address.c_str());
    std::fflush(stdout);
  }
  try {
    return train(s, prepare, is_chief, dashboard);
  } catch (const std::exception& error) {
    dashboard.end("failed", error.what());
    throw;
  }
}

TrainingStart open_and_load(const FitSettings& s) {
  Model model = open_model(s.model);
  LoadedData data = load_data(s.data.path, data_options(model, s));
  return {model, std::move(data)};
}

}  // namespace

int run_training(const FitSettings& settings, const PrepareTraining& prepare) {
  if (settings.workers > 1 && !settings.dry_run && !is_worker()) return fit_in_workers(settings);
  return train_here(settings, prepare);
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

void add_fit(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("fit", "Trains a model on data and saves it");
  const auto s = std::make_shared<FitSettings>();
  command->add_option("model", s->model, kModelHelp)->required();
  add_data_arguments(*command, s->data, kDataHelp)->required();
  command->add_option("--out", s->out, "File for the trained model (.keras or .h5)")
      ->capture_default_str();
  command
      ->add_option("--epochs", s->epochs, "Number of passes over the data, counted from the first")
      ->capture_default_str()
      ->check(positive_integer());
  command->add_option("--initial-epoch", s->initial_epoch, "Where an earlier run stopped")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--validation-split", s->validation_split, "Fraction of the data, from its end")
      ->check(CLI::Range(0.0, 1.0));
  add_training_options(*command, *s);
  command->callback([&run, s, command] {
    s->given = given_options(*command);
    run = [s] { return run_training(*s, open_and_load); };
  });
}

}  // namespace antler::cli
