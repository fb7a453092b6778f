#pragma once

#include <CLI/CLI.hpp>

namespace antler::cli {

/// Adds `--device`, which sets where the command's functions run.
void add_device_option(CLI::App& command);

}  // namespace antler::cli
