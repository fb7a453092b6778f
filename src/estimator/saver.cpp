#include <algorithm>
#include <chrono>
#include <filesystem>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/logging.h"
#include "antler/estimator/scaffold.h"
#include "antler/io/tensor_bundle.h"
#include "base/strings.h"
#include "estimator/graph_messages.h"
#include "saving/checkpoint_state.h"

namespace antler::estimator {
namespace {

namespace fs = std::filesystem;

constexpr double kSecondsPerHour = 3600;

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

double wall_seconds_of(const fs::path& file) {
  std::error_code error;
  const auto time = fs::last_write_time(file, error);
  if (error) return wall_seconds();
  const auto age = std::chrono::duration<double>(fs::file_time_type::clock::now() - time);
  return wall_seconds() - age.count();
}

struct Kept {
  std::string prefix;
  double time = 0;  ///< of the save, seconds since 1970
};

io::BundleEntries values_of(const Graph& graph) {
  io::BundleEntries entries;
  for (const auto& [name, variable] : graph.variables(Collection::global)) {
    entries.emplace(name, variable.stored());
  }
  return entries;
}

}  // namespace

struct Saver::State {
  SaverOptions options;
  std::vector<Kept> kept;     ///< oldest first
  double next_preserved = 0;  ///< younger checkpoints are kept for good
  double seconds_between() const { return options.keep_checkpoint_every_n_hours * kSecondsPerHour; }
  /// Adds a checkpoint. Returns the checkpoints to delete.
  std::vector<std::string> record(const std::string& prefix);
};

std::vector<std::string> Saver::State::record(const std::string& prefix) {
  std::vector<std::string> old;
  const int64_t max_to_keep = options.max_to_keep.value_or(0);
  if (max_to_keep == 0) return old;
  std::erase_if(kept, [&](const Kept& other) { return other.prefix == prefix; });
  kept.push_back({prefix, wall_seconds()});
  // Like TensorFlow, drops one at most, even if a saver with a higher limit has left more.
  if (std::ssize(kept) > max_to_keep) {
    if (kept.front().time > next_preserved) {
      next_preserved += seconds_between();
    } else {
      old.push_back(kept.front().prefix);
    }
    kept.erase(kept.begin());
  }
  return old;
}

Saver::Saver(const SaverOptions& options) : state_(std::make_shared<State>()) {
  if (options.max_to_keep.value_or(0) < 0) {
    throw ValueError("`max_to_keep` must not be negative. Received: {}.", *options.max_to_keep);
  }
  state_->options = options;
  state_->next_preserved = wall_seconds() + state_->seconds_between();
}

std::string Saver::save(const Graph& graph, const std::string& prefix, int64_t step,
                        bool write_meta_graph) {
  std::string path = format("{}-{}", prefix, step);
  const std::string folder = saving::folder_of(path);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw IOError("Cannot create the folder '{}': {}.", folder, error.message());
  io::save_tensor_bundle(path, values_of(graph));
  if (write_meta_graph) {
    write_file_atomically(path + ".meta", graph_messages(graph, state_->options).meta_graph_def);
  }
  // The state is written when the checkpoint is complete, and before others are deleted. So all the
  // checkpoints in the state always exist.
  const std::vector<std::string> old = state_->record(path);
  CheckpointState state;
  state.model_checkpoint_path = path;
  for (const Kept& kept : state_->kept) state.all_model_checkpoint_paths.push_back(kept.prefix);
  // Without a limit, nothing was recorded since the last checkpoints were recovered.
  auto& all = state.all_model_checkpoint_paths;
  if (all.empty() || all.back() != path) all.push_back(path);
  saving::write_checkpoint_state(folder, state, state_->options.save_relative_paths);
  for (const std::string& other : old) saving::remove_checkpoint(other);
  return path;
}

void Saver::restore(const Graph& graph, const std::string& checkpoint) const {
  logging::info(format("Restoring parameters from {}", checkpoint));
  const io::TensorBundle bundle = io::TensorBundle::open(checkpoint);
  std::vector<std::string> missing;
  std::vector<std::string> different;
  const auto variables = graph.variables(Collection::global);
  for (const auto& [name, variable] : variables) {
    if (!bundle.contains(name)) {
      missing.push_back(name + " " + variable.shape().str());
    } else if (bundle.is_string(name) || bundle.shape(name) != variable.shape()) {
      different.push_back(format("'{}' has shape {}, in the checkpoint {}", name, variable.shape(),
                                 bundle.shape(name)));
    }
  }
  if (!missing.empty()) {
    throw NotFoundError(
        "Restoring from checkpoint failed. This is most likely due to a Variable name or other "
        "graph key that is missing from the checkpoint. Please ensure that you have not altered "
        "the graph expected based on the checkpoint. Keys not found in checkpoint '{}': {}. It "
        "has: {}.",
        checkpoint, join(missing, ", "), join(bundle.keys(), ", ", [&](const std::string& key) {
          return key + " " + bundle.shape(key).str();
        }));
  }
  if (!different.empty()) {
    throw ValueError(
        "Restoring from checkpoint failed. Variables of the graph do not match those of the "
        "checkpoint '{}': {}.",
        checkpoint, join(different, "; "));
  }
  // Read everything before changing anything.
  std::vector<Tensor> values;
  for (const auto& [name, variable] : variables) {
    values.push_back(bundle.read(name));
    if (values.back().dtype() != variable.dtype()) {
      throw ValueError(
          "Restoring from checkpoint failed. The variable '{}' is {}, but in '{}' it is {}.", name,
          dtype_name(variable.dtype()), checkpoint, dtype_name(values.back().dtype()));
    }
  }
  for (size_t i = 0; i < variables.size(); ++i) variables[i].second.store(values[i]);
}

void Saver::recover_last_checkpoints(const std::string& directory) {
  state_->kept.clear();
  for (const std::string& path : get_checkpoint_state(directory).all_model_checkpoint_paths) {
    const fs::path index = path + ".index";
    if (fs::exists(index)) state_->kept.push_back({path, wall_seconds_of(index)});
  }
}

std::optional<std::string> latest_checkpoint(const std::string& directory) {
  const std::string path = get_checkpoint_state(directory).model_checkpoint_path;
  if (path.empty()) return std::nullopt;
  if (!fs::exists(path + ".index")) {
    logging::warning(format("Couldn't match files for checkpoint {}", path));
    return std::nullopt;
  }
  return path;
}

}  // namespace antler::estimator
