#include "curves/history_file.h"

#include <limits>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "base/clock.h"

namespace antler::cli {
namespace {

/// JSON has no NaN: null stands for it.
std::vector<double> numbers_of(const Json& json) {
  std::vector<double> numbers;
  for (const Json& value : json) {
    numbers.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                      : value.get<double>());
  }
  return numbers;
}

}  // namespace

void EpochTimes::on_epoch_begin(int, const Logs&) { begin_ = steady_seconds(); }

void EpochTimes::on_epoch_end(int, const Logs&) { seconds_.push_back(steady_seconds() - begin_); }

Json EpochTimes::get_state() const { return {{"seconds", seconds_}}; }

void EpochTimes::set_state(const Json& state) {
  seconds_ = state.at("seconds").get<std::vector<double>>();
}

void write_history(const std::string& path, const History& history,
                   const std::vector<double>& seconds, const Json& options) {
  Json json = {{"epoch", history.epoch}, {"history", Json::object()}};
  for (const auto& [name, values] : history.history) json["history"][name] = values;
  json["seconds"] = seconds;
  json["options"] = options;
  write_file_atomically(path, json.dump(1) + "\n");
}

HistoryFile read_history(const std::string& path) {
  HistoryFile file;
  try {
    const Json json = Json::parse(read_file(path));
    file.history.epoch = json.at("epoch").get<std::vector<int64_t>>();
    for (const auto& [name, values] : json.at("history").items()) {
      file.history.history[name] = numbers_of(values);
    }
    // Files from other programs may lack these.
    if (json.contains("seconds")) file.seconds = numbers_of(json["seconds"]);
    if (json.contains("options")) {
      for (const auto& [name, value] : json["options"].items()) {
        file.options.emplace_back(name, value.get<std::string>());
      }
    }
  } catch (const Json::exception& error) {
    throw ValueError("'{}' is not a history of `antler fit --history`: {}", path, error.what());
  }
  return file;
}

}  // namespace antler::cli
