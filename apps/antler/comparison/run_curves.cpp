#include "comparison/run_curves.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/event_reader.h"
#include "antler/training/plot_history.h"
#include "base/strings.h"
#include "curves/history_file.h"
#include "search/hyperparameter.h"
#include "search/trial.h"

namespace antler::cli {
namespace {

namespace fs = std::filesystem;

RunCurves run_of_history(const std::string& path) {
  HistoryFile file = read_history(path);
  RunCurves run{.name = path, .charts = history_charts(file.history)};
  if (!file.seconds.empty()) {
    run.seconds_per_epoch = std::accumulate(file.seconds.begin(), file.seconds.end(), 0.0) /
                            static_cast<double>(file.seconds.size());
  }
  run.options = std::move(file.options);
  return run;
}

RunCurves run_of_csv(const std::string& path) {
  return {.name = path, .charts = csv_log_charts(path)};
}

/// Values per epoch in event files, and when they were written.
struct EpochEvents {
  OrderedMap<std::map<int64_t, double>> values;
  std::map<int64_t, double> times;

  /// Adds the scalars "epoch_..." of a folder.
  void add(const std::string& folder, const std::string& prefix) {
    constexpr std::string_view kTag = "epoch_";
    for (const std::string& path : io::event_files(folder)) {
      for (const io::Event& event : io::read_event_file(path)) {
        for (const io::SummaryValue& value : event.values) {
          if (!value.number || !value.tag.starts_with(kTag)) continue;
          values[prefix + value.tag.substr(kTag.size())][event.step] = *value.number;
          if (prefix.empty()) times[event.step] = event.wall_time;
        }
      }
    }
  }

  History history() const {
    History history;
    for (const auto& [epoch, time] : times) history.epoch.push_back(epoch);
    for (const auto& [name, by_epoch] : values) {
      for (const int64_t epoch : history.epoch) {
        const auto found = by_epoch.find(epoch);
        history.history[name].push_back(
            found == by_epoch.end() ? std::numeric_limits<double>::quiet_NaN() : found->second);
      }
    }
    return history;
  }
};

/// The run in a folder of event files; nullopt if it has no values per epoch.
std::optional<RunCurves> run_of_events(const std::string& folder) {
  EpochEvents events;
  for (const char* train : {"", "/train"}) events.add(folder + train, "");
  events.add(folder + "/validation", "val_");
  if (events.times.empty()) return {};
  RunCurves run{.name = folder, .charts = history_charts(events.history())};
  const auto count = static_cast<double>(events.times.size());
  if (count > 1) {
    const double first = events.times.begin()->second;
    run.seconds_per_epoch = (events.times.rbegin()->second - first) / (count - 1);
  }
  return run;
}

/// The trial's hyperparameters, then the other options of its `antler fit`. "model" is the search's
/// model, because a trial may continue the model of another trial.
std::vector<std::pair<std::string, std::string>> options_of_trial(
    const EndedTrial& trial, const Json& settings,
    const std::vector<std::pair<std::string, std::string>>& of_fit) {
  std::vector<std::pair<std::string, std::string>> options;
  for (const auto& [name, value] : trial.hyperparameters.items()) {
    options.emplace_back(name, argument_of(value));
  }
  for (const auto& [name, value] : of_fit) {
    if (trial.hyperparameters.contains(name)) continue;
    options.emplace_back(name, name == "model" ? settings.value("model", value) : value);
  }
  return options;
}

/// The best trials of a search.
std::vector<RunCurves> runs_of_search(const SearchFolder& folder, int64_t top) {
  const Json settings = Json::parse(read_file(folder.settings_file()), nullptr, false);
  const Json name = settings.is_object() ? settings.value("objective", Json()) : Json();
  if (!name.is_string()) {
    throw ValueError("'{}' does not describe a search of `antler tune`.", folder.settings_file());
  }
  const Objective objective = parse_objective(name);
  std::vector<EndedTrial> trials = folder.read_trials();
  std::stable_sort(trials.begin(), trials.end(), [&](const EndedTrial& a, const EndedTrial& b) {
    return ranks_before(a, b, objective);
  });
  std::vector<RunCurves> runs;
  for (const EndedTrial& trial : trials) {
    const std::string history = folder.file(trial.id, ".history.json");
    if (std::ssize(runs) == top || !fs::exists(history)) continue;
    RunCurves run = run_of_history(history);
    run.name = format("{}, trial {}", folder.path(), trial.id);
    run.options = options_of_trial(trial, settings, run.options);
    runs.push_back(std::move(run));
  }
  if (runs.empty()) throw ValueError("The search in '{}' has no trials yet.", folder.path());
  return runs;
}

/// The run whose history or log is in a folder.
RunCurves run_in_folder(const std::string& folder) {
  std::vector<std::string> names;
  std::vector<RunCurves> runs;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const bool json = file.extension() == ".json";
    if (!json && file.extension() != ".csv") continue;
    try {
      runs.push_back(json ? run_of_history(file.string()) : run_of_csv(file.string()));
      names.push_back(file.filename().string());
    } catch (const ValueError&) {  // NOLINT(bugprone-empty-catch): a file of something else
    }
  }
  if (runs.empty()) {
    throw ValueError(
        "The folder '{}' has no curves: no .json of `fit --history`, no .csv of a csv_logger, no "
        "event files with values per epoch, and it is not of `antler tune`.",
        folder);
  }
  if (runs.size() > 1) {
    throw ValueError("The folder '{}' has several runs: {}. Name the files.", folder, join(names));
  }
  runs[0].name = folder;
  return runs[0];
}

}  // namespace

const io::LineChart::Series* RunCurves::find(const std::string& value) const {
  for (const io::LineChart& chart : charts) {
    for (const io::LineChart::Series& series : chart.series) {
      if (series.name == value) return &series;
    }
  }
  return nullptr;
}

std::vector<RunCurves> read_runs(const std::string& path, int64_t top) {
  std::string name = path;
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  if (fs::is_directory(name)) {
    if (const SearchFolder folder(name); folder.exists()) return runs_of_search(folder, top);
    if (auto run = run_of_events(name)) return {std::move(*run)};
    return {run_in_folder(name)};
  }
  if (!fs::exists(name)) throw NotFoundError("There is no file or folder '{}'.", path);
  if (name.ends_with(".json")) return {run_of_history(name)};
  if (name.ends_with(".csv")) return {run_of_csv(name)};
  throw ValueError(
      "'{}' is not a run: expected a .json of `fit --history`, a .csv of a csv_logger, or a "
      "folder.",
      path);
}

}  // namespace antler::cli
