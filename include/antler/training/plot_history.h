#pragma once

#include <string>
#include <vector>

#include "antler/io/line_chart.h"
#include "antler/training/history.h"

namespace antler {

/// A chart per value of a history, over the epochs (from 1); a value and its `val_` are one chart.
std::vector<io::LineChart> history_charts(const History& history);
/// The same of a file that CSVLogger wrote. Throws NotFoundError, IOError, ValueError.
std::vector<io::LineChart> csv_log_charts(const std::string& path);

/// Draws charts into a .svg or .png file, which appears when it is complete. Throws ValueError for
/// other endings and where there is nothing to draw, IOError.
void save_charts(const std::vector<io::LineChart>& charts, const std::string& path);

}  // namespace antler
