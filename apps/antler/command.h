#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

/// The subcommands. Each adds itself with its options and sets `run` when it was the one that the
/// user asked for; run() returns the exit code and may throw antler's errors.
namespace antler::cli {

using Run = std::function<int()>;

/// What stands for a model on the command line.
inline constexpr const char* kModelHelp = "A .keras or .h5 file, or the folder of a SavedModel";

/// What the user wrote behind the program's name.
const std::vector<std::string>& arguments();

void add_info(CLI::App& app, Run& run);
void add_new(CLI::App& app, Run& run);
void add_fit(CLI::App& app, Run& run);
void add_evaluate(CLI::App& app, Run& run);
void add_predict(CLI::App& app, Run& run);
void add_summary(CLI::App& app, Run& run);
void add_convert(CLI::App& app, Run& run);
void add_plot(CLI::App& app, Run& run);
void add_bench(CLI::App& app, Run& run);
void add_completion(CLI::App& app, Run& run);

}  // namespace antler::cli
