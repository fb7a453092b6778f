#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/io/line_chart.h"

namespace antler::cli {

/// The curves of a training run, and its options as far as they are known.
struct RunCurves {
  std::string name = {};
  /// As history_charts() makes them: a chart per value, with its `val_` curve, over the epochs 1,
  /// 2, ...
  std::vector<io::LineChart> charts = {};
  std::optional<double> seconds_per_epoch = {};
  /// Options of the command, or hyperparameters.
  std::vector<std::pair<std::string, std::string>> options = {};

  /// The curve of a value, "val_loss"; null if there is none.
  const io::LineChart::Series* find(const std::string& value) const;
};

/// Reads the runs behind a path:
///  - a .json from `fit --history` or a .csv from a csv_logger;
///  - a folder of event files for TensorBoard (`fit --log-dir`) with values per epoch;
///  - a folder of `tune`: its best `top` trials;
///  - any other folder with one such .json or .csv (`fit --checkpoint-dir`).
/// Throws NotFoundError, ValueError, IOError.
std::vector<RunCurves> read_runs(const std::string& path, int64_t top);

}  // namespace antler::cli
