#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// The subcommands. Each add_ function adds one with its options. The subcommand that the user
/// chose sets `run`, which returns the exit code and may throw Antler's errors.
namespace antler::cli {

using Run = std::function<int()>;

/// Help text of model arguments.
inline constexpr const char* kModelHelp = "A .keras or .h5 file, or the folder of a SavedModel";

/// Validates a positive integer. (The message of CLI11's own check has a number of 300 digits.)
inline CLI::Validator positive_integer() {
  return {[](const std::string& text) {
            int64_t number = 0;
            const char* end = text.data() + text.size();
            const auto read = std::from_chars(text.data(), end, number);
            if (read.ec == std::errc() && read.ptr == end && number > 0) return std::string();
            return "expected a positive integer, not " + text;
          },
          "POSITIVE"};
}

/// Adds --batch-size.
inline void add_batch_size(CLI::App& command, int64_t& batch_size) {
  command.add_option("--batch-size", batch_size, "Number of samples in a batch")
      ->capture_default_str()
      ->check(positive_integer());
}

/// Adds --threads; 0 stands for all.
inline void add_threads(CLI::App& command, int& threads) {
  command.add_option("--threads", threads, "Number of CPU threads; default: all")
      ->check(positive_integer());
}

/// The command line without the program's name.
const std::vector<std::string>& arguments();

void add_info(CLI::App& app, Run& run);
void add_new(CLI::App& app, Run& run);
void add_fit(CLI::App& app, Run& run);
void add_train(CLI::App& app, Run& run);
void add_inspect(CLI::App& app, Run& run);
/// Call after add_new() and add_fit(): `tune` takes over their options.
void add_tune(CLI::App& app, Run& run);
void add_evaluate(CLI::App& app, Run& run);
void add_predict(CLI::App& app, Run& run);
void add_summary(CLI::App& app, Run& run);
void add_convert(CLI::App& app, Run& run);
void add_plot(CLI::App& app, Run& run);
void add_compare(CLI::App& app, Run& run);
void add_bench(CLI::App& app, Run& run);
void add_launch(CLI::App& app, Run& run);
void add_server(CLI::App& app, Run& run);
void add_estimator(CLI::App& app, Run& run);
void add_list(CLI::App& app, Run& run);
void add_completion(CLI::App& app, Run& run);
void add_manual(CLI::App& app, Run& run);

}  // namespace antler::cli
