#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/json.h"
#include "search/objective.h"

namespace antler::cli {

/// One training run of a search.
struct Trial {
  int64_t id = 0;
  Json hyperparameters = Json::object();
  /// The epoch, counted from 0, with which it starts. It trains up to `epochs` in total.
  int64_t initial_epoch = 0;
  int64_t epochs = 1;
  std::optional<int64_t> from;  ///< the trial whose model it trains on
  int64_t bracket = 0;          ///< of Hyperband
  int64_t round = 0;
};

/// A trial that has ended.
struct EndedTrial : Trial {
  enum class Status : uint8_t {
    completed,
    diverged,  ///< the objective was not a finite number
    failed,    ///< `antler fit` ended with an error
  };
  Status status = Status::completed;
  double score = 0;        ///< the best value of the objective, if completed
  int64_t best_epoch = 0;  ///< where it was, counted from 1
  double seconds = 0;
  std::string error;  ///< why it is not completed

  bool completed() const { return status == Status::completed; }
  Json to_json() const;
  /// Throws nlohmann's errors and ValueError.
  static EndedTrial from_json(const Json& json);
};

/// Whether `a` comes before `b` in a ranking: the best first, trials without a result last.
bool ranks_before(const EndedTrial& a, const EndedTrial& b, const Objective& objective);

/// The folder of a search: `search.json` with its settings, `trials.jsonl` with a line for each
/// trial that has ended, and the files of each trial.
class SearchFolder {
 public:
  explicit SearchFolder(std::string path) : path_(std::move(path)) {}
  const std::string& path() const { return path_; }
  /// "PATH/trial_0003" and an ending, like ".keras".
  std::string file(int64_t trial, std::string_view ending) const;
  std::string settings_file() const { return path_ + "/search.json"; }
  std::string trials_file() const { return path_ + "/trials.jsonl"; }
  bool exists() const;

  /// The trials in the order in which they ended. If a trial ran again, only its last line counts.
  /// An incomplete last line is skipped: the process that wrote it was killed. Throws ValueError
  /// for any other line that is not a trial.
  std::vector<EndedTrial> read_trials() const;
  /// Appends a line, and flushes it to disk. Throws IOError.
  void append(const EndedTrial& trial) const;

 private:
  std::string path_;
};

}  // namespace antler::cli
