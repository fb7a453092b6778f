#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace antler::cli {

/// Programs that run one after the other until one fails.
struct PoolJob {
  int64_t id = 0;
  std::vector<std::vector<std::string>> commands;
  /// Environment variables in addition to those of this process.
  std::vector<std::pair<std::string, std::string>> environment;
  std::string log;  ///< the file that receives their output
};

struct PoolResult {
  int64_t id = 0;
  int exit_code = 0;  ///< of the program that failed, 128 + the signal if one ended it; else 0
  std::string error;  ///< if it failed: the last line that it wrote to standard error
  double seconds = 0;
};

/// Runs jobs, up to `size` at a time, until `next` returns none and all have ended. Calls `next`
/// whenever a job could start, and `ended` for each job that has ended.
///
/// On SIGINT, SIGTERM or SIGHUP, ends the running jobs without calling `ended` and returns 128 +
/// the signal; otherwise returns 0. Throws what start_process() throws, and IOError if a log cannot
/// be written; no job keeps running then, nor if `next` or `ended` throws.
int run_jobs(int64_t size, const std::function<std::optional<PoolJob>()>& next,
             const std::function<void(const PoolResult&)>& ended);

}  // namespace antler::cli
