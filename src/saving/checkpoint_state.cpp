#include "saving/checkpoint_state.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/logging.h"
#include "base/proto_text.h"

namespace antler {
namespace {

namespace fs = std::filesystem;

std::string state_path(const std::string& directory) {
  return (fs::path(directory) / saving::kStateFile).string();
}

/// The value of a quoted string in the text format of Protocol Buffers, which may write the bytes
/// of other characters than ASCII as "\303\251".
std::string unquoted(const std::string& text) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string out;
  const size_t end = text.size() - 1;
  for (size_t i = 1; i < end; ++i) {
    if (text[i] != '\\' || i + 1 == end) {
      out += text[i];
      continue;
    }
    ++i;
    if (!is_octal(text[i])) {
      out += text[i];
      continue;
    }
    int byte = text[i] - '0';
    for (int digits = 1; digits < 3 && is_octal(text[i + 1]); ++digits)
      byte = byte * 8 + (text[++i] - '0');
    out += static_cast<char>(byte);
  }
  return out;
}

/// Relative paths are relative to the folder.
std::string resolved(const std::string& directory, const std::string& path) {
  return fs::path(path).is_absolute() ? path : (fs::path(directory) / path).string();
}

}  // namespace

namespace saving {

std::string folder_of(const std::string& prefix) {
  const std::string folder = fs::path(prefix).parent_path().string();
  return folder.empty() ? "." : folder;
}

void write_checkpoint_state(const std::string& directory, const CheckpointState& state,
                            bool relative) {
  const auto written = [&](const std::string& path) {
    if (!relative) return path;
    const std::string from_here = fs::path(path).lexically_relative(directory).string();
    return from_here.empty() ? path : from_here;  // empty if only one of them is absolute
  };
  std::string text =
      format("model_checkpoint_path: {}\n", quoted_string(written(state.model_checkpoint_path)));
  for (const std::string& path : state.all_model_checkpoint_paths) {
    text += format("all_model_checkpoint_paths: {}\n", quoted_string(written(path)));
  }
  for (const double time : state.all_model_checkpoint_timestamps) {
    text += format("all_model_checkpoint_timestamps: {:.17g}\n", time);
  }
  if (!state.all_model_checkpoint_timestamps.empty()) {
    text += format("last_preserved_timestamp: {:.17g}\n", state.last_preserved_timestamp);
  }
  write_file_atomically(state_path(directory), text);
}

void remove_checkpoint(const std::string& prefix) {
  const std::string name = fs::path(prefix).filename().string();
  // The index goes first: without it there is no checkpoint.
  std::vector<fs::path> files = {prefix + ".index"};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_of(prefix), error)) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with(name)) continue;
    const std::string rest = file.substr(name.size());
    if (rest == ".meta" || rest.starts_with(".data-")) {
      files.push_back(entry.path());
    }
  }
  for (const fs::path& file : files) {
    if (!fs::remove(file, error) && error) {
      logging::warning(format("Cannot delete '{}': {}.", file.string(), error.message()));
    }
  }
}

}  // namespace saving

CheckpointState get_checkpoint_state(const std::string& directory) {
  CheckpointState state;
  if (!fs::exists(state_path(directory))) return state;
  const std::string text = read_file(state_path(directory));
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string key = line.substr(0, colon);
    const std::string value = line.substr(colon + 2);
    const bool is_path = value.size() >= 2 && value.front() == '"' && value.back() == '"';
    if (key == "model_checkpoint_path" && is_path) {
      state.model_checkpoint_path = resolved(directory, unquoted(value));
    } else if (key == "all_model_checkpoint_paths" && is_path) {
      state.all_model_checkpoint_paths.push_back(resolved(directory, unquoted(value)));
    } else if (key == "all_model_checkpoint_timestamps") {
      state.all_model_checkpoint_timestamps.push_back(std::strtod(value.c_str(), nullptr));
    } else if (key == "last_preserved_timestamp") {
      state.last_preserved_timestamp = std::strtod(value.c_str(), nullptr);
    }
  }
  return state;
}

std::optional<std::string> latest_checkpoint(const std::string& directory) {
  const CheckpointState state = get_checkpoint_state(directory);
  if (state.model_checkpoint_path.empty() || !fs::exists(state.model_checkpoint_path + ".index")) {
    return std::nullopt;
  }
  return state.model_checkpoint_path;
}

}  // namespace antler
