#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "input/data_files.h"

namespace antler::cli {

/// The argument DATA and the options that say how to read it. Every command that reads data has
/// them.
struct DataArguments {
  std::string path;
  std::string target;
  std::string task = "auto";
  int64_t window = 0;
  int64_t horizon = 0;
  int threads = 0;

  /// Copies the reading options into the options of load_data().
  void apply_to(DataOptions& options) const;
};

/// Adds DATA, described by `help`, and --target, --task, --window, --horizon and --threads. Returns
/// the option for DATA, so that the caller can make it required.
CLI::Option* add_data_arguments(CLI::App& command, DataArguments& arguments,
                                const std::string& help);

/// The help text of DATA for training.
extern const char* const kDataHelp;

}  // namespace antler::cli
