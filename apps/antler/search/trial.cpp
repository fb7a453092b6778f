#include "search/trial.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "common/descriptor.h"

namespace antler::cli {
namespace {

constexpr std::array<const char*, 3> kStatusNames = {"completed", "diverged", "failed"};

EndedTrial::Status status_of(const std::string& name) {
  const auto* const found = std::find(kStatusNames.begin(), kStatusNames.end(), name);
  if (found == kStatusNames.end()) throw ValueError("'{}' is not the status of a trial.", name);
  return static_cast<EndedTrial::Status>(found - kStatusNames.begin());
}

}  // namespace

Json EndedTrial::to_json() const {
  Json json = {{"trial", id}, {"status", kStatusNames.at(static_cast<size_t>(status))}};
  if (completed()) {
    json["score"] = score;
    json["best_epoch"] = best_epoch;
  } else {
    json["error"] = error;
  }
  json["hyperparameters"] = hyperparameters;
  json["initial_epoch"] = initial_epoch;
  json["epochs"] = epochs;
  if (from) json["from"] = *from;
  json["bracket"] = bracket;
  json["round"] = round;
  json["seconds"] = seconds;
  return json;
}

EndedTrial EndedTrial::from_json(const Json& json) {
  EndedTrial trial;
  trial.id = json.at("trial");
  trial.status = status_of(json.at("status"));
  if (trial.completed()) {
    trial.score = json.at("score");
    trial.best_epoch = json.at("best_epoch");
  } else {
    trial.error = json.at("error");
  }
  trial.hyperparameters = json.at("hyperparameters");
  trial.initial_epoch = json.at("initial_epoch");
  trial.epochs = json.at("epochs");
  if (json.contains("from")) trial.from = json["from"].get<int64_t>();
  trial.bracket = json.at("bracket");
  trial.round = json.at("round");
  trial.seconds = json.at("seconds");
  return trial;
}

bool ranks_before(const EndedTrial& a, const EndedTrial& b, const Objective& objective) {
  if (a.completed() != b.completed()) return a.completed();
  return a.completed() && objective.better(a.score, b.score);
}

std::string SearchFolder::file(int64_t trial, std::string_view ending) const {
  return format("{}/trial_{:04}{}", path_, trial, ending);
}

bool SearchFolder::exists() const { return std::filesystem::exists(settings_file()); }

std::vector<EndedTrial> SearchFolder::read_trials() const {
  std::vector<EndedTrial> trials;
  if (!std::filesystem::exists(trials_file())) return trials;
  const std::string text = read_file(trials_file());
  std::istringstream lines(text.substr(0, text.rfind('\n') + 1));
  int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    EndedTrial trial;
    try {
      trial = EndedTrial::from_json(Json::parse(line));
    } catch (const std::exception& error) {
      throw ValueError("'{}', line {}, is not a trial of `antler tune`: {}", trials_file(), number,
                       error.what());
    }
    std::erase_if(trials, [&](const EndedTrial& other) { return other.id == trial.id; });
    trials.push_back(std::move(trial));
  }
  return trials;
}

void SearchFolder::append(const EndedTrial& trial) const {
  const std::string path = trials_file();
  const auto check = [&path](bool success) {
    if (!success) throw IOError("Cannot write '{}': {}.", path, std::strerror(errno));
  };
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  check(file.open());
  // An incomplete line is overwritten.
  const std::string text = read_file(path);
  const auto end = static_cast<off_t>(text.rfind('\n') + 1);
  check(::ftruncate(file.get(), end) == 0);
  // The error may be anything that a program wrote, also invalid UTF-8.
  const std::string line =
      trial.to_json().dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  check(::pwrite(file.get(), line.data(), line.size(), end) == std::ssize(line));
  check(::fsync(file.get()) == 0);
}

}  // namespace antler::cli
