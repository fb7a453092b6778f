#include "search/search.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "base/strings.h"
#include "curves/history_file.h"

namespace antler::cli {
namespace {

constexpr int64_t kMostSameErrors = 3;

void remove_model(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  std::filesystem::remove(path + ".data.json", ignored);
}

}  // namespace

std::string describe_values(const Json& hyperparameters) {
  std::string text;
  for (const auto& [name, value] : hyperparameters.items()) {
    text += (text.empty() ? "" : " ") + name + "=" + argument_of(value);
  }
  return text;
}

Search::Search(SearchPlan plan, TrialCommands commands, Objective objective, SearchFolder folder,
               std::string model_ending, bool verbose)
    : plan_(std::move(plan)),
      commands_(std::move(commands)),
      objective_(std::move(objective)),
      folder_(std::move(folder)),
      ending_(std::move(model_ending)),
      verbose_(verbose) {}

void Search::resume() {
  // Files that killed trials left behind.
  remove_stale_temporaries(folder_.path(),
                           [](std::string_view name) { return name.starts_with("trial_"); });
  for (EndedTrial& trial : folder_.read_trials()) {
    const bool again =
        trial.status == EndedTrial::Status::failed && trial.bracket == 0 && trial.round == 0;
    if (!again) ended_[trial.id] = std::move(trial);
  }
}

int Search::run(int64_t workers,
                const std::vector<std::pair<std::string, std::string>>& environment) {
  const int signal = run_jobs(
      workers, [&] { return next_job(environment); },
      [this](const PoolResult& result) { on_end(result); });
  if (signal != 0) return signal;
  return same_errors_ >= kMostSameErrors ? 1 : 0;
}

std::optional<PoolJob> Search::next_job(
    const std::vector<std::pair<std::string, std::string>>& environment) {
  if (same_errors_ >= kMostSameErrors) return {};
  const std::optional<Trial> trial = plan_.next(started_, ended_);
  if (!trial) return {};
  started_.insert(trial->id);
  running_[trial->id] = *trial;
  PoolJob job = commands_.job(*trial, folder_);
  job.environment = environment;
  return job;
}

EndedTrial Search::ended_trial(const PoolResult& result) const {
  EndedTrial trial;
  static_cast<Trial&>(trial) = running_.at(result.id);
  trial.seconds = result.seconds;
  trial.status = EndedTrial::Status::failed;
  trial.error = result.error;
  if (result.exit_code != 0) return trial;
  const History history = read_history(folder_.file(trial.id, ".history.json")).history;
  const std::vector<double>* values = history.history.find(objective_.name);
  if (values == nullptr || values->empty()) {
    std::vector<std::string> names;
    for (const auto& [name, unused] : history.history) names.push_back(name);
    // Training that a NaN stopped in its first epoch has no validation.
    const std::vector<double>* loss = history.history.find("loss");
    if (loss != nullptr && !loss->empty() && !std::isfinite(loss->back())) {
      trial.status = EndedTrial::Status::diverged;
      trial.error = "the loss is not finite";
    } else {
      trial.error = format("the logs have no {}, but {}", objective_.name, join(names));
    }
    return trial;
  }
  const size_t best = *objective_.best(*values);
  if (!std::isfinite((*values)[best])) {
    trial.status = EndedTrial::Status::diverged;
    trial.error = format("{} is not finite", objective_.name);
    return trial;
  }
  trial.status = EndedTrial::Status::completed;
  trial.error.clear();
  trial.score = (*values)[best];
  // The curve may be shorter than the history: validation need not follow each epoch.
  const size_t skipped = history.epoch.size() - std::min(values->size(), history.epoch.size());
  trial.best_epoch = history.epoch[skipped + best] + 1;
  return trial;
}

void Search::on_end(const PoolResult& result) {
  const EndedTrial trial = ended_trial(result);
  running_.erase(trial.id);
  folder_.append(trial);
  if (trial.status == EndedTrial::Status::failed) {
    same_errors_ = trial.error == last_error_ ? same_errors_ + 1 : 1;
    last_error_ = trial.error;
  } else {
    same_errors_ = 0;
    last_error_.clear();
  }
  ended_[trial.id] = trial;
  std::error_code ignored;
  std::filesystem::remove(folder_.file(trial.id, ".new.keras"), ignored);
  std::filesystem::remove(folder_.file(trial.id, ".new.keras.data.json"), ignored);
  remove_models();
  if (verbose_) print(trial);
}

void Search::print(const EndedTrial& trial) const {
  const std::string result =
      trial.completed()
          ? format("{} {:.5g}{}", objective_.name, trial.score,
                   best()->id == trial.id ? " (best so far)" : "")
          : (trial.status == EndedTrial::Status::diverged ? "diverged: " : "failed: ") +
                trial.error;
  std::printf("trial %lld (%zu of %lld), %.1f s: %s\n  %s\n", static_cast<long long>(trial.id),
              ended_.size(), static_cast<long long>(plan_.size()), trial.seconds, result.c_str(),
              describe_values(trial.hyperparameters).c_str());
  std::fflush(stdout);
}

void Search::remove_models() const {
  const EndedTrial* keep = best();
  for (const auto& [id, trial] : ended_) {
    if ((keep == nullptr || id != keep->id) && !plan_.may_continue(id, ended_)) {
      remove_model(model_of(trial));
    }
  }
}

const EndedTrial* Search::best() const {
  const std::vector<const EndedTrial*> trials = ranking();
  return !trials.empty() && trials[0]->completed() ? trials[0] : nullptr;
}

std::vector<const EndedTrial*> Search::ranking() const {
  std::vector<const EndedTrial*> trials;
  for (const auto& [id, trial] : ended_) trials.push_back(&trial);
  std::stable_sort(trials.begin(), trials.end(), [this](const EndedTrial* a, const EndedTrial* b) {
    return ranks_before(*a, *b, objective_);
  });
  return trials;
}

}  // namespace antler::cli
