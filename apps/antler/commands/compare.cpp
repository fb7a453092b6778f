#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "command_line/command.h"
#include "common/text_table.h"
#include "comparison/compare_page.h"
#include "comparison/comparison.h"
#include "comparison/run_curves.h"
#include "models/outputs.h"

namespace antler::cli {
namespace {

struct CompareSettings {
  std::vector<std::string> runs;
  std::string out;
  int64_t top = 5;
  bool json = false;
};

/// The width of the terminal in columns; 100 if the output is not a terminal.
size_t terminal_columns() {
  winsize size = {};
  constexpr size_t kElsewhere = 100;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kElsewhere;
  return size.ws_col;
}

/// Prints a block for each value: its best and its last number in each run.
void print_values(const Comparison& comparison) {
  size_t width = 0;
  for (const RunCurves& run : comparison.runs) width = std::max(width, display_width(run.name));
  for (const Comparison::Value& value : comparison.values) {
    std::string heading = value.name;
    if (value.objective) heading += value.objective->maximize ? " (max)" : " (min)";
    std::vector<std::vector<std::string>> rows = {{heading, "best", "epoch", "last", ""}};
    for (size_t i = 0; i < comparison.runs.size(); ++i) {
      const auto& cell = value.cells[i];
      if (!cell) continue;
      const std::string& name = comparison.runs[i].name;
      rows.push_back({"  " + name + std::string(width - display_width(name), ' '),
                      cell->best ? format("{:.5g}", *cell->best) : "-",
                      cell->best ? format("{}", cell->best_epoch) : "-",
                      format("{:.5g}", cell->last), value.wins(i) ? "*" : ""});
    }
    std::printf("\n%s", text_table(rows).c_str());
  }
}

using ChartRange = std::pair<double, double>;

/// Makes a range of numbers include others; values that are not finite do not count.
void include(ChartRange& range, const std::vector<double>& values) {
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    range.first = std::min(range.first, v);
    range.second = std::max(range.second, v);
  }
}

/// Blocks of lines side by side, each padded to `width` columns.
void print_side_by_side(const std::vector<std::string>& blocks, size_t width) {
  std::vector<std::string> lines;
  for (size_t b = 0; b < blocks.size(); ++b) {
    std::istringstream block(blocks[b]);
    size_t i = 0;
    for (std::string line; std::getline(block, line); ++i) {
      if (i == lines.size()) lines.emplace_back();
      const size_t before = b * (width + 2);
      const size_t used = display_width(lines[i]);
      lines[i] += std::string(before - std::min(before, used), ' ') + line;
    }
  }
  for (const std::string& line : lines) std::printf("%s\n", line.c_str());
}

/// Prints a chart per run of one value and its validation, all on the same scale.
void print_charts(const Comparison& comparison, const std::string& title) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  ChartRange x = {kInfinity, -kInfinity};
  ChartRange y = x;
  std::vector<io::LineChart> charts;
  for (const RunCurves& run : comparison.runs) {
    for (const io::LineChart& chart : run.charts) {
      if (chart.title != title) continue;
      charts.push_back(chart);
      charts.back().title = run.name;
      for (const auto& series : chart.series) {
        include(x, series.x);
        include(y, series.y);
      }
    }
  }
  if (!(x.first < x.second)) return;  // one epoch does not make a curve
  constexpr size_t kPanel = 36;
  const size_t total = terminal_columns();
  const size_t columns = std::clamp<size_t>(total / kPanel, 1, charts.size());
  const size_t width = std::min<size_t>(total / columns - 2, 72);
  std::printf("\n%s\n", title.c_str());
  for (size_t first = 0; first < charts.size(); first += columns) {
    std::vector<std::string> blocks;
    for (size_t i = first; i < std::min(first + columns, charts.size()); ++i) {
      charts[i].x_range = x;
      if (y.first <= y.second) charts[i].y_range = y;
      blocks.push_back(charts[i].to_terminal(static_cast<int>(width), 8));
    }
    print_side_by_side(blocks, width);
  }
}

void print_comparison(const Comparison& comparison) {
  std::printf("%s", text_table(run_rows(comparison)).c_str());
  print_values(comparison);
  std::vector<std::string> titles;
  for (const RunCurves& run : comparison.runs) {
    for (const io::LineChart& chart : run.charts) {
      if (std::find(titles.begin(), titles.end(), chart.title) == titles.end()) {
        titles.push_back(chart.title);
      }
    }
  }
  for (const std::string& title : titles) print_charts(comparison, title);
}

int run_compare(const CompareSettings& s) {
  check_output(s.out, {".html", ".htm"});
  std::vector<RunCurves> runs;
  for (const std::string& path : s.runs) {
    for (RunCurves& run : read_runs(path, s.top)) runs.push_back(std::move(run));
  }
  const Comparison comparison = compare_runs(std::move(runs));
  if (!s.out.empty()) write_file_atomically(s.out, compare_page(comparison));
  if (s.json) {
    Json result = {{"runs", comparison.to_json()}};
    if (!s.out.empty()) result["out"] = s.out;
    std::printf("%s\n", result.dump().c_str());
    return 0;
  }
  print_comparison(comparison);
  if (!s.out.empty()) std::printf("\nsaved: %s\n", s.out.c_str());
  return 0;
}

}  // namespace

void add_compare(CLI::App& app, Run& run) {
  CLI::App* command =
      app.add_subcommand("compare", "Compares training runs: the best values, and the curves");
  const auto s = std::make_shared<CompareSettings>();
  command
      ->add_option(
          "runs", s->runs,
          "The .json of fit --history, the .csv of a csv_logger, the folder of fit --log-dir "
          "or --checkpoint-dir with one of these in it, or the folder of tune")
      ->required();
  command->add_option("--out", s->out, "Write a page (.html) with the curves of all runs");
  command->add_option("--top", s->top, "For a folder of tune: show this many of its best trials")
      ->capture_default_str()
      ->check(positive_integer());
  command->add_flag("--json", s->json, "Print only one line of JSON");
  command->callback([&run, s] { run = [s] { return run_compare(*s); }; });
}

}  // namespace antler::cli
