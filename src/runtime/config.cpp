#include "antler/runtime/config.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "antler/base/error.h"

namespace antler::config {
namespace {

struct Settings {
  int threads = omp_get_max_threads();
  bool deterministic = false;
  std::string device = "cpu";
  bool tensor_float_32 = true;
  bool eager = false;
  std::optional<int64_t> max_epochs;
  std::optional<int64_t> max_steps_per_epoch;
  std::vector<std::string> disabled;
  DumpSink dump;
};

/// Writes each dump to a file of its own. Throws IOError if the folder cannot be made or written.
DumpSink dump_to_files(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    throw IOError("ANTLER_DUMP: cannot make the folder \"{}\": {}.", folder, failed.message());
  }
  // Threads may compile at the same time.
  const auto count = std::make_shared<std::atomic<int>>(0);
  return [folder, count](std::string function, const std::string& stage, const std::string& text) {
    std::replace(function.begin(), function.end(), '/', '_');
    const std::string path = format("{}/{:04}-{}.{}.txt", folder, (*count)++, function, stage);
    std::ofstream file(path);
    file << text;
    file.close();
    if (!file) throw IOError("ANTLER_DUMP: cannot write \"{}\".", path);
  };
}

std::optional<int64_t> checked_limit(const char* name, std::optional<int64_t> limit) {
  if (!limit || *limit > 0) return limit;
  throw ValueError("{}: expected a positive number. Received: {}.", name, *limit);
}

std::optional<int64_t> limit_from_env(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return {};
  const std::string_view text = value;
  int64_t limit = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), limit);
  if (error != std::errc() || end != text.end()) {
    throw ValueError("{}: expected a positive number. Received: \"{}\".", variable, text);
  }
  return checked_limit(variable, limit);
}

std::string checked_device(const char* name, std::string device) {
  const bool has_plugin = device.starts_with("pjrt:") && device.size() > 5;
  if (device == "cpu" || has_plugin) return device;
  throw ValueError("{}: expected \"cpu\" or \"pjrt:NAME_OR_PATH[:K]\". Received: \"{}\".", name,
                   device);
}

Settings& settings() {
  static Settings instance = [] {
    Settings s;
    if (const char* flag = std::getenv("ANTLER_TF32"))
      s.tensor_float_32 = std::string_view(flag) != "0";
    if (const char* device = std::getenv("ANTLER_DEVICE"))
      s.device = checked_device("ANTLER_DEVICE", device);
    s.max_epochs = limit_from_env("KERAS_MAX_EPOCHS");
    s.max_steps_per_epoch = limit_from_env("KERAS_MAX_STEPS_PER_EPOCH");
    if (const char* folder = std::getenv("ANTLER_DUMP")) s.dump = dump_to_files(folder);
    return s;
  }();
  return instance;
}

}  // namespace

int threads() { return settings().threads; }

void set_threads(int count) {
  if (count < 1) throw ValueError("config::set_threads: expected at least 1. Received: {}.", count);
  settings().threads = count;
  omp_set_num_threads(count);
}

const std::string& device() { return settings().device; }

void set_device(std::string name) {
  settings().device = checked_device("config::set_device", std::move(name));
}

bool tensor_float_32_execution() { return settings().tensor_float_32; }
void set_tensor_float_32_execution(bool on) { settings().tensor_float_32 = on; }

bool deterministic() { return settings().deterministic; }
void deterministic(bool on) { settings().deterministic = on; }
bool run_functions_eagerly() { return settings().eager; }
void run_functions_eagerly(bool on) { settings().eager = on; }
std::optional<int64_t> max_epochs() { return settings().max_epochs; }
void set_max_epochs(std::optional<int64_t> epochs) {
  settings().max_epochs = checked_limit("config::set_max_epochs", epochs);
}
std::optional<int64_t> max_steps_per_epoch() { return settings().max_steps_per_epoch; }
void set_max_steps_per_epoch(std::optional<int64_t> steps) {
  settings().max_steps_per_epoch = checked_limit("config::set_max_steps_per_epoch", steps);
}
const std::vector<std::string>& disabled_passes() { return settings().disabled; }
void set_disabled_passes(std::vector<std::string> names) { settings().disabled = std::move(names); }
const DumpSink& dump_sink() { return settings().dump; }
void set_dump_sink(DumpSink sink) { settings().dump = std::move(sink); }

}  // namespace antler::config
