#pragma once

#include <string>
#include <utility>
#include <vector>

#include "antler/base/json.h"
#include "antler/training/callback.h"
#include "antler/training/history.h"

namespace antler::cli {

/// Measures how long epochs take, validation included.
class EpochTimes : public Callback {
 public:
  void on_epoch_begin(int epoch, const Logs& logs) override;
  void on_epoch_end(int epoch, const Logs& logs) override;
  Json get_state() const override;
  void set_state(const Json& state) override;
  /// An element per epoch that ended.
  const std::vector<double>& seconds() const { return seconds_; }

 private:
  double begin_ = 0;
  std::vector<double> seconds_;
};

/// The file of `fit --history`.
struct HistoryFile {
  History history;
  std::vector<double> seconds;                               ///< of each epoch; empty if not known
  std::vector<std::pair<std::string, std::string>> options;  ///< of the command, by name
};

/// Writes {"epoch": [...], "history": {name: [...]}, "seconds": [...], "options": {...}}.
/// `options` come from given_options(). Values that are not finite become null. Throws what
/// write_file_atomically() throws.
void write_history(const std::string& path, const History& history,
                   const std::vector<double>& seconds, const Json& options);
/// Throws ValueError if the file is something else, NotFoundError, IOError.
HistoryFile read_history(const std::string& path);

}  // namespace antler::cli
