#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/core/nest.h"

namespace antler::training {

/// The state of training after an execution, sent to workers that lag behind or join.
struct TrainingState {
  int64_t epoch = 0;
  int64_t step = 0;           ///< the next step of the epoch
  int64_t last_steps = 0;     ///< steps of the last execution
  int64_t executions = 0;     ///< since training began
  uint64_t shuffle_seed = 0;  ///< of fit's shuffling
  bool asks = false;  ///< whether the workers ask each other about stopping after each execution
  std::vector<std::string> callbacks = {};  ///< their states as JSON, in their order
  Nest outputs = {};                        ///< of the last execution
  Tensors variables = {};                   ///< values of all variables of the training
};

std::string pack(const TrainingState& state);
/// The inverse. Throws ValueError for bytes that pack() did not write.
TrainingState unpack(const std::string& bytes);

}  // namespace antler::training
