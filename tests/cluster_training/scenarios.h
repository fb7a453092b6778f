#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/antler.h"
#include "antler/cluster/multi_worker_mirrored_strategy.h"

/// The scenarios for a worker in the training tests; see training.cpp.
namespace antler::test {

/// A digest of the bytes of all weights.
std::string digest(const Model& model);
/// Values between -1 and 1 that depend only on the index.
Tensor pattern(const Shape& shape, double step);

/// A custom loop of `steps` steps, with checkpoints in `folder`.
void preemption(const std::string& folder, int64_t steps);

/// The settings of a strategy from the environment: ANTLER_TEST_COMMUNICATION has words like
/// "ring",
/// "pack=1000", "dtype=bfloat16", "timeout=5".
cluster::CommunicationOptions communication();

/// Training with a fixed set of workers. Prints its current phase, and stays in the phase `pause`
/// ("build", "step", "save" or "evaluate") until it is killed.
void fixed(const std::string& folder, const std::string& pause);

/// A task of a cluster with parameter servers, whose program knows the data set "numbers": 0, 1,
/// ...
void data_server();

struct ElasticOptions {
  int64_t epochs = 2;
  int64_t samples = 250;
  int64_t batch = 12;
  int64_t steps_per_execution = 1;
  int64_t milliseconds = 10;  ///< pause after each execution
  double timeout = 10;        ///< seconds
  /// "epoch.step" before which `end_worker` kills itself, or "trace": while it traces the step
  std::string end_at = {};
  int64_t end_worker = -1;
};
/// fit() in an elastic cluster; reports after each epoch whether each sample was seen once.
void elastic(const ElasticOptions& options);

struct ElasticProgramOptions {
  std::string folder = {};   ///< of the files that callbacks write
  int64_t milliseconds = 0;  ///< pause before each execution
  double timeout = 10;       ///< seconds
  bool after_files = false;  ///< at the end of an epoch: end only when the files are written
  std::string end_at = {};   ///< place at which `end_worker` kills itself
  int64_t end_worker = -1;   ///< rank
};
/// Two calls of fit() with files, evaluate() and predict() in an elastic cluster.
void elastic_program(const ElasticProgramOptions& options);

}  // namespace antler::test
