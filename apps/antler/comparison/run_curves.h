#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/io/line_chart.h"

namespace antler::cli {

/// What is known of a training run.
struct RunCurves {
  std::string name = {};
  /// As of history_charts(): a chart for each value with its `val_`, over the epochs from 1.
  std::vector<io::LineChart> charts = {};
  std::optional<double> seconds_per_epoch = {};
  /// Options of the command, or hyperparameters.
  std::vector<std::pair<std::string, std::string>> options = {};

  /// The curve of a value, "val_loss"; null if there is none.
  const io::LineChart::Series* find(const std::string& value) const;
};

/// Reads the runs behind a path:
///  - a .json of `fit --history` or a .csv of a csv_logger;
///  - a folder of event files for TensorBoard (`fit --log-dir`), with the values per epoch;
///  - a folder of `tune`: the best `top` of its trials;
///  - any other folder that has one such .json or .csv (`fit --checkpoint-dir`).
/// Throws NotFoundError, ValueError, IOError.
std::vector<RunCurves> read_runs(const std::string& path, int64_t top);

}  // namespace antler::cli
