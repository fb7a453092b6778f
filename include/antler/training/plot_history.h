#pragma once

#include <string>
#include <vector>

#include "antler/io/line_chart.h"
#include "antler/training/history.h"

namespace antler {

/// One chart per value, over the epochs, counted from 1. A value and its `val_` counterpart share a
/// chart.
std::vector<io::LineChart> history_charts(const History& history);
/// The same for a file that CSVLogger wrote. Throws NotFoundError, IOError, ValueError.
std::vector<io::LineChart> csv_log_charts(const std::string& path);

/// Writes charts to a .svg or .png file, atomically. Throws ValueError for another extension and if
/// there are no charts, IOError if the file cannot be written.
void save_charts(const std::vector<io::LineChart>& charts, const std::string& path);

}  // namespace antler
