#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "antler/base/error.h"
#include "antler/ops/communicator.h"

namespace antler::ops {

/// Thrown when the group has continued without this process, which has now joined it again and has
/// the state of the others.
class JoinedAgain : public UnavailableError {
 public:
  explicit JoinedAgain(std::string state)
      : UnavailableError("This worker was left behind and has joined again."),
        state_(std::move(state)) {}
  const std::string& state() const { return state_; }

 private:
  std::string state_;
};

/// Thrown when the others have finished the training that this process wanted to join.
class TrainingIsOver : public UnavailableError {
 public:
  using UnavailableError::UnavailableError;
};

/// A group that continues when processes are lost and admits new ones. rank() and size() then
/// change.
///
/// What the processes do together is a sequence of events. An event is an execution (the steps
/// between begin_execution() and end_execution()) or a collective outside of executions. The loss
/// of a process makes the current event fail. The remaining processes then form a new group and
/// compare how many events they have completed. These counts differ by at most one, because nobody
/// completes an event before all take part in it. If a process has completed the event, it sends
/// the result to the others; otherwise all repeat it. Collectives outside of executions do this
/// automatically. An execution throws UnavailableError or DeadlineExceededError, and its caller
/// calls recover().
class ElasticGroup : public Communicator {
 public:
  /// Everything that another process needs in order to continue after the last execution.
  using State = std::function<std::string()>;

  /// Starts a training or an evaluation; `state` must stay valid until leave(). If the others have
  /// already started a training, this process joins their group, and enter() returns their state.
  /// Throws TrainingIsOver, and UnavailableError if all others have ended.
  virtual std::optional<std::string> enter(State state, bool is_training) = 0;
  virtual void leave() = 0;

  virtual void begin_execution() = 0;
  virtual void end_execution() = 0;
  /// Called after an execution failed with `error`: forms a new group. If another process has
  /// completed the execution, returns the state after it, and this process counts as having
  /// completed it, too. Otherwise the execution must be repeated. Throws `error` if it was not
  /// caused by the loss of a process, JoinedAgain in training, and UnavailableError if there is no
  /// group for this process.
  virtual std::optional<std::string> recover(const std::exception_ptr& error) = 0;

  /// Called by all processes between executions of a training: admits waiting processes.
  virtual void admit() = 0;

  /// During its lifetime, this process creates variables without communicating, because the others
  /// have already created theirs.
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
