#include "antler/training/sidecar_evaluator.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/io/tensor_bundle.h"
#include "antler/saving/checkpoint.h"
#include "training/callbacks/python_format.h"

namespace antler {
namespace {

/// Warns after this many seconds without a checkpoint.
constexpr int kWarnAfterSeconds = 30;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The number that starts at index `at`, if there is one.
std::optional<int64_t> number_at(const std::string& path, size_t at) {
  size_t end = at;
  while (end < path.size() && is_digit(path[end])) ++end;
  if (end == at || end - at > 18) return std::nullopt;
  return std::stoll(path.substr(at, end - at));
}

/// N in ".../NAME-N" or ".../NAME-N.ckpt".
std::optional<int64_t> number_of_checkpoint(const std::string& prefix) {
  const size_t dash = prefix.rfind('-');
  return dash == std::string::npos ? std::nullopt : number_at(prefix, dash + 1);
}

/// Whether a checkpoint has an object of this name.
bool has_object(const io::TensorBundle& bundle, const std::string& name) {
  const std::vector<std::string> keys = bundle.keys();
  return std::any_of(keys.begin(), keys.end(),
                     [&](const std::string& key) { return key.starts_with(name + "/"); });
}

}  // namespace

namespace utils {

SidecarEvaluator::SidecarEvaluator(Model& model, FitData data, std::string checkpoint_dir,
                                   SidecarEvaluatorOptions options)
    : model_(model),
      data_(std::move(data)),
      checkpoint_dir_(std::move(checkpoint_dir)),
      options_(std::move(options)) {}

bool SidecarEvaluator::restore(const std::string& prefix) {
  const auto retry = [&](const Error& error) {
    logging::warning(
        format("SidecarEvaluator encountered an error when loading the checkpoint at {}. Retrying. "
               "Error: {}",
               prefix, error.what()));
    return false;
  };
  try {
    if (!has_object(io::TensorBundle::open(prefix), "model")) {
      model_.load_weights(prefix);
      return true;
    }
    Checkpoint::Objects objects = {{"model", model_.share()}};
    if (model_.has_optimizer()) {
      if (!model_.optimizer().built()) model_.optimizer().build(model_.trainable_variables());
      objects.emplace_back("optimizer", model_.optimizer().share());
    }
    Checkpoint(std::move(objects)).restore(prefix, {.expect_partial = true});
    return true;
  } catch (const IOError& error) {
    return retry(error);
  } catch (const NotFoundError& error) {
    return retry(error);
  }
}

void SidecarEvaluator::start() {
  std::string seen;
  double idle = 0;
  while (true) {
    const std::optional<std::string> latest = latest_checkpoint(checkpoint_dir_);
    if (!latest || *latest == seen || !restore(*latest)) {
      if (idle < kWarnAfterSeconds && idle + options_.poll_seconds >= kWarnAfterSeconds) {
        logging::warning(
            format("No new checkpoint was found in '{}' after {} seconds. Save checkpoints with a "
                   "CheckpointManager or with a ModelCheckpoint with `save_weights_only`.",
                   checkpoint_dir_, kWarnAfterSeconds));
      }
      idle += options_.poll_seconds;
      std::this_thread::sleep_for(std::chrono::duration<double>(options_.poll_seconds));
      continue;
    }
    idle = 0;
    seen = *latest;
    results_ = model_.evaluate(
        data_, {.verbose = 2, .steps = options_.steps, .callbacks = options_.callbacks});
    std::string metrics;
    for (const auto& [name, value] : results_) {
      metrics += " " + name + "=" + training::python_repr_float32(static_cast<float>(value));
    }
    logging::print(format("End of evaluation of {}. Metrics:{}\n", *latest, metrics));
    if (options_.max_evaluations &&
        number_of_checkpoint(seen).value_or(0) >= *options_.max_evaluations) {
      logging::print("Last checkpoint evaluated. SidecarEvaluator stops.\n");
      return;
    }
  }
}

}  // namespace utils

namespace callbacks {

SidecarEvaluatorModelExport::SidecarEvaluatorModelExport(
    const std::string& export_filepath, std::string checkpoint_filepath,
    const SidecarEvaluatorModelExportOptions& options)
    : ModelCheckpoint(export_filepath,
                      {.monitor = options.monitor,
                       .verbose = options.verbose,
                       .save_best_only = true,
                       .save_weights_only = options.save_weights_only,
                       .mode = options.mode,
                       .initial_value_threshold = options.initial_value_threshold}),
      checkpoint_filepath_(std::move(checkpoint_filepath)) {}

void SidecarEvaluatorModelExport::on_test_begin(const Logs&) {
  epoch_of_checkpoint_ = 0;
  const std::string folder = std::filesystem::path(checkpoint_filepath_).parent_path().string();
  const std::optional<std::string> latest = latest_checkpoint(folder.empty() ? "." : folder);
  if (!latest) return;
  const size_t mark = latest->rfind("ckpt-");
  const auto number = mark == std::string::npos ? std::nullopt : number_at(*latest, mark + 5);
  if (number) epoch_of_checkpoint_ = *number - 1;
}

void SidecarEvaluatorModelExport::on_test_end(const Logs& logs) {
  save(epoch_of_checkpoint_, std::nullopt, logs);
}

}  // namespace callbacks
}  // namespace antler
