#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "processes/process_pool.h"
#include "search/objective.h"
#include "search/search_plan.h"
#include "search/trial.h"
#include "search/trial_commands.h"

namespace antler::cli {

/// Runs the trials of a search and records their results.
class Search {
 public:
  /// `verbose`: print a line for each trial that ends.
  Search(SearchPlan plan, TrialCommands commands, Objective objective, SearchFolder folder,
         std::string model_ending, bool verbose);

  /// Takes over the ended trials of an interrupted search. Trials of a random search that ended
  /// with an error run again.
  void resume();
  /// Runs the remaining trials, `workers` at a time; `environment` is added to that of the
  /// processes. Returns 0, 128 + the signal that ended it, or 1 if the same error occurred three
  /// times in a row: then the search ends early, because the fault is in the command, not in the
  /// hyperparameters.
  int run(int64_t workers, const std::vector<std::pair<std::string, std::string>>& environment);

  const SearchPlan& plan() const { return plan_; }
  const SearchPlan::Ended& ended() const { return ended_; }
  /// The best trial; null if none has completed.
  const EndedTrial* best() const;
  /// All trials, the best first, then those without a result.
  std::vector<const EndedTrial*> ranking() const;
  std::string model_of(const EndedTrial& trial) const { return folder_.file(trial.id, ending_); }
  /// The error that three trials in a row had; empty unless run() returned 1.
  const std::string& repeated_error() const { return last_error_; }

 private:
  std::optional<PoolJob> next_job(
      const std::vector<std::pair<std::string, std::string>>& environment);
  void on_end(const PoolResult& result);
  EndedTrial ended_trial(const PoolResult& result) const;
  void print(const EndedTrial& trial) const;
  /// Deletes models that are not needed any more.
  void remove_models() const;

  SearchPlan plan_;
  TrialCommands commands_;
  Objective objective_;
  SearchFolder folder_;
  std::string ending_;
  bool verbose_;
  std::map<int64_t, Trial> running_;
  std::set<int64_t> started_;
  SearchPlan::Ended ended_;
  std::string last_error_;
  int64_t same_errors_ = 0;
};

/// "learning_rate=0.01 optimizer=adam".
std::string describe_values(const Json& hyperparameters);

}  // namespace antler::cli
