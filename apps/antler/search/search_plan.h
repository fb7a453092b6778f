#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "search/hyperparameter.h"
#include "search/objective.h"
#include "search/trial.h"

namespace antler::cli {

/// The trials of a search. A trial depends only on the settings and on the results of earlier
/// trials of its bracket, so a resumed search runs the same trials as one that was not interrupted,
/// in one process or in several.
class SearchPlan {
 public:
  using Ended = std::map<int64_t, EndedTrial>;

  /// `count` random trials. (Bergstra, Bengio: "Random search for hyper-parameter optimization",
  /// 2012.)
  static SearchPlan random(std::vector<Json> samples, int64_t epochs);
  /// Hyperband (Li, Jamieson, DeSalvo, Rostamizadeh, Talwalkar, 2018) with KerasTuner's bracket
  /// sizes. A bracket starts with many trials of few epochs; the best continue in round 1 with
  /// `factor` times the epochs, and so on up to `max_epochs`. A complete search needs at least
  /// hyperband_samples() `samples`.
  static SearchPlan hyperband(std::vector<Json> samples, int64_t max_epochs, int64_t factor,
                              int64_t iterations, const Objective& objective);
  /// The number of different samples that Hyperband tries.
  static int64_t hyperband_samples(int64_t max_epochs, int64_t factor, int64_t iterations);

  /// The number of trials; fewer run if some fail.
  int64_t size() const;
  /// The first trial that can start now: it is not in `started`, and the previous round of its
  /// bracket has ended. Nullopt if all have started or must wait.
  std::optional<Trial> next(const std::set<int64_t>& started, const Ended& ended) const;
  /// Whether a later trial may go on with the model of this one.
  bool may_continue(int64_t id, const Ended& ended) const;

 private:
  struct Round {
    int64_t bracket = 0;
    int64_t number = 0;
    int64_t first = 0;  ///< id of the first trial
    int64_t size = 0;
    int64_t epochs = 1;
    int64_t first_sample = 0;  ///< of round 0
  };
  bool has_ended(size_t at, const Ended& ended) const;
  /// The `count` trials of a round that continue in the next one, the best first.
  std::vector<const EndedTrial*> promoted(size_t at, int64_t count, const Ended& ended) const;

  std::vector<Json> samples_;
  std::vector<Round> rounds_;
  Objective objective_;
};

/// Up to `count` different samples of a space, always the same for the same seed. Stops early when
/// 20 draws in a row give known samples: the space probably has no more. `keep` is called with each
/// sample to remove values that have no effect.
std::vector<Json> different_samples(const std::vector<Hyperparameter>& space, uint64_t seed,
                                    int64_t count, const std::function<void(Json&)>& keep);

}  // namespace antler::cli
