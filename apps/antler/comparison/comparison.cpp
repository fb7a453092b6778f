#include "comparison/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>
#include <string_view>

#include <nlohmann/json.hpp>

#include "antler/base/format.h"

namespace antler::cli {
namespace {

/// Options of `fit` that say where results go and what is printed. The epochs are here because the
/// table shows how many there were.
constexpr std::array<std::string_view, 11> kNotCompared = {
    "out",  "history", "plot",     "log_dir", "checkpoint_dir", "verbose",
    "json", "resume",  "callback", "epochs",  "initial_epoch"};

const std::string* value_in(const RunCurves& run, const std::string& option) {
  for (const auto& [name, value] : run.options) {
    if (name == option) return &value;
  }
  return nullptr;
}

std::vector<std::string> different_options(const std::vector<RunCurves>& runs) {
  std::vector<std::string> names;
  for (const RunCurves& run : runs) {
    for (const auto& [name, value] : run.options) {
      const bool known = std::find(names.begin(), names.end(), name) != names.end();
      const bool skipped =
          std::find(kNotCompared.begin(), kNotCompared.end(), name) != kNotCompared.end();
      if (!known && !skipped) names.push_back(name);
    }
  }
  std::erase_if(names, [&](const std::string& name) {
    // A run without options does not count: its options are unknown.
    std::set<std::string> values;
    for (const RunCurves& run : runs) {
      const std::string* value = value_in(run, name);
      if (!run.options.empty()) values.insert(value == nullptr ? "\n" : *value);
    }
    return values.size() < 2;
  });
  return names;
}

std::optional<Comparison::Cell> cell_of(const io::LineChart::Series* series,
                                        const std::optional<Objective>& objective) {
  if (series == nullptr) return {};
  std::vector<double> finite;
  std::vector<double> epochs;
  for (size_t i = 0; i < series->y.size(); ++i) {
    if (!std::isfinite(series->y[i])) continue;
    finite.push_back(series->y[i]);
    epochs.push_back(series->x[i]);
  }
  Comparison::Cell cell;
  cell.last = series->y.empty() ? std::nan("") : series->y.back();
  const std::optional<size_t> best = objective ? objective->best(finite) : std::nullopt;
  if (best) {
    cell.best = finite[*best];
    cell.best_epoch = epochs[*best];
  }
  return cell;
}

/// Shortens the names to the stem of a file or the last part of a folder's path, if these differ.
/// If all runs are trials of one search, only "trial N" is left.
void shorten_names(std::vector<RunCurves>& runs) {
  const std::string folder = runs[0].name.substr(0, runs[0].name.rfind(", trial ")) + ", ";
  if (std::all_of(runs.begin(), runs.end(),
                  [&](const RunCurves& run) { return run.name.starts_with(folder); })) {
    for (RunCurves& run : runs) run.name.erase(0, folder.size());
    return;
  }
  std::set<std::string> names;
  std::vector<std::string> shorter;
  for (const RunCurves& run : runs) {
    const std::filesystem::path path(run.name);
    const bool file = path.extension() == ".json" || path.extension() == ".csv";
    shorter.push_back((file ? path.stem() : path.filename()).string());
    names.insert(shorter.back());
  }
  if (names.size() < runs.size() || names.contains("")) return;
  for (size_t i = 0; i < runs.size(); ++i) runs[i].name = shorter[i];
}

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

}  // namespace

std::string duration_text(const std::optional<double>& seconds) {
  if (!seconds) return "-";
  if (*seconds < 1) return format("{:.3g} ms", 1000 * *seconds);
  return format("{:.3g} s", *seconds);
}

Comparison compare_runs(std::vector<RunCurves> runs) {
  Comparison comparison;
  shorten_names(runs);
  comparison.options = different_options(runs);
  for (const RunCurves& run : runs) {
    for (const io::LineChart& chart : run.charts) {
      for (const io::LineChart::Series& series : chart.series) {
        const bool known =
            std::any_of(comparison.values.begin(), comparison.values.end(),
                        [&](const auto& value) { return value.name == series.name; });
        if (!known) {
          comparison.values.push_back(
              {.name = series.name, .objective = known_objective(series.name)});
        }
      }
    }
  }
  for (Comparison::Value& value : comparison.values) {
    for (size_t i = 0; i < runs.size(); ++i) {
      value.cells.push_back(cell_of(runs[i].find(value.name), value.objective));
      const auto& cell = value.cells.back();
      if (!cell || !cell->best) continue;
      if (!value.best || value.objective->better(*cell->best, *value.best)) value.best = cell->best;
    }
  }
  comparison.runs = std::move(runs);
  return comparison;
}

std::vector<std::vector<std::string>> run_rows(const Comparison& comparison) {
  std::vector<std::vector<std::string>> rows = {{"run", "epochs", "time per epoch"}};
  rows[0].insert(rows[0].end(), comparison.options.begin(), comparison.options.end());
  for (const RunCurves& run : comparison.runs) {
    double epochs = 0;
    for (const io::LineChart& chart : run.charts) {
      for (const io::LineChart::Series& series : chart.series) {
        if (!series.x.empty()) epochs = std::max(epochs, series.x.back());
      }
    }
    std::vector<std::string> row = {run.name, format("{}", epochs),
                                    duration_text(run.seconds_per_epoch)};
    for (const std::string& option : comparison.options) {
      const std::string* value = value_in(run, option);
      row.push_back(value == nullptr ? "-" : *value);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json Comparison::to_json() const {
  Json result = Json::array();
  for (size_t i = 0; i < runs.size(); ++i) {
    Json run = {{"name", runs[i].name}};
    const auto& seconds = runs[i].seconds_per_epoch;
    run["seconds_per_epoch"] = seconds ? Json(*seconds) : Json();
    run["options"] = Json::object();
    for (const auto& [name, value] : runs[i].options) run["options"][name] = value;
    run["values"] = Json::object();
    for (const Value& value : values) {
      if (!value.cells[i]) continue;
      Json cell = {{"last", number_or_null(value.cells[i]->last)}};
      if (value.cells[i]->best) {
        cell["best"] = *value.cells[i]->best;
        cell["best_epoch"] = value.cells[i]->best_epoch;
      }
      run["values"][value.name] = std::move(cell);
    }
    result.push_back(std::move(run));
  }
  return result;
}

}  // namespace antler::cli
