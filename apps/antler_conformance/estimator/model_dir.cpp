#include "estimator/model_dir.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "estimator/event_files.h"

namespace antler::conformance::estimators {
namespace {

namespace fs = std::filesystem;

/// Files below the folder, by their relative paths.
std::vector<std::string> paths_below(const fs::path& folder) {
  std::vector<std::string> paths;
  if (!fs::is_directory(folder)) return paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) paths.push_back(fs::relative(entry.path(), folder).string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// The paths with <TIME>, <HOST> and <TIMESTAMP_i> in place of the parts that differ between runs.
Json portable_paths(const std::vector<std::string>& paths) {
  static const std::regex kExport(R"((.*/|)(\d{10})(/.*))");
  static const std::regex kEvents(R"(events\.out\.tfevents\.\d+\.[^/]*?(\.v2)?$)");
  std::map<std::string, std::set<std::string>> stamps;  // by folder
  for (const std::string& path : paths) {
    std::smatch match;
    if (std::regex_match(path, match, kExport)) stamps[match[1]].insert(match[2]);
  }
  std::set<std::string> portable;
  for (std::string path : paths) {
    std::smatch match;
    if (std::regex_match(path, match, kExport)) {
      const std::set<std::string>& all = stamps.at(match[1]);
      const auto place = std::distance(all.begin(), all.find(match[2]));
      path = match[1].str() + format("<TIMESTAMP_{}>", place) + match[3].str();
    }
    portable.insert(std::regex_replace(path, kEvents, "events.out.tfevents.<TIME>.<HOST>$1"));
  }
  return portable;
}

Json state_file(const fs::path& folder) {
  std::ifstream file(folder / "checkpoint");
  Json lines = Json::array();
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model_checkpoint_path") || line.starts_with("all_model_checkpoint_paths"))
      lines.push_back(line);
  }
  return lines;
}

void check_variables(const std::string& where, const est::Estimator& estimator, const Json& want,
                     const GoldenCase& golden, Check& check) {
  Json names = Json::array();
  for (const Json& entry : want) names.push_back(entry.at(0));
  check.equal(where + " variables", estimator.get_variable_names(), names);
  for (const Json& entry : want) {
    const auto name = entry.at(0).get<std::string>();
    const auto array = entry.at(1).get<std::string>();
    const std::string at = format("{} variable {} ({})", where, name, array);
    try {
      check.arrays(at, estimator.get_variable_value(name), golden.expected(array));
    } catch (const Error& error) {
      check.truth(at, false, format("cannot be read: {}", error.what()));
    }
  }
}

bool comes_before(const Json& a, const Json& b) {
  const auto key = [](const Json& event) {
    return std::pair(event.at(0).get<int64_t>(), event.at(1).get<std::string>());
  };
  return key(a) < key(b);
}

/// Orders events with equal step and tag by their values, because their order does not matter.
bool has_smaller_value(const Json& a, const Json& b) {
  if (comes_before(a, b) || comes_before(b, a)) return comes_before(a, b);
  const Json& x = a.at(2);
  const Json& y = b.at(2);
  return is_number(x) && is_number(y) ? number(x) < number(y) : x.dump() < y.dump();
}

void check_folder_events(const std::string& where, std::vector<Json> got, std::vector<Json> want,
                         Check& check) {
  std::sort(want.begin(), want.end(), has_smaller_value);
  std::sort(got.begin(), got.end(), has_smaller_value);
  const auto heads = [](const std::vector<Json>& events) {
    Json list = Json::array();
    for (const Json& event : events) list.push_back(Json::array({event.at(0), event.at(1)}));
    return list;
  };
  if (heads(got) != heads(want)) return check.equal(where, heads(got), heads(want));
  for (size_t i = 0; i < want.size(); ++i) {
    if (want[i].at(2).is_null()) continue;
    check.json(format("{} {}", where, want[i].dump()), got[i].at(2), want[i].at(2));
  }
}

void check_events_below(const std::string& where, const Scenario& scenario, const fs::path& folder,
                        const Json& want, const Json& graphs, Check& check) {
  std::map<std::string, Events> found;
  for (const std::string& path : paths_below(folder)) {
    if (is_event_file(path)) {
      read_events(folder / path, found[fs::path(path).parent_path().string()]);
    }
  }
  Json folders = Json::array();
  Json got_graphs = Json::array();
  for (auto& [name, events] : found) {
    folders.push_back(name);
    for (Json& event : events.events) {
      if (event.at(2).is_string()) {
        event.at(2) = scenario.portable(event.at(2).get<std::string>());
      }
    }
  }
  if (found.contains("")) got_graphs = found[""].graphs;
  if (!want.is_null()) {
    Json want_folders = Json::array();
    for (const auto& [name, events] : want.items()) want_folders.push_back(name);
    std::sort(want_folders.begin(), want_folders.end());
    check.equal(where + " folders of events", folders, want_folders);
    for (const auto& [name, events] : want.items()) {
      if (found.contains(name)) {
        check_folder_events(format("{} events of '{}'", where, name), found[name].events,
                            events.get<std::vector<Json>>(), check);
      }
    }
  }
  if (!graphs.is_null()) {
    Json sorted = graphs;
    std::sort(sorted.begin(), sorted.end());
    check.equal(where + " graphs in event files", got_graphs, sorted);
  }
}

}  // namespace

void ModelDirCheck::compare(const std::string& where, const Scenario& scenario,
                            const std::string& estimator, const Json& expected, Check& check) {
  const est::Estimator& object = scenario.estimator(estimator);
  const fs::path folder = object.model_dir();
  Json& latest = latest_.try_emplace(folder.string(), Json::object()).first->second;
  for (const char* key : {"files", "checkpoint", "variables", "events", "event_graphs"}) {
    if (expected.contains(key)) latest[key] = expected[key];
  }
  // The files that an export adds are compared by check_export().
  if (expected.contains("meta_graphs")) latest.erase("files");
  const auto paths = paths_below(folder);
  if (const Json& want = member(latest, "files"); !want.is_null()) {
    Json sorted = want;
    std::sort(sorted.begin(), sorted.end());
    check.equal(where + " files", portable_paths(paths), sorted);
  }
  if (const Json& want = member(latest, "checkpoint"); !want.is_null()) {
    check.equal(where + " state file", Json::parse(scenario.portable(state_file(folder).dump())),
                want);
  }
  if (const Json& want = member(latest, "variables"); !want.is_null()) {
    check_variables(where, object, want, scenario.golden(), check);
  }
  check_events_below(where, scenario, folder, member(latest, "events"),
                     member(latest, "event_graphs"), check);
}

}  // namespace antler::conformance::estimators
