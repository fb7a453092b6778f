#pragma once

#include <string>
#include <vector>

#include "antler/io/line_chart.h"
#include "antler/training/history.h"

namespace antler {

/// A chart per value over the epochs, counted from 1; a value shares its chart with its `val_`.
std::vector<io::LineChart> history_charts(const History& history);
/// The same for a file that CSVLogger wrote. Throws NotFoundError, IOError, ValueError.
std::vector<io::LineChart> csv_log_charts(const std::string& path);

/// Writes charts to a .svg or .png file, atomically. Throws ValueError for another extension and
/// for no charts, IOError if the file cannot be written.
void save_charts(const std::vector<io::LineChart>& charts, const std::string& path);

}  // namespace antler
