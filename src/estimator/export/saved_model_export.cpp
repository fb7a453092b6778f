#include "estimator/export/saved_model_export.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/logging.h"
#include "antler/estimator/scaffold.h"
#include "antler/io/tensor_bundle.h"
#include "estimator/export/export_graph.h"
#include "io/tf_messages.h"
#include "saving/export/tf_signature.h"

namespace antler::estimator {
namespace {

namespace fs = std::filesystem;

constexpr int kMostAttempts = 10;

/// A new folder in `base`, named by the time in seconds.
fs::path new_folder(const fs::path& base) {
  for (int attempt = 1; attempt <= kMostAttempts; ++attempt) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
                             std::chrono::system_clock::now().time_since_epoch())
                             .count();
    fs::path folder = base / format("{:010}", seconds);
    if (!fs::exists(folder)) return folder;
    logging::warning(format("Directory {} already exists; retrying (attempt {}/{})",
                            folder.string(), attempt, kMostAttempts));
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  throw RuntimeError("Failed to obtain a unique export directory name after {} attempts.",
                     kMostAttempts);
}

/// A folder that is deleted unless it is renamed to its final name.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const fs::path& path) : path_(path) {
    std::error_code error;
    fs::remove_all(path_, error);
    fs::create_directories(path_, error);
    if (error) throw IOError("Cannot create the folder '{}': {}.", path_.string(), error.message());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  const fs::path& path() const { return path_; }
  void rename(const fs::path& final_path) {
    std::error_code error;
    fs::rename(path_, final_path, error);
    if (error) {
      throw IOError("Cannot rename '{}' to '{}': {}.", path_.string(), final_path.string(),
                    error.message());
    }
    path_.clear();
  }

 private:
  fs::path path_;
};

void copy_assets(const std::map<std::string, std::string>& assets, const fs::path& folder) {
  for (const auto& [destination, source] : assets) {
    const fs::path relative = fs::path(destination).lexically_normal();
    if (relative.empty() || relative.is_absolute() || *relative.begin() == "..") {
      throw ValueError("An extra asset must have a destination inside of assets.extra: '{}'.",
                       destination);
    }
    const fs::path target = folder / "assets.extra" / relative;
    std::error_code error;
    fs::create_directories(target.parent_path(), error);
    write_file_atomically(target.string(), read_file(source));
  }
}

void restore(const Graph& graph, const std::string& checkpoint, ModeKeys mode) {
  try {
    Saver().restore(graph, checkpoint);
  } catch (const NotFoundError& error) {
    throw ValueError(
        "Could not load all requested variables from checkpoint. Please make sure your model_fn "
        "does not expect variables that were not saved in the checkpoint. Encountered error with "
        "mode `{}` while restoring checkpoint from: `{}`: {}",
        mode_name(mode), checkpoint, error.what());
  }
}

std::vector<std::string> usual_tags(ModeKeys mode) {
  return {mode == ModeKeys::predict ? "serve" : mode_name(mode)};
}

}  // namespace

std::string write_saved_model(const SavedModelRequest& request) {
  if (request.modes.empty()) throw ValueError("An input_receiver_fn must be defined.");
  for (const ExportedMode& mode : request.modes) {
    if (!mode.receiver) throw ValueError("An input_receiver_fn must be defined.");
  }
  const auto checkpoint =
      request.checkpoint_path ? request.checkpoint_path : latest_checkpoint(request.model_dir);
  if (!checkpoint) throw ValueError("Couldn't find trained model at {}.", request.model_dir);

  std::vector<ExportedMode> modes = request.modes;
  std::stable_sort(modes.begin(), modes.end(),
                   [](const ExportedMode& a, const ExportedMode& b) { return a.mode < b.mode; });
  std::vector<io::WireWriter> meta_graphs;
  io::BundleEntries variables;
  for (const ExportedMode& mode : modes) {
    ExportGraph graph({.model_fn = request.model_fn,
                       .mode = mode.mode,
                       .receiver = mode.receiver(),
                       .params = request.params,
                       .config = request.config});
    restore(graph.graph(), *checkpoint, mode.mode);
    if (meta_graphs.empty()) {
      for (const auto& [name, variable] : graph.graph().variables(Collection::global)) {
        variables.emplace(name, variable.stored());
      }
    }
    const auto tag_sets = mode.tags.empty()
                              ? std::vector<std::vector<std::string>>{usual_tags(mode.mode)}
                              : mode.tags;
    for (const std::vector<std::string>& tags : tag_sets) {
      meta_graphs.push_back(graph.meta_graph(tags));
    }
  }
  const std::string message = saving::saved_model_message(meta_graphs);

  const fs::path final_path = new_folder(request.export_dir_base);
  TemporaryFolder folder(final_path.parent_path() / ("temp-" + final_path.filename().string()));
  std::error_code error;
  fs::create_directories(folder.path() / "variables", error);
  io::save_tensor_bundle((folder.path() / "variables" / "variables").string(), variables);
  copy_assets(request.assets_extra, folder.path());
  const fs::path file = folder.path() / (request.as_text ? "saved_model.pbtxt" : "saved_model.pb");
  write_file_atomically(file.string(), request.as_text
                                           ? io::proto_to_text(io::kSavedModelMessage, message)
                                           : message);
  logging::info(format("SavedModel written to: {}", file.string()));
  folder.rename(final_path);
  return final_path.string();
}

}  // namespace antler::estimator
