#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "antler/nn/optimizer.h"

namespace antler {

struct OptimizerState {
  std::string class_name;
  std::string name;
  OptimizerBaseOptions options;
  LearningRateSchedule schedule;
  Variable iterations;
  Variable learning_rate;  ///< undefined if there is a schedule
  bool built = false;
  Variables weights;                               ///< the variables passed to build(), in order
  std::unordered_map<uint64_t, size_t> positions;  ///< variable id -> index in `weights`
  Variables averages;  ///< per weight, with use_ema; undefined where gradients overwrite the weight
  Variables accumulators;  ///< per weight, with gradient accumulation
  Variables slots;         ///< all other variables, in the order of creation
  std::map<std::pair<uint64_t, std::string>, Variable> slot_of;  ///< weight id (0: no weight), name
  std::unordered_set<uint64_t> undecayed;
  std::vector<std::string> undecayed_names;
  std::map<std::string, Tensor> shared_values;  ///< of the current update
};

}  // namespace antler
