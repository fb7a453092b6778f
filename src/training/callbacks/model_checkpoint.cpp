#include "antler/training/callbacks/model_checkpoint.h"

#include <filesystem>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/distribute/strategy.h"
#include "antler/training/model.h"
#include "training/callbacks/from_config.h"
#include "training/callbacks/python_format.h"
#include "training/callbacks/state_json.h"

namespace antler::callbacks {
namespace {

std::string five_digits(const std::optional<double>& value) {
  return value ? training::python_format(*value, ".5f") : "None";
}

std::string file_name(const std::string& path, int64_t epoch, std::optional<int64_t> batch,
                      const Logs& logs) {
  try {
    return training::python_format_template(
        path, [&](const std::string& name) -> std::optional<training::PythonNumber> {
          if (const auto value = logs.find(name)) return *value;
          if (name == "epoch") return epoch + 1;
          if (name == "batch" && batch) return *batch + 1;
          return std::nullopt;
        });
  } catch (const KeyError& error) {
    throw KeyError("Failed to format this callback filepath: \"{}\". Reason: {}", path,
                   error.what());
  }
}

}  // namespace

ModelCheckpoint::ModelCheckpoint(const ModelCheckpointOptions& options)
    : MonitorCallback(kName, options.monitor, options.mode, 0, options.initial_value_threshold),
      options_(options) {
  const std::string& filepath = options_.filepath;
  if (!options_.save_freq.valid()) {
    throw ValueError("Unrecognized save_freq: {}. Expected save_freq are 'epoch' or integer values",
                     options_.save_freq.str());
  }
  if (options_.save_weights_only) {
    if (!filepath.ends_with(".weights.h5") && !filepath.ends_with(".ckpt")) {
      throw ValueError(
          "When using `save_weights_only=True` in `ModelCheckpoint`, the filepath provided must "
          "end in `.weights.h5` (Keras weights format). Received: filepath={}",
          filepath);
    }
  } else if (!filepath.ends_with(".keras") && !filepath.ends_with(".h5")) {
    throw ValueError(
        "The filepath provided must end in `.keras` (Keras model format). Received: filepath={}",
        filepath);
  }
}

void ModelCheckpoint::on_epoch_begin(int epoch, const Logs&) {
  epoch_ = epoch;
  saved_.clear();
}

void ModelCheckpoint::take_over(std::optional<int64_t> ended, const Logs&) {
  if (ended && !saved_.empty()) write(*ended, saved_);
}

void ModelCheckpoint::on_train_batch_end(int batch, const Logs& logs) {
  saved_.clear();
  if (options_.save_freq.per_epoch()) return;
  if (counter_.is_due(batch, options_.save_freq.batches())) save(epoch_, batch, logs);
}

void ModelCheckpoint::on_epoch_end(int epoch, const Logs& logs) {
  resolve_direction();
  if (options_.save_freq.per_epoch()) save(epoch, std::nullopt, logs);
}

bool ModelCheckpoint::should_save(int64_t epoch, const Logs& logs, const std::string& path) {
  const bool verbose = options_.verbose > 0 && model->distribute_strategy().is_chief();
  const std::string heading = format("\nEpoch {}: ", epoch + 1);
  if (!options_.save_best_only) {
    if (verbose) logging::print(format("{}saving model to {}\n", heading, path));
    return true;
  }
  const auto current = logs.find(monitor());
  if (!current) {
    logging::warning(format("Can save best model only with {} available.", monitor()));
    return true;
  }
  resolve_direction();
  if (!is_improvement(*current, best_)) {
    if (verbose) {
      logging::print(
          format("{}{} did not improve from {}\n", heading, monitor(), five_digits(best_)));
    }
    return false;
  }
  if (verbose) {
    logging::print(format("{}{} improved from {} to {}, saving model to {}\n", heading, monitor(),
                          five_digits(best_), five_digits(current), path));
  }
  best_ = *current;
  return true;
}

void ModelCheckpoint::save(int64_t epoch, std::optional<int64_t> batch, const Logs& logs) {
  const std::string path = file_name(options_.filepath, epoch, batch, logs);
  if (!should_save(epoch, logs, path)) return;
  saved_ = path;
  write(epoch, path);
}

void ModelCheckpoint::write(int64_t epoch, const std::string& path) const {
  namespace fs = std::filesystem;
  if (!model->distribute_strategy().is_chief()) return;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    throw IOError(
        "Please specify a non-directory filepath for ModelCheckpoint. Filepath used is an existing "
        "directory: {}",
        path);
  }
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) {
    fs::create_directories(folder, error);
    if (error) {
      throw IOError("ModelCheckpoint cannot create the folder {}: {}", folder.string(),
                    error.message());
    }
  }
  if (options_.save_weights_only) {
    model->save_weights(path);
  } else {
    model->save(path);
  }
  if (options_.verbose > 0) {
    logging::print(format("\nEpoch {}: finished saving model to {}\n", epoch + 1, path));
  }
}

Json ModelCheckpoint::get_state() const {
  return {{"best", training::to_json(best_)},
          {"batches_since_saving", counter_.since()},
          {"last_batch", counter_.last()}};
}

void ModelCheckpoint::set_state(const Json& state) {
  best_ = training::number_from_json(state.at("best"));
  counter_.set_since(state.at("batches_since_saving"));
  counter_.set_last(state.value("last_batch", int64_t{-1}));
}

template <class V>
void fields(V& v, ModelCheckpointOptions& o) {
  v("filepath", o.filepath);
  v("monitor", o.monitor);
  v("verbose", o.verbose);
  v("save_best_only", o.save_best_only);
  v("save_weights_only", o.save_weights_only);
  v("mode", o.mode);
  v("save_freq", o.save_freq);
  v("initial_value_threshold", o.initial_value_threshold);
}

ModelCheckpoint ModelCheckpoint::from_config(const Json& config) {
  return ModelCheckpoint(read_options<ModelCheckpoint, ModelCheckpointOptions>(config));
}

}  // namespace antler::callbacks
