#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "antler/data/fit_data.h"
#include "antler/training/step_runner.h"

namespace antler::training {

/// The data of one fit, evaluate or predict: where batches come from, how many an epoch has, and
/// what happens when they end (Keras 2's DataHandler).
class DataHandler {
 public:
  struct Arguments {
    const FitData& x;
    const Nest& y;
    const Nest& sample_weight;
    SourceOptions source = {};
    /// As the user gave it; `steps_name` is the argument's name in messages.
    std::optional<int64_t> steps = {};
    std::string steps_name = "steps";
    int64_t initial_epoch = 0;
    int64_t epochs = 1;
    /// The value now, and whether a tuner may change it.
    int64_t steps_per_execution = 1;
    bool autotune = false;
  };

  /// Throws ValueError for what Keras refuses: counts that are not positive, targets beside a data
  /// set, arrays of different lengths, endless data without a number of steps, several steps per
  /// execution with data of unknown size.
  explicit DataHandler(const Arguments& arguments);

  /// Steps of an epoch; -1 while they are unknown.
  int64_t steps_or_unknown() const { return inferred_.value_or(-1); }
  DataSource& source() { return *source_; }
  /// Rows of arrays that all steps take together, 0 for other data.
  int64_t expected_rows() const;

  /// A new pass where the data wants one.
  void begin_epoch();
  /// A new pass in any case, and all that went before is forgotten.
  void restart();
  /// Passes over epochs that an earlier run did. Returns the number of their steps, as far as it is
  /// known.
  int64_t skip_epochs(int64_t count);
  /// Reads `count` batches and forgets them. Returns how many there were.
  int64_t skip_steps(int64_t count);
  /// Whether a batch is there.
  bool has_batch();
  /// Whether the epoch wants more than `current` steps.
  bool wants_more(int64_t current) const { return !inferred_ || current < *inferred_; }
  /// Steps of the execution that begins at step `current`: `requested` ones, but not beyond the
  /// epoch.
  int64_t execution_steps(int64_t current, int64_t requested) const;
  /// Up to `n` steps; fewer when the data ends.
  int64_t run(StepRunner& runner, int64_t n, Nest& outputs,
              const Function::StepOutputs& each_step = {});
  /// No batch came though the epoch wanted more: settles the size where it was unknown, else warns,
  /// and no further epoch will run.
  void data_ended(int64_t current);
  bool insufficient() const { return insufficient_; }

 private:
  /// Asks for no more steps than config::max_steps_per_epoch() allows.
  void limit_steps();
  void infer_steps();
  /// Whether the next epoch begins with a pass of its own.
  bool passes_per_epoch() const;
  bool whole_passes() const { return !asked_ || *asked_ == source_->num_batches(); }

  std::shared_ptr<DataSource> source_;
  std::optional<int64_t> asked_;
  std::optional<int64_t> inferred_;
  std::string steps_name_;
  int64_t epochs_;
  int64_t total_epochs_;
  int64_t array_rows_ = -1;
  int64_t batch_size_ = 32;
  int64_t passes_ = 0;
  bool insufficient_ = false;
};

/// Throws ValueError unless the value is positive, where it is given.
void check_positive(const char* name, const std::optional<int64_t>& value);

}  // namespace antler::training
