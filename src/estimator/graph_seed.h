#pragma once

#include <cstdint>
#include <optional>

#include "antler/estimator/run_config.h"
#include "antler/nn/random_seed.h"

namespace antler::estimator {

/// During its lifetime, the seeds that input_fn and model_fn draw are derived from RunConfig's
/// tf_random_seed; afterwards, the program's own seeds continue. Does nothing if tf_random_seed is
/// not set.
class GraphSeed {
 public:
  explicit GraphSeed(const RunConfig& config) {
    const std::optional<int64_t> seed = config.tf_random_seed();
    if (!seed) return;
    outside_ = seed_sequence();
    set_random_seed(static_cast<uint64_t>(*seed));
  }
  GraphSeed(const GraphSeed&) = delete;
  GraphSeed& operator=(const GraphSeed&) = delete;
  ~GraphSeed() {
    if (outside_) set_seed_sequence(*outside_);
  }

 private:
  std::optional<SeedSequence> outside_;
};

}  // namespace antler::estimator
