#include "training/data_handler.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/data/array_source.h"
#include "antler/runtime/config.h"
#include "data/replay.h"
#include "data/worker_rows.h"
#include "distribute/agreed_batches.h"
#include "training/next_batch.h"
#include "training/run_in_parts.h"

namespace antler::training {
namespace {

int64_t rows_of(const Nest& arrays) {
  for (const Tensor& leaf : arrays.flatten()) {
    if (leaf.defined() && leaf.rank() > 0) return leaf.dim(0);
  }
  return 0;
}

/// The product of two non-negative numbers, clamped to the largest int64_t.
int64_t saturating_product(int64_t a, int64_t b) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  return b != 0 && a > kMax / b ? kMax : a * b;
}

[[noreturn]] void throw_separate(const char* what) {
  throw ValueError(
      "`{}` must not be given if `x` is a data set, a generator or a sequence: their batches "
      "include it.",
      what);
}

}  // namespace

void check_positive(const char* name, const std::optional<int64_t>& value) {
  if (value.has_value() && *value <= 0) {
    throw ValueError("`{}` must be positive. Received: {}.", name, *value);
  }
}

DataHandler::DataHandler(const Arguments& a)
    : requested_(a.steps),
      steps_name_(a.steps_name),
      epochs_(a.epochs),
      total_epochs_(a.epochs - a.initial_epoch) {
  check_positive("batch_size", a.source.batch_size);
  check_positive("max_queue_size", a.source.max_queue_size);
  check_positive("workers", a.source.workers);
  check_positive("steps_per_execution", a.steps_per_execution);
  const bool endless = requested_ == -1;
  if (!endless) check_positive(steps_name_.c_str(), requested_);
  if (a.initial_epoch < 0) {
    throw ValueError("`initial_epoch` must not be negative. Received: {}.", a.initial_epoch);
  }
  if (a.x.is_source()) {
    if (!a.y.flatten().empty() && !a.y.is_none()) throw_separate("y");
    if (!a.sample_weight.is_none()) throw_separate("sample_weight");
    source_ = a.x.source(a.source);
    if (source_ == nullptr)
      throw ValueError("`x` is a data set or generator, but provides no source of batches.");
    if (source_->num_batches() == 0)
      throw ValueError("Expected input data to be non-empty: it has no batches.");
    batch_size_ = a.source.batch_size.value_or(32);
  } else {
    if (endless) {
      throw ValueError("`{}=-1` is not supported with arrays: it needs infinite data.",
                       steps_name_);
    }
    array_rows_ = rows_of(a.x.arrays());
    batch_size_ = a.source.batch_size.value_or(
        requested_ && array_rows_ > 0 ? (array_rows_ - 1) / *requested_ + 1 : 32);
    source_ = data::array_source(a.x.arrays(), a.y, a.sample_weight,
                                 {.batch_size = batch_size_,
                                  .shuffle = a.source.shuffle,
                                  .seed = a.source.seed,
                                  .class_weight = a.source.class_weight});
  }
  if (a.workers != nullptr) divide(*a.workers, a.replays);
  limit_steps();
  infer_steps();
  if (a.steps_per_execution > 1 && !a.autotune && !inferred_) {
    throw ValueError(
        "Could not infer the size of the data. With `steps_per_execution > 1`, you must specify "
        "the number of steps to run (`{}`).",
        steps_name_);
  }
}

void DataHandler::divide(ops::Communicator& workers, bool replays) {
  if (replays) {
    if (source_->is_worker_part()) {
      throw ValueError(
          "Elastic training divides the rows of global batches: the data set needs the sharding "
          "policy DATA, and must not be specific to one worker.");
    }
    replay_ = std::make_shared<data::Replay>(source_);
    source_ = replay_;
  }
  const auto place = [&workers] {
    return data::WorkerPlace{.rank = workers.rank(), .workers = workers.size()};
  };
  source_ = source_->is_worker_part() ? distribute::agreed_batches(source_, workers)
                                      : data::worker_rows(source_, place);
}

void DataHandler::mark() {
  if (replay_ != nullptr) replay_->mark();
}

void DataHandler::rewind() {
  if (replay_ != nullptr) replay_->rewind();
}

void DataHandler::limit_steps() {
  const std::optional<int64_t> most = config::max_steps_per_epoch();
  if (!most) return;
  const int64_t steps = requested_.value_or(source_->num_batches());
  if (steps >= 0 && steps <= *most) return;
  logging::warning(format("Limiting steps_per_epoch to {}", *most));
  requested_ = most;
}

void DataHandler::infer_steps() {
  const int64_t size = source_->num_batches();
  if (requested_ == -1) {
    if (size >= 0) {
      throw ValueError("`{}=-1` needs infinite data. Received data of {} batches.", steps_name_,
                       size);
    }
    logging::warning(
        format("`{}=-1`: there is one endless epoch; training runs until a callback stops it.",
               steps_name_));
    return;
  }
  if (requested_) {
    inferred_ = requested_;
  } else if (size == DataSource::kEndless) {
    throw ValueError(
        "The data is infinite: specify `{}`, so that epoch-level callbacks are called. The value "
        "can be arbitrary.",
        steps_name_);
  } else if (size >= 0) {
    inferred_ = size;
  }
}

int64_t DataHandler::expected_rows() const {
  if (array_rows_ < 0) return 0;
  return std::min(array_rows_, saturating_product(*inferred_, batch_size_));
}

bool DataHandler::passes_per_epoch() const {
  return source_->epochs() == DataSource::Epochs::new_pass || whole_passes();
}

int64_t DataHandler::skip_epochs(int64_t count) {
  int64_t steps = 0;
  for (int64_t i = 0; i < count; ++i) {
    begin_epoch();
    if (!passes_per_epoch()) skip_steps(inferred_.value_or(0));
    steps += inferred_.value_or(0);
    source_->on_epoch_end();
  }
  return steps;
}

int64_t DataHandler::skip_steps(int64_t count) {
  int64_t done = 0;
  while (done < count && has_batch() && next_batch(*source_)) ++done;
  return done;
}

void DataHandler::begin_epoch() {
  if (passes_ > 0 && !passes_per_epoch()) return;
  source_->reset();
  ++passes_;
  // Each pass may have a different size.
  if (!requested_ && source_->num_batches() >= 0) inferred_ = source_->num_batches();
}

void DataHandler::restart() {
  passes_ = 0;
  insufficient_ = false;
  begin_epoch();
}

bool DataHandler::has_batch() {
  if (source_->batch_rows() > 0) return true;
  if (source_->epochs() != DataSource::Epochs::joined_passes || whole_passes() ||
      passes_ >= epochs_)
    return false;
  source_->reset();
  ++passes_;
  return source_->batch_rows() > 0;
}

int64_t DataHandler::execution_steps(int64_t current, int64_t requested) const {
  const int64_t n = std::max<int64_t>(requested, 1);
  return inferred_ ? std::min(n, *inferred_ - current) : n;
}

int64_t DataHandler::run(StepRunner& runner, int64_t n, Nest& outputs,
                         const Function::StepOutputs& each_step, int64_t period) {
  const auto pass = [&](int64_t count, const Function::StepOutputs& each) -> int64_t {
    return has_batch() ? runner.run(count, outputs, each, period) : 0;
  };
  return run_in_parts(n, outputs, each_step, period, pass);
}

void DataHandler::data_ended(int64_t current) {
  if (!inferred_ && current > 0) {
    inferred_ = current;
    return;
  }
  insufficient_ = true;
  logging::warning(format(
      "Your input ran out of data; interrupting training. Make sure that your dataset or generator "
      "can generate at least `{} * epochs` batches (in this case, {} batches). You may need to use "
      "the repeat() function when building your dataset. {} steps of this epoch were done.",
      steps_name_, saturating_product(total_epochs_, inferred_.value_or(1)), current));
}

}  // namespace antler::training
