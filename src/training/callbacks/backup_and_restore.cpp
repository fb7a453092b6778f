#include "antler/training/callbacks/backup_and_restore.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/logging.h"
#include "antler/distribute/strategy.h"
#include "antler/io/hdf5.h"
#include "antler/ops/communicator.h"
#include "antler/saving/weights_h5.h"
#include "antler/training/model.h"
#include "training/callbacks/from_config.h"
#include "training/callbacks/preemption_notice.h"

namespace antler::callbacks {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWeights = "latest.weights.h5";
constexpr const char* kMetadata = "training_metadata.json";
constexpr const char* kPreviousWeights = "latest.weights.h5.bkp";
constexpr const char* kPreviousMetadata = "training_metadata.json.bkp";
/// Antler's groups in the weights file; Keras ignores them.
constexpr const char* kState = "antler_backup/state";
constexpr const char* kMetrics = "antler_backup/metrics";
constexpr const char* kRandom = "antler_backup/random";

Tensor string_handles(const std::string& text) {
  const Tensor tensor = Tensor::empty(DType::uint8, {std::ssize(text)});
  std::memcpy(tensor.mutable_data(), text.data(), text.size());
  return tensor;
}

Variables metric_variables(const Model& model) {
  Variables all;
  for (const MetricPtr& metric : model.metrics()) {
    const Variables own = metric->variables();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

/// The states of random number generators: the variables that are not weights.
Variables random_variables(const Model& model) {
  const Variables weights = model.weights();
  Variables all = model.variables();
  std::erase_if(all, [&](const Variable& v) {
    return std::find(weights.begin(), weights.end(), v) != weights.end();
  });
  return all;
}

void write_group(io::Hdf5Writer& file, const std::string& group, const Variables& variables) {
  file.group(group);
  size_t index = 0;
  for (const Variable& variable : variables)
    file.write(group + "/" + std::to_string(index++), variable.stored());
}

Tensors read_group(const saving::WeightsFile& file, const std::string& group) {
  Tensors values;
  for (const std::string& name : file.children(group))
    values.push_back(file.read(group + "/" + name));
  return values;
}

/// Assigns values to variables of the same dtype and shape.
void store(const Variables& variables, const Tensors& values) {
  if (variables.size() != values.size()) return;
  for (size_t i = 0; i < variables.size(); ++i)
    if (variables[i].stored().spec() == values[i].spec()) variables[i].store(values[i]);
}

/// Removes incomplete files of processes that were killed. Only one training run at a time uses the
/// folder.
void remove_temporaries(const std::string& folder) {
  std::error_code ignored;
  std::vector<fs::path> stale;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    for (const char* own : {kWeights, kMetadata})
      if (name.starts_with(std::string(own) + ".tmp-")) stale.push_back(entry.path());
  }
  for (const fs::path& path : stale) fs::remove(path, ignored);
}

void copy_if_there(const std::string& from, const std::string& to) {
  if (fs::exists(from)) write_file_atomically(to, read_file(from));
}

}  // namespace

/// The metrics of an interrupted epoch. They are assigned in on_epoch_begin(), because fit creates
/// and resets the metrics right before it.
struct BackupAndRestore::Restored {
  int64_t epoch = 0;
  Tensors metrics;
};

BackupAndRestore::BackupAndRestore(const BackupAndRestoreOptions& options) : options_(options) {
  if (options_.backup_dir.empty()) throw ValueError("Empty `backup_dir` argument passed");
  const bool never = options_.save_freq.is_never();
  if (never && !options_.save_before_preemption)
    throw ValueError("Either `save_freq` or `save_before_preemption` must be set.");
  if (!never && !options_.save_freq.valid()) {
    throw ValueError(
        "Invalid value for argument `save_freq`. Received: save_freq={}. Expected either 'epoch' "
        "or an integer value.",
        options_.save_freq.str());
  }
}

std::string BackupAndRestore::path(const char* name) const {
  return (fs::path(options_.backup_dir) / name).string();
}

void BackupAndRestore::on_train_begin(const Logs&) {
  if (!model->built()) {
    throw ValueError(
        "To use the BackupAndRestore callback, you model must be built before you call `fit()`. "
        "Model {} is unbuilt. You can build it beforehand by calling it on a batch of data.",
        model->name());
  }
  if (options_.save_before_preemption) preemption_ = std::make_shared<PreemptionNotice>();
  // A worker that joins training must not disturb the chief, which may be writing such a file.
  if (model->distribute_strategy().is_chief()) remove_temporaries(options_.backup_dir);
  counter_ = {};
  due_ = false;
  unfinished_ = nullptr;
  if (model->distribute_strategy().workers() != nullptr) return restore_from_chief();
  restore_if_there();
}

std::string BackupAndRestore::restore_if_there() {
  if (!fs::exists(path(kWeights))) return {};
  try {
    restore(path(kWeights));
    return path(kWeights);
  } catch (const IOError& error) {
    if (!fs::exists(path(kPreviousWeights))) throw;
    logging::warning(format("The backup is damaged. Using the previous one. {}", error.what()));
    restore(path(kPreviousWeights));
    return path(kPreviousWeights);
  }
}

void BackupAndRestore::restore_from_chief() {
  ops::Communicator& workers = *model->distribute_strategy().workers();
  // Each new variable gets the chief's value by a collective, so all workers create them now, not
  // the chief alone while it restores.
  Optimizer& optimizer = model->optimizer();
  if (!optimizer.built()) optimizer.build(model->trainable_variables());
  for (;;) {
    const bool is_chief = workers.rank() == 0;
    const std::string file = is_chief ? restore_if_there() : "";
    std::string bytes = file.empty() ? "" : read_file(file);
    uint64_t size = bytes.size();
    workers.broadcast(std::as_writable_bytes(std::span(&size, 1)), 0);
    bytes.resize(size);
    workers.broadcast(std::as_writable_bytes(std::span(bytes)), 0);
    // If an elastic group has lost its chief in the meantime, the next chief looks for a backup.
    int32_t has_changed = is_chief != (workers.rank() == 0) ? 1 : 0;
    workers.all_reduce(&has_changed, 1, DType::int32, ops::ReduceOp::max);
    if (has_changed != 0) continue;
    if (!is_chief && size > 0) restore_copy(bytes);
    return;
  }
}

void BackupAndRestore::restore_copy(const std::string& bytes) {
  // The other workers may not see the chief's folder, so they read a copy of its file.
  fs::path copy = fs::temp_directory_path() / format("antler-{}-{}", ::getpid(), kWeights);
  write_file_atomically(copy.string(), bytes);
  const auto remove = [](const fs::path* path) { fs::remove(*path); };
  const std::unique_ptr<fs::path, decltype(remove)> removal(&copy, remove);
  restore(copy.string());
}

void BackupAndRestore::restore(const std::string& weights) {
  const saving::WeightsFile file = saving::WeightsFile::open(weights);
  saving::read_weights(file, *model, &model->optimizer());
  if (!file.contains(kState)) {  // a backup that Keras wrote
    const std::string metadata = path(kMetadata);
    if (fs::exists(metadata)) model->resume_at(Json::parse(read_file(metadata)).at("epoch"));
    return;
  }
  const Tensor text = file.read(kState);
  const auto* characters = text.data<uint8_t>();
  const Json state = Json::parse(characters, characters + text.size());
  store(random_variables(*model), read_group(file, kRandom));
  const int64_t epoch = state.at("epoch");
  const int64_t step = state.at("step");
  // Training that was stopped does not continue.
  model->resume_at(state.at("stop_training") ? params.epochs : epoch, step,
                   state.at("shuffle_seed").get<uint64_t>());
  if (step > 0) {
    auto unfinished = std::make_shared<Restored>();
    unfinished->epoch = epoch;
    unfinished->metrics = read_group(file, kMetrics);
    unfinished_ = std::move(unfinished);
    counter_.set_last(step - 1);
  }
  counter_.set_since(state.at("batches_since_saving"));
  // This callback runs last, so on_train_begin() of the others has been called.
  const Json& states = state.at("callbacks");
  if (list == nullptr) return;
  size_t index = 0;
  for (const CallbackHandle& callback : *list) {
    if (index == states.size()) break;
    const Json& own = states[index++];
    if (!own.is_null()) callback.get()->set_state(own);
  }
}

void BackupAndRestore::on_epoch_begin(int epoch, const Logs&) {
  epoch_ = epoch;
  if (unfinished_ == nullptr) return;
  if (unfinished_->epoch == epoch) store(metric_variables(*model), unfinished_->metrics);
  unfinished_ = nullptr;
}

bool BackupAndRestore::asked() const {
  return (preemption_ != nullptr && preemption_->came()) ||
         (options_.save_now != nullptr && options_.save_now());
}

void BackupAndRestore::on_train_batch_end(int batch, const Logs&) {
  const int64_t every = options_.save_freq.batches();
  const bool counted = every > 0 && counter_.is_due(batch, every);
  if (!counted && !asked()) return;
  // After the last step, the end of the epoch is still to come (validation): save after that.
  due_ = batch + 1 == params.steps;
  if (due_) return;
  save(epoch_, batch + 1);
  if (preemption_ != nullptr) preemption_->pass_on();
}

void BackupAndRestore::on_epoch_end(int epoch, const Logs&) {
  counter_.set_last(-1);
  const bool due = options_.save_freq.per_epoch() || std::exchange(due_, false);
  saved_epoch_ = due || asked();
  if (saved_epoch_) save(epoch + 1, 0);
  if (preemption_ != nullptr) preemption_->pass_on();
}

void BackupAndRestore::take_over(std::optional<int64_t> ended, const Logs&) {
  remove_temporaries(options_.backup_dir);
  if (ended && saved_epoch_) save(*ended + 1, 0);
}

void BackupAndRestore::save(int64_t epoch, int64_t step) {
  if (!model->distribute_strategy().is_chief()) return;
  fs::create_directories(options_.backup_dir);
  if (options_.double_checkpoint) {
    copy_if_there(path(kWeights), path(kPreviousWeights));
    copy_if_there(path(kMetadata), path(kPreviousMetadata));
  }
  Json states = Json::array();
  if (list != nullptr)
    for (const CallbackHandle& callback : *list) states.push_back(callback.get()->get_state());
  const Json state = {{"epoch", epoch},
                      {"step", step},
                      {"stop_training", model->stop_training()},
                      {"shuffle_seed", model->shuffle_seed()},
                      {"batches_since_saving", counter_.since()},
                      {"callbacks", std::move(states)}};
  io::Hdf5Writer file;
  saving::write_weights(file, *model, &model->optimizer());
  write_group(file, kMetrics, metric_variables(*model));
  write_group(file, kRandom, random_variables(*model));
  file.write(kState, string_handles(state.dump()));
  write_file_atomically(path(kWeights), file.bytes());
  const Json metadata = {{"epoch", epoch}, {"batch", step > 0 ? step - 1 : 0}};
  write_file_atomically(path(kMetadata), metadata.dump());
}

void BackupAndRestore::on_train_end(const Logs&) {
  preemption_ = nullptr;
  if (!options_.delete_checkpoint || !model->distribute_strategy().is_chief()) return;
  std::error_code ignored;
  for (const char* name : {kWeights, kMetadata, kPreviousWeights, kPreviousMetadata})
    fs::remove(path(name), ignored);
  fs::remove(options_.backup_dir, ignored);  // fails if the folder contains other files
}

template <class V>
void fields(V& v, BackupAndRestoreOptions& o) {
  v("save_before_preemption", o.save_before_preemption);
  v("backup_dir", o.backup_dir);
  v("save_freq", o.save_freq);
  v("double_checkpoint", o.double_checkpoint);
  v("delete_checkpoint", o.delete_checkpoint);
}

BackupAndRestore BackupAndRestore::from_config(const Json& config) {
  return BackupAndRestore(read_options<BackupAndRestore, BackupAndRestoreOptions>(config));
}

}  // namespace antler::callbacks
