#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/antler.h"

/// The cases of the peer benchmarks: the same sizes, optimizers, losses and metrics.
namespace antler::bench {

enum class Task : uint8_t { classify, classify_sequence, predict_tokens };

struct Case {
  std::string name;
  int64_t batch;
  int64_t steps;  ///< training steps in one timed epoch
  int64_t pack;   ///< steps per execution
  Model (*build)();
  OptimizerSpec (*optimizer)();
  Shape sample;  ///< shape of one input
  Task task = Task::classify;
  int64_t vocabulary = 0;  ///< if inputs are tokens
};

/// Null for an unknown name.
const Case* find_case(const std::string& name);
std::vector<std::string> case_names();

/// Optimizer, loss and metrics of the case.
CompileArguments compile_arguments(const Case& c);

struct Data {
  Tensor x;
  Tensor y;
};
/// Uniform inputs in [0, 1) or tokens, random labels, from a fixed seed.
Data make_data(const Case& c, int64_t samples);

}  // namespace antler::bench
