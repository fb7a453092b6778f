#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include <grpcpp/grpcpp.h>
#include <training.grpc.pb.h>

#include "cluster/closure_queue.h"
#include "cluster/remote_program.h"

namespace antler::cluster {

/// Counts failures of parameter servers that may be transient.
class ServerFailures {
 public:
  ServerFailures();
  /// Counts a failure. Returns whether that task has failed too often.
  bool add(int32_t task);

 private:
  std::mutex mutex_;
  const int64_t ignored_;
  std::vector<int64_t> counts_;
};

/// A thread that sends closures to one worker, and waits for the worker when it is lost.
class WorkerLink {
 public:
  WorkerLink(size_t worker, size_t workers, const ParameterServers& servers,
             RemotePrograms& programs, ServerFailures& failures, ClosureQueue& queue);
  /// The queue must have been stopped.
  ~WorkerLink();
  WorkerLink(const WorkerLink&) = delete;
  WorkerLink& operator=(const WorkerLink&) = delete;

  /// Cancels a call in flight.
  void cancel();
  bool runs_here() const { return std::this_thread::get_id() == thread_.get_id(); }

 private:
  /// A closure whose steps are in a request.
  struct Prepared {
    ClosurePtr closure;
    /// One per message. Consecutive steps that run the same program share a message.
    std::vector<std::shared_ptr<const RemoteProgram>> programs;
  };
  void work();
  void run(const std::vector<ClosurePtr>& closures);
  /// Adds the steps of a closure to the request. Throws what the function or the data set throws.
  Prepared prepare(const ClosurePtr& closure, RunRequest& request);
  /// The arguments of a step. Those that the worker reads itself have no values. Throws
  /// OutOfRangeError at the end of the data.
  Nest next_arguments(const ScheduledClosure& closure);
  /// Adds a step with these arguments, some of which the worker may read.
  void add_step(const ScheduledClosure& closure, const Nest& arguments, Closure& message) const;
  /// Asks the worker to create those iterators of a closure that it lacks.
  grpc::Status make_iterators(const ScheduledClosure& closure);
  grpc::Status make_iterator(const std::shared_ptr<PerWorkerIterator::State>& iterator);
  /// Tells the worker which iterators no longer exist.
  void drop_iterators(RunRequest& request);
  /// Ensures that the worker has the program.
  grpc::Status install(const RemoteProgram& program);
  void settle(const std::vector<Prepared>& prepared, const RunReply& reply);
  void settle(const Prepared& prepared, const Failure& failure);
  /// Puts the closure back: the worker's next elements have other shapes, so they need another
  /// program.
  void settle(const Prepared& prepared, const Outcome& outcome);
  void connect();
  template <class Method, class Request, class Reply>
  grpc::Status call(Method method, const Request& request, Reply& reply, double seconds = 0);

  const size_t worker_;
  const size_t workers_;
  const ParameterServers& servers_;
  RemotePrograms& programs_;
  ServerFailures& failures_;
  ClosureQueue& queue_;
  const double start_delay_;  ///< seconds
  std::unique_ptr<Training::Stub> stub_;
  std::unordered_set<uint64_t> installed_;
  /// The iterators that the worker has, by id.
  std::map<uint64_t, std::weak_ptr<PerWorkerIterator::State>> iterators_;
  int64_t start_ = 0;  ///< counts the worker's starts
  double seconds_per_closure_ = 1;
  std::mutex mutex_;
  grpc::ClientContext* context_ = nullptr;
  bool cancelled_ = false;
  std::thread thread_;
};

}  // namespace antler::cluster
