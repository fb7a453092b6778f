#include "antler/training/plot_history.h"

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/csv.h"

namespace antler {
namespace {

constexpr const char* kValidation = "val_";

/// Adds a curve to the chart of its value.
void add_curve(std::vector<io::LineChart>& charts, const std::string& name,
               std::vector<double> epochs, std::vector<double> values) {
  const std::string title = name.starts_with(kValidation) ? name.substr(4) : name;
  for (io::LineChart& chart : charts) {
    if (chart.title != title) continue;
    chart.series.push_back({name, std::move(epochs), std::move(values)});
    return;
  }
  charts.push_back({title, "epoch", {{name, std::move(epochs), std::move(values)}}});
}

}  // namespace

std::vector<io::LineChart> history_charts(const History& history) {
  std::vector<io::LineChart> charts;
  for (const auto& [name, values] : history.history) {
    std::vector<double> epochs;
    // A shorter curve is aligned with the last epochs.
    const size_t skipped = history.epoch.size() - std::min(values.size(), history.epoch.size());
    for (size_t i = skipped; i < history.epoch.size(); ++i) {
      epochs.push_back(static_cast<double>(history.epoch[i] + 1));
    }
    add_curve(charts, name, std::move(epochs), values);
  }
  return charts;
}

std::vector<io::LineChart> csv_log_charts(const std::string& path) {
  const io::CsvTable table = io::read_csv(path, {.header = "yes"});
  const int64_t column = table.find("epoch");
  if (column < 0 || !table.columns[static_cast<size_t>(column)].is_number) {
    throw ValueError("'{}' is not a log of CSVLogger: it has no numeric column 'epoch'.", path);
  }
  std::vector<double> epochs = table.columns[static_cast<size_t>(column)].numbers;
  for (double& epoch : epochs) ++epoch;
  std::vector<io::LineChart> charts;
  for (const io::CsvColumn& one : table.columns) {
    if (one.name != "epoch" && one.is_number) add_curve(charts, one.name, epochs, one.numbers);
  }
  return charts;
}

void save_charts(const std::vector<io::LineChart>& charts, const std::string& path) {
  if (charts.empty()) throw ValueError("'{}': there is nothing to draw.", path);
  if (path.ends_with(".svg")) {
    write_file_atomically(path, io::charts_svg(charts));
  } else if (path.ends_with(".png")) {
    write_file_atomically(path, io::charts_png(charts));
  } else {
    throw ValueError("Charts are written as .svg or .png. Received: {}", path);
  }
}

}  // namespace antler
