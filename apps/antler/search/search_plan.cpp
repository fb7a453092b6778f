#include "search/search_plan.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace antler::cli {
namespace {

/// KerasTuner's number of trials in a round, with which all brackets cost about the same.
int64_t round_size(int64_t max_epochs, double factor, int64_t bracket, int64_t round) {
  const double last = std::ceil(1 + std::log(static_cast<double>(max_epochs)) / std::log(factor)) /
                      static_cast<double>(bracket + 1);
  return static_cast<int64_t>(
      std::ceil(last * std::pow(factor, static_cast<double>(bracket - round))));
}

int64_t round_epochs(int64_t max_epochs, double factor, int64_t bracket, int64_t round) {
  return static_cast<int64_t>(std::ceil(static_cast<double>(max_epochs) /
                                        std::pow(factor, static_cast<double>(bracket - round))));
}

int64_t bracket_count(int64_t max_epochs, double factor) {
  int64_t count = 0;
  for (auto epochs = static_cast<double>(max_epochs); epochs >= 1; epochs /= factor) ++count;
  return count;
}

}  // namespace

SearchPlan SearchPlan::random(std::vector<Json> samples, int64_t epochs) {
  SearchPlan plan;
  plan.rounds_.push_back({.size = std::ssize(samples), .epochs = epochs});
  plan.samples_ = std::move(samples);
  return plan;
}

int64_t SearchPlan::hyperband_samples(int64_t max_epochs, int64_t factor, int64_t iterations) {
  const auto f = static_cast<double>(factor);
  int64_t count = 0;
  for (int64_t bracket = 0; bracket < bracket_count(max_epochs, f); ++bracket) {
    count += round_size(max_epochs, f, bracket, 0);
  }
  return iterations * count;
}

SearchPlan SearchPlan::hyperband(std::vector<Json> samples, int64_t max_epochs, int64_t factor,
                                 int64_t iterations, const Objective& objective) {
  SearchPlan plan;
  plan.objective_ = objective;
  const auto f = static_cast<double>(factor);
  int64_t first = 0;
  int64_t first_sample = 0;
  for (int64_t iteration = 0; iteration < iterations; ++iteration) {
    for (int64_t bracket = bracket_count(max_epochs, f) - 1; bracket >= 0; --bracket) {
      for (int64_t number = 0; number <= bracket; ++number) {
        Round round{.bracket = bracket,
                    .number = number,
                    .first = first,
                    .size = round_size(max_epochs, f, bracket, number),
                    .epochs = round_epochs(max_epochs, f, bracket, number),
                    .first_sample = first_sample};
        first += round.size;
        if (number == 0) {
          // The space may have fewer samples than Hyperband wants.
          round.size = std::clamp<int64_t>(std::ssize(samples) - first_sample, 0, round.size);
          first_sample += round.size;
        }
        plan.rounds_.push_back(round);
      }
    }
  }
  plan.samples_ = std::move(samples);
  return plan;
}

int64_t SearchPlan::size() const {
  int64_t size = 0;
  for (const Round& round : rounds_) size += round.size;
  return size;
}

bool SearchPlan::has_ended(size_t at, const Ended& ended) const {
  const Round& round = rounds_[at];
  // A later round has fewer trials than planned if trials of the round before it failed.
  int64_t expected = round.size;
  if (round.number > 0) {
    if (!has_ended(at - 1, ended)) return false;
    expected = std::ssize(promoted(at - 1, round.size, ended));
  }
  for (int64_t i = 0; i < expected; ++i) {
    if (!ended.contains(round.first + i)) return false;
  }
  return true;
}

std::vector<const EndedTrial*> SearchPlan::promoted(size_t at, int64_t count,
                                                    const Ended& ended) const {
  const Round& round = rounds_[at];
  std::vector<const EndedTrial*> trials;
  for (int64_t i = 0; i < round.size; ++i) {
    const auto found = ended.find(round.first + i);
    if (found != ended.end() && found->second.completed()) trials.push_back(&found->second);
  }
  std::stable_sort(trials.begin(), trials.end(), [this](const EndedTrial* a, const EndedTrial* b) {
    return objective_.better(a->score, b->score);
  });
  trials.resize(std::min(trials.size(), static_cast<size_t>(count)));
  return trials;
}

std::optional<Trial> SearchPlan::next(const std::set<int64_t>& started, const Ended& ended) const {
  for (size_t at = 0; at < rounds_.size(); ++at) {
    const Round& round = rounds_[at];
    const bool continues = round.number > 0;
    if (continues && !has_ended(at - 1, ended)) continue;
    const auto before =
        continues ? promoted(at - 1, round.size, ended) : std::vector<const EndedTrial*>();
    const int64_t size = continues ? std::ssize(before) : round.size;
    for (int64_t i = 0; i < size; ++i) {
      const int64_t id = round.first + i;
      if (started.contains(id) || ended.contains(id)) continue;
      Trial trial;
      trial.id = id;
      trial.epochs = round.epochs;
      trial.bracket = round.bracket;
      trial.round = round.number;
      if (continues) {
        const EndedTrial& earlier = *before[static_cast<size_t>(i)];
        trial.hyperparameters = earlier.hyperparameters;
        trial.initial_epoch = earlier.epochs;
        trial.from = earlier.id;
      } else {
        trial.hyperparameters = samples_[static_cast<size_t>(round.first_sample + i)];
      }
      return trial;
    }
  }
  return {};
}

bool SearchPlan::may_continue(int64_t id, const Ended& ended) const {
  for (size_t at = 0; at + 1 < rounds_.size(); ++at) {
    const Round& round = rounds_[at];
    if (id < round.first || id >= round.first + round.size) continue;
    return rounds_[at + 1].number > 0 && !has_ended(at + 1, ended);
  }
  return false;
}

std::vector<Json> different_samples(const std::vector<Hyperparameter>& space, uint64_t seed,
                                    int64_t count, const std::function<void(Json&)>& keep) {
  constexpr uint32_t kAttempts = 20;  // as KerasTuner's max_collisions
  std::vector<Json> samples;
  std::set<std::string> known;
  while (std::ssize(samples) < count) {
    bool found = false;
    for (uint32_t attempt = 0; attempt < kAttempts && !found; ++attempt) {
      Json values = sample(space, seed, static_cast<uint32_t>(samples.size()), attempt);
      keep(values);
      found = known.insert(values.dump()).second;
      if (found) samples.push_back(std::move(values));
    }
    if (!found) break;
  }
  return samples;
}

}  // namespace antler::cli
