#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "antler/data/fit_data.h"
#include "antler/ops/communicator.h"
#include "antler/training/step_runner.h"

namespace antler::data {
class Replay;
}

namespace antler::training {

/// The data of one fit, evaluate or predict: the source of batches, the number of steps per epoch,
/// and what happens when the data ends (Keras 2's DataHandler).
class DataHandler {
 public:
  struct Arguments {
    const FitData& x;
    const Nest& y;
    const Nest& sample_weight;
    SourceOptions source = {};
    /// The user's argument; `steps_name` is its name in messages.
    std::optional<int64_t> steps = {};
    std::string steps_name = "steps";
    int64_t initial_epoch = 0;
    int64_t epochs = 1;
    int64_t steps_per_execution = 1;  ///< the current value
    bool autotune = false;            ///< whether a tuner may change it
    /// The processes that share each batch; null: this process reads whole batches.
    ops::Communicator* workers = nullptr;
    /// Whether rewind() will be used, because the group of workers may change.
    bool replays = false;
  };

  /// Throws ValueError for arguments that Keras rejects: counts below 1, targets in addition to
  /// a data set, arrays of different lengths, infinite data without a number of steps, several
  /// steps per execution with data of unknown size.
  explicit DataHandler(const Arguments& arguments);

  /// Steps of an epoch; -1 while unknown.
  int64_t steps_or_unknown() const { return inferred_.value_or(-1); }
  DataSource& source() { return *source_; }
  /// The number of array rows that all steps read together; 0 for other data.
  int64_t expected_rows() const;

  /// Starts a new pass over the data if each epoch is a pass.
  void begin_epoch();
  /// Starts again from the first pass.
  void restart();
  /// Skips epochs that an earlier run completed. Returns the number of their steps, as far as
  /// known.
  int64_t skip_epochs(int64_t count);
  /// Reads and discards up to `count` batches. Returns how many there were.
  int64_t skip_steps(int64_t count);
  bool has_batch();
  /// With `replays`: rewind() goes back to the batch that was next at the last mark().
  void mark();
  void rewind();
  /// Whether the epoch has more than `current` steps, or an unknown number.
  bool wants_more(int64_t current) const { return !inferred_ || current < *inferred_; }
  /// Steps of the execution that starts at step `current`: `requested`, but not beyond the epoch.
  int64_t execution_steps(int64_t current, int64_t requested) const;
  /// Runs up to `n` steps, fewer if the data ends. Returns how many. For `each_step` and `period`
  /// see Program::run().
  int64_t run(StepRunner& runner, int64_t n, Nest& outputs,
              const Function::StepOutputs& each_step = {}, int64_t period = 0);
  /// Called when the data ended before the epoch did. If the size was unknown, it is `current` from
  /// now on. Otherwise warns, and insufficient() is true.
  void data_ended(int64_t current);
  bool insufficient() const { return insufficient_; }

 private:
  /// Restricts source_ to this worker's part.
  void divide(ops::Communicator& workers, bool replays);
  /// Limits the number of steps to config::max_steps_per_epoch().
  void limit_steps();
  void infer_steps();
  /// Whether each epoch is a new pass over the data.
  bool passes_per_epoch() const;
  bool whole_passes() const { return !requested_ || *requested_ == source_->num_batches(); }

  std::shared_ptr<DataSource> source_;
  std::shared_ptr<data::Replay> replay_;  ///< in source_; null without `replays`
  std::optional<int64_t> requested_;
  std::optional<int64_t> inferred_;
  std::string steps_name_;
  int64_t epochs_;
  int64_t total_epochs_;
  int64_t array_rows_ = -1;
  int64_t batch_size_ = 32;
  int64_t passes_ = 0;
  bool insufficient_ = false;
};

/// Throws ValueError if a value is given and not positive.
void check_positive(const char* name, const std::optional<int64_t>& value);

}  // namespace antler::training
