#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// The subcommands. Each adds itself with its options and sets `run` when it was the one that the
/// user asked for; run() returns the exit code and may throw antler's errors.
namespace antler::cli {

using Run = std::function<int()>;

/// What stands for a model on the command line.
inline constexpr const char* kModelHelp = "A .keras or .h5 file, or the folder of a SavedModel";

/// For options: a whole number from 1 on. (CLI11's own says in which range of 300 digits it should
/// be.)
inline CLI::Validator whole_from_one() {
  return {[](const std::string& text) {
            int64_t number = 0;
            const char* end = text.data() + text.size();
            const auto read = std::from_chars(text.data(), end, number);
            if (read.ec == std::errc() && read.ptr == end && number > 0) return std::string();
            return "a whole number from 1 on is expected, not " + text;
          },
          "POSITIVE"};
}

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
