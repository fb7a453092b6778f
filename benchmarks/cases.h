#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "antler/antler.h"

/// The models and data of the peers' benchmark: the same sizes, optimizers and metrics.
namespace antler::bench {

struct Case {
  std::string name;
  int64_t batch;
  int64_t steps;  ///< training steps in one timed epoch
  int64_t pack;   ///< steps per execution
  Model (*build)();
  OptimizerSpec (*optimizer)();
  Shape sample;  ///< shape of one input
};

/// Null when there is no such case.
const Case* find_case(const std::string& name);
std::vector<std::string> case_names();

struct Data {
  Tensor x;
  Tensor y;
};
/// Uniform inputs in [0, 1), integer labels 0..9, from a fixed seed.
Data make_data(const Case& c, int64_t samples);

}  // namespace antler::bench
