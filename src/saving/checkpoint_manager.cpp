#include <algorithm>
#include <chrono>
#include <filesystem>

#include "antler/base/error.h"
#include "saving/checkpoint_state.h"

namespace antler {
namespace {

constexpr double kSecondsPerHour = 3600;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

CheckpointManager::CheckpointManager(Checkpoint checkpoint, std::string directory,
                                     CheckpointManagerOptions options)
    : checkpoint_(std::move(checkpoint)),
      directory_(std::move(directory)),
      options_(std::move(options)),
      last_preserved_(seconds_now()) {
  if (options_.max_to_keep && *options_.max_to_keep < 1) {
    throw ValueError("CheckpointManager: `max_to_keep` must be positive. Received: {}",
                     *options_.max_to_keep);
  }
  std::filesystem::create_directories(directory_);
  const CheckpointState state = get_checkpoint_state(directory_);
  for (size_t i = 0; i < state.all_model_checkpoint_paths.size(); ++i) {
    const std::string& path = state.all_model_checkpoint_paths[i];
    if (!std::filesystem::exists(path + ".index")) continue;
    paths_.push_back(path);
    const auto& times = state.all_model_checkpoint_timestamps;
    times_.push_back(i < times.size() ? times[i] : last_preserved_);
  }
  if (state.last_preserved_timestamp > 0) last_preserved_ = state.last_preserved_timestamp;
}

std::string CheckpointManager::save(std::optional<int64_t> checkpoint_number) {
  const Variable& counter = checkpoint_.save_counter();
  const auto count = static_cast<int64_t>(counter.stored().item()) + 1;
  counter.store(Tensor::full(DType::int64, {}, static_cast<double>(count)));
  const std::string name =
      format("{}-{}", options_.checkpoint_name, checkpoint_number.value_or(count));
  const std::string prefix = (std::filesystem::path(directory_) / name).string();
  checkpoint_.write(prefix);
  if (const auto same = std::find(paths_.begin(), paths_.end(), prefix); same != paths_.end()) {
    times_.erase(times_.begin() + (same - paths_.begin()));
    paths_.erase(same);
  }
  paths_.push_back(prefix);
  times_.push_back(seconds_now());
  sweep();
  return prefix;
}

/// Writes the state before it deletes anything, so that every checkpoint in the state has files.
void CheckpointManager::sweep() {
  std::vector<std::string> old;
  const auto keep = static_cast<size_t>(
      std::min(options_.max_to_keep.value_or(INT64_MAX), static_cast<int64_t>(paths_.size())));
  while (paths_.size() > keep) {
    const double time = times_.front();
    if (options_.keep_checkpoint_every_n_hours &&
        time - *options_.keep_checkpoint_every_n_hours * kSecondsPerHour > last_preserved_) {
      last_preserved_ = time;
    } else {
      old.push_back(paths_.front());
    }
    paths_.erase(paths_.begin());
    times_.erase(times_.begin());
  }
  write_state();
  for (const std::string& prefix : old) saving::remove_checkpoint(prefix);
}

void CheckpointManager::write_state() const {
  saving::write_checkpoint_state(directory_, {.model_checkpoint_path = paths_.back(),
                                              .all_model_checkpoint_paths = paths_,
                                              .all_model_checkpoint_timestamps = times_,
                                              .last_preserved_timestamp = last_preserved_});
}

std::optional<std::string> CheckpointManager::latest_checkpoint() const {
  if (paths_.empty()) return std::nullopt;
  return paths_.back();
}

std::optional<std::string> CheckpointManager::restore_latest(const RestoreOptions& options) {
  auto latest = latest_checkpoint();
  if (latest) checkpoint_.restore(*latest, options);
  return latest;
}

}  // namespace antler
