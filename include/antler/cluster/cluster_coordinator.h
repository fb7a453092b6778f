#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/cluster/dataset_registry.h"
#include "antler/core/nest.h"
#include "antler/data/dataset.h"
#include "antler/distribute/strategy.h"
#include "antler/runtime/function.h"

namespace antler::cluster {

/// The data set of a worker could not be made, so the functions that need it fail (TensorFlow's
/// `ClosureInputError`). The message names the error.
class ClosureInputError : public Error {
 public:
  using Error::Error;
  const char* class_name() const noexcept override { return "ClosureInputError"; }
};

/// The result of a function that a worker runs (TensorFlow's `RemoteValue`). A handle.
class RemoteValue {
 public:
  struct State;
  explicit RemoteValue(std::shared_ptr<State> state) : state_(std::move(state)) {}
  /// Waits for the result. Throws what the function threw, and CancelledError if it was not run
  /// because another function failed.
  Nest fetch() const;
  Nest get() const;
  bool is_ready() const;

 private:
  std::shared_ptr<State> state_;
};

/// One value for each worker, in their order.
struct PerWorkerValues {
  std::vector<Nest> values = {};
};

/// An iterator over a data set for each worker. A function that is scheduled with it gets the next
/// element of the worker that runs it. A handle.
class PerWorkerIterator {
 public:
  struct State;
  explicit PerWorkerIterator(std::shared_ptr<State> state) : state_(std::move(state)) {}
  const std::shared_ptr<State>& state() const { return state_; }

 private:
  std::shared_ptr<State> state_;
};

/// A data set for each worker.
class PerWorkerDataset {
 public:
  /// Data sets that the coordinator reads.
  PerWorkerDataset(MakeDataset make, int64_t workers) : make_(std::move(make)), workers_(workers) {}
  /// Data sets that the workers make by a function that they have registered, and read.
  PerWorkerDataset(std::string dataset_fn, int64_t workers)
      : dataset_fn_(std::move(dataset_fn)), workers_(workers) {}
  /// Iterators at the start of each data set.
  PerWorkerIterator iter() const;

 private:
  MakeDataset make_;
  std::string dataset_fn_;
  int64_t workers_;
};

/// An argument of a scheduled function: one value for all workers, or one per worker.
class ScheduleArgument {
 public:
  template <class A>
  requires std::convertible_to<A, Nest> ScheduleArgument(
      A&& value)  // NOLINT(google-explicit-constructor): arguments are passed as they are
      : values_({Nest(std::forward<A>(value))}) {}
  ScheduleArgument(PerWorkerValues values)  // NOLINT(google-explicit-constructor)
      : values_(std::move(values.values)), is_per_worker_(true) {}
  ScheduleArgument(const PerWorkerIterator& iterator)  // NOLINT(google-explicit-constructor)
      : iterator_(iterator.state()) {}

  const std::shared_ptr<PerWorkerIterator::State>& iterator() const { return iterator_; }
  const Nest& value(size_t worker) const { return values_[is_per_worker_ ? worker : 0]; }
  /// The number of values; 0 if it is the same for all workers.
  size_t workers() const { return is_per_worker_ ? values_.size() : 0; }

 private:
  std::vector<Nest> values_;
  bool is_per_worker_ = false;
  std::shared_ptr<PerWorkerIterator::State> iterator_;
};

class Coordination;

/// Schedules functions on the workers of a ParameterServerStrategy (TensorFlow's
/// `ClusterCoordinator`). All coordinators of a strategy share one queue.
///
///     const Function step = tf::function([&](const Nest& batch) -> Nest { ... });
///     const PerWorkerIterator iterator = coordinator.create_per_worker_dataset(make_data).iter();
///     for (int i = 0; i < steps; ++i) coordinator.schedule(step, {iterator});
///     coordinator.join();
///
/// A function is traced in this process for each signature of its arguments, and its program is
/// sent to each worker once. Each scheduled call runs at least once: if its worker is lost, another
/// one runs it, and updates already made remain. A lost worker takes part again when it is back.
///
/// The first error of a function is thrown once, by the next schedule(), join() or done(). Waiting
/// functions are cancelled, running ones are awaited. A lost parameter server is such an error, an
/// UnavailableError, after 3 failures that may be transient.
///
/// Environment variables, as in TensorFlow: TF_COORDINATOR_IGNORE_TRANSIENT_PS_FAILURES (3), and
/// TF_COORDINATOR_SCHEDULE_START_DELAY (0): worker i takes its first function after i times so many
/// seconds, but at most TF_COORDINATOR_SCHEDULE_START_DELAY_MAX (0: no limit).
class ClusterCoordinator {
 public:
  /// Throws ValueError unless the strategy is a ParameterServerStrategy.
  explicit ClusterCoordinator(const distribute::Strategy& strategy);

  /// Returns at once, unless 262,144 functions already wait. One argument is passed as it is,
  /// several as a list. Throws TypeError for an empty function, and ValueError for a list of values
  /// whose length is not the number of workers.
  RemoteValue schedule(const Function& function, std::vector<ScheduleArgument> arguments = {});
  /// Waits until all scheduled functions have finished.
  void join();
  /// Whether all scheduled functions have finished.
  bool done();
  static Nest fetch(const RemoteValue& value) { return value.fetch(); }
  static std::vector<Nest> fetch(const std::vector<RemoteValue>& values);

  /// Every worker gets all elements of the data set, in its order. This process reads it.
  PerWorkerDataset create_per_worker_dataset(const data::Dataset& dataset) const;
  /// The function is called in this process for each worker, and again for a worker that was lost
  /// and has come back: its data set starts anew. Throws TypeError for an empty function.
  PerWorkerDataset create_per_worker_dataset(MakeDataset make) const;
  /// The same for a function that need not know the worker.
  template <std::invocable Make>
  requires std::same_as<std::invoke_result_t<Make>, data::Dataset> PerWorkerDataset
  create_per_worker_dataset(Make make)
  const {
    return create_per_worker_dataset(
        MakeDataset([make = std::move(make)](const data::InputContext&) { return make(); }));
  }
  /// Each worker calls the function that its own program has registered under this name
  /// (register_dataset_fn), again after a restart, and reads the data set itself. It makes the data
  /// set, and reads its first element, when it first runs a function that needs it. If the data set
  /// cannot be made, or the worker does not know the name (`antler server` knows none), these
  /// functions fail with ClosureInputError. Throws ValueError for an empty name.
  PerWorkerDataset create_per_worker_dataset(const std::string& dataset_fn) const;
  int64_t num_workers() const;

 private:
  distribute::Strategy strategy_;
  Coordination* coordination_;  // of the strategy
};

}  // namespace antler::cluster
