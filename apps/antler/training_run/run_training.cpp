#include "training_run/run_training.h"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <system_error>

#include "antler/base/error.h"
#include "antler/data/array_source.h"
#include "antler/nn/random_seed.h"
#include "antler/runtime/config.h"
#include "antler/training/callbacks.h"
#include "command_line/command.h"
#include "command_line/command_line.h"
#include "common/interrupt.h"
#include "curves/history_file.h"
#include "dashboard/dashboard.h"
#include "input/augment.h"
#include "input/hold_out.h"
#include "models/mixed_precision.h"
#include "models/object_spec.h"
#include "models/outputs.h"
#include "processes/cluster_program.h"
#include "processes/launch_plan.h"
#include "processes/supervisor.h"
#include "training_run/dry_run.h"
#include "training_run/results.h"
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
  options.class_weight = class_weights(s);
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

int64_t steps_of(Model& model) {
  return model.has_optimizer() && model.optimizer().built()
             ? model.optimizer().iterations().value().to_vector<int64_t>()[0]
             : 0;
}

int64_t bytes_of_weights(const Model& model) {
  int64_t bytes = 0;
  for (const Variable& v : model.weights()) {
    bytes += TensorSpec{v.dtype(), v.shape()}.num_bytes();
  }
  return bytes;
}

Samples with_augmentation(const Model& model, const FitSettings& s, const LoadedData& data) {
  return augmented(data.samples, model, {s.augment, s.batch_size, !s.no_shuffle});
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
  set_steps_per_execution(model, s);
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

}  // namespace

int run_training(const FitSettings& settings, const PrepareTraining& prepare) {
  if (settings.workers > 1 && !settings.dry_run && !is_worker()) return fit_in_workers(settings);
  return train_here(settings, prepare);
}

}  // namespace antler::cli
