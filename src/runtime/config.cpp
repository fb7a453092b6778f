#include "antler/runtime/config.h"

#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "antler/base/error.h"

namespace antler::config {
namespace {

struct Settings {
  int threads = omp_get_max_threads();
  bool deterministic = false;
  bool eager = false;
  std::vector<std::string> disabled;
  DumpSink dump;
};

DumpSink dump_to_files(const std::string& folder) {
  return [folder, count = 0](const std::string& function, const std::string& stage,
                             const std::string& text) mutable {
    char prefix[16];
    std::snprintf(prefix, sizeof prefix, "%04d-", count++);
    std::ofstream(folder + "/" + prefix + function + "." + stage + ".txt") << text;
  };
}

Settings& settings() {
  static Settings instance = [] {
    Settings s;
    if (const char* folder = std::getenv("ANTLER_DUMP")) s.dump = dump_to_files(folder);
    return s;
  }();
  return instance;
}

}  // namespace

int threads() { return settings().threads; }

void set_threads(int count) {
  if (count < 1)
    throw ValueError(
        "config::set_threads: expected at least 1. Received: " + std::to_string(count) + ".");
  settings().threads = count;
  omp_set_num_threads(count);
}

bool deterministic() { return settings().deterministic; }
void deterministic(bool on) { settings().deterministic = on; }
bool run_functions_eagerly() { return settings().eager; }
void run_functions_eagerly(bool on) { settings().eager = on; }
const std::vector<std::string>& disabled_passes() { return settings().disabled; }
void set_disabled_passes(std::vector<std::string> names) { settings().disabled = std::move(names); }
const DumpSink& dump_sink() { return settings().dump; }
void set_dump_sink(DumpSink sink) { settings().dump = std::move(sink); }

}  // namespace antler::config
