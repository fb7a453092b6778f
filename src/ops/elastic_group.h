#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "antler/base/error.h"
#include "antler/ops/communicator.h"

namespace antler::ops {

/// This process was left behind, and is in the group again with the state of the others.
class JoinedAgain : public UnavailableError {
 public:
  explicit JoinedAgain(std::string state)
      : UnavailableError("This worker was left behind and has joined again."),
        state_(std::move(state)) {}
  const std::string& state() const { return state_; }

 private:
  std::string state_;
};

/// The others have done the training that this process wanted to join.
class TrainingIsOver : public UnavailableError {
 public:
  using UnavailableError::UnavailableError;
};

/// A group that goes on when processes are lost, and takes in new ones; rank() and size() change
/// then.
///
/// What the processes do together is a sequence of events: an execution (the steps between
/// begin_execution() and end_execution()) or a collective outside of executions. A loss makes the
/// event in flight fail. Then the processes that are left form a new group and compare how many
/// events they have completed. Numbers differ by one at most, because nobody completes an event
/// before all take part in it. If somebody has completed the event, the others get its result from
/// there; else all repeat it. Collectives outside of executions do this by themselves; an execution
/// throws UnavailableError or DeadlineExceededError, and its caller calls recover().
class ElasticGroup : public Communicator {
 public:
  /// All that another process needs in order to continue after the last execution.
  using State = std::function<std::string()>;

  /// Begins a training or an evaluation; `state` is valid until leave(). Training: returns the
  /// state of the others if they have begun before this process came; it is in their group then.
  /// Throws TrainingIsOver, and UnavailableError if all others have ended.
  virtual std::optional<std::string> enter(State state, bool is_training) = 0;
  virtual void leave() = 0;

  virtual void begin_execution() = 0;
  virtual void end_execution() = 0;
  /// After an execution failed with `error`: forms a new group. Returns the state after the
  /// execution if another process has completed it, so that this one has, too; else it is to be
  /// repeated. Throws `error` if it was not caused by a loss, JoinedAgain in training, and
  /// UnavailableError if there is no group to be in.
  virtual std::optional<std::string> recover(const std::exception_ptr& error) = 0;

  /// Between executions of a training, called by all processes: takes in those that wait.
  virtual void admit() = 0;

  /// While it lives, this process makes variables for itself, as the others did before.
  class Alone {
   public:
    explicit Alone(ElasticGroup& group) : group_(group) { group_.set_alone(true); }
    ~Alone() { group_.set_alone(false); }
    Alone(const Alone&) = delete;
    Alone& operator=(const Alone&) = delete;

   private:
    ElasticGroup& group_;
  };

 protected:
  virtual void set_alone(bool alone) = 0;
};

}  // namespace antler::ops
