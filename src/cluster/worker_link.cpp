#include "cluster/worker_link.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "base/clock.h"
#include "cluster/channels.h"
#include "cluster/dataset_registry.h"
#include "cluster/errors.h"
#include "cluster/graph_codec.h"
#include "cluster/per_worker_iterator.h"
#include "distribute/process_environment.h"

namespace antler::cluster {
namespace {

/// A request contains as many closures as run for about this long, so that the overhead of a call
/// is negligible.
constexpr double kRequestSeconds = 0.002;
constexpr double kMostPerRequest = 128;
/// Seconds to wait before trying a parameter server again that could not be reached.
constexpr double kPause = 0.1;

/// Seconds before a worker takes its first function.
double start_delay(size_t worker) {
  const auto seconds = [](const char* name) {
    return static_cast<double>(distribute::environment_integer(name).value_or(0));
  };
  const double delay = seconds("TF_COORDINATOR_SCHEDULE_START_DELAY") * static_cast<double>(worker);
  const double most = seconds("TF_COORDINATOR_SCHEDULE_START_DELAY_MAX");
  return most > 0 ? std::min(delay, most) : delay;
}

}  // namespace

ServerFailures::ServerFailures()
    : ignored_(distribute::environment_integer("TF_COORDINATOR_IGNORE_TRANSIENT_PS_FAILURES")
                   .value_or(3)) {}

bool ServerFailures::add(int32_t task) {
  const std::lock_guard lock(mutex_);
  const auto index = static_cast<size_t>(task);
  if (counts_.size() <= index) counts_.resize(index + 1);
  return ++counts_[index] > ignored_;
}

WorkerLink::WorkerLink(size_t worker, size_t workers, const ParameterServers& servers,
                       RemotePrograms& programs, ServerFailures& failures, ClosureQueue& queue)
    : worker_(worker),
      workers_(workers),
      servers_(servers),
      programs_(programs),
      failures_(failures),
      queue_(queue),
      start_delay_(start_delay(worker)),
      stub_(Training::NewStub(make_channel(servers.members(), servers.worker_tasks()[worker]))),
      thread_([this] { work(); }) {}

WorkerLink::~WorkerLink() { thread_.join(); }

void WorkerLink::cancel() {
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  if (context_ != nullptr) context_->TryCancel();
}

template <class Method, class Request, class Reply>
grpc::Status WorkerLink::call(Method method, const Request& request, Reply& reply, double seconds) {
  grpc::ClientContext context;
  sign(context, servers_.members());
  if (seconds > 0) {
    context.set_wait_for_ready(true);
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::milliseconds(static_cast<int64_t>(seconds * 1e3)));
  }
  {
    const std::lock_guard lock(mutex_);
    if (cancelled_) return {grpc::StatusCode::CANCELLED, "the coordinator is shutting down"};
    context_ = &context;
  }
  grpc::Status status = (stub_.get()->*method)(&context, request, &reply);
  const std::lock_guard lock(mutex_);
  context_ = nullptr;
  return status;
}

void WorkerLink::connect() {
  BeginRequest request;
  request.set_session(servers_.session());
  const std::string name = servers_.members().name(servers_.worker_tasks()[worker_]);
  for (bool is_first = true;; is_first = false) {
    BeginReply reply;
    const grpc::Status status = call(&Training::Stub::Begin, request, reply, 1);
    if (status.ok()) break;
    if (queue_.stopped(status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED ? 0 : 0.1))
      return;
    if (is_first) logging::warning(format("cluster: waiting for {}", name));
  }
  installed_.clear();
  ++start_;
  // A worker that has come back creates its iterators again before it gets functions.
  for (const auto& [id, held] : std::exchange(iterators_, {})) {
    const std::shared_ptr<PerWorkerIterator::State> iterator = held.lock();
    if (iterator != nullptr && !make_iterator(iterator).ok()) return connect();
  }
}

void WorkerLink::work() {
  if (queue_.stopped(start_delay_)) return;
  connect();
  for (;;) {
    const auto most = static_cast<size_t>(
        std::clamp(kRequestSeconds / seconds_per_closure_, 1.0, kMostPerRequest));
    const std::vector<ClosurePtr> closures = queue_.take(most, workers_);
    if (closures.empty()) return;
    run(closures);
  }
}

Nest WorkerLink::next_arguments(const ScheduledClosure& closure) {
  std::vector<Nest> values;
  for (const ScheduleArgument& argument : closure.arguments) {
    if (argument.iterator() == nullptr) {
      values.push_back(argument.value(worker_));
      continue;
    }
    if (argument.iterator()->is_remote()) {
      values.push_back(argument.iterator()->expected(worker_));
      continue;
    }
    std::optional<Nest> element = argument.iterator()->next(worker_, start_);
    if (!element) throw end_of_sequence();
    values.push_back(std::move(*element));
  }
  return values.size() == 1 ? values[0] : Nest(std::move(values));
}

void WorkerLink::add_step(const ScheduledClosure& closure, const Nest& arguments,
                          Closure& message) const {
  std::string& bytes = *message.add_batches();
  const bool has_elements = std::any_of(
      closure.arguments.begin(), closure.arguments.end(), [](const ScheduleArgument& argument) {
        return argument.iterator() != nullptr && argument.iterator()->is_remote();
      });
  if (!has_elements) {
    bytes = bytes_of(arguments);
    return;
  }
  int32_t next = 0;
  for (size_t i = 0; i < closure.arguments.size(); ++i) {
    const Nest& value = closure.arguments.size() == 1 ? arguments : arguments[i];
    const Tensors leaves = value.flatten();
    const auto count = static_cast<int32_t>(std::count_if(
        leaves.begin(), leaves.end(), [](const Tensor& leaf) { return leaf.defined(); }));
    const auto& iterator = closure.arguments[i].iterator();
    if (iterator != nullptr && iterator->is_remote()) {
      ElementArgument& element = *message.add_elements();
      element.set_iterator(iterator->id());
      element.set_first(next);
      element.set_count(count);
    } else {
      bytes += bytes_of(value);
    }
    next += count;
  }
}

grpc::Status WorkerLink::make_iterators(const ScheduledClosure& closure) {
  grpc::Status status;
  for (const ScheduleArgument& argument : closure.arguments) {
    const auto& iterator = argument.iterator();
    if (iterator == nullptr || !iterator->is_remote() || iterator->is_made(worker_, start_))
      continue;
    if (status.ok()) status = make_iterator(iterator);
  }
  return status;
}

grpc::Status WorkerLink::make_iterator(const std::shared_ptr<PerWorkerIterator::State>& iterator) {
  MakeIteratorRequest request;
  request.set_session(servers_.session());
  request.set_iterator(iterator->id());
  request.set_dataset_fn(iterator->dataset_fn());
  request.set_pipelines(iterator->num_workers());
  request.set_pipeline(static_cast<int64_t>(worker_));
  MakeIteratorReply reply;
  const grpc::Status status = call(&Training::Stub::MakeIterator, request, reply);
  if (is_lost(status)) return status;
  iterators_[iterator->id()] = iterator;
  if (!status.ok()) {
    iterator->failed(worker_, start_, make_error(status.error_details(), status.error_message()));
    return grpc::Status::OK;
  }
  try {
    std::optional<Nest> element;
    if (reply.has_element()) element = decode(reply.element());
    iterator->made(worker_, start_, std::move(element));
  } catch (...) {
    iterator->failed(worker_, start_, std::current_exception());
  }
  return grpc::Status::OK;
}

void WorkerLink::drop_iterators(RunRequest& request) {
  for (auto it = iterators_.begin(); it != iterators_.end();) {
    if (!it->second.expired()) {
      ++it;
      continue;
    }
    request.add_dropped_iterators(it->first);
    it = iterators_.erase(it);
  }
}

WorkerLink::Prepared WorkerLink::prepare(const ClosurePtr& closure, RunRequest& request) {
  Prepared prepared{.closure = closure, .programs = {}};
  Closure* message = nullptr;
  const std::vector<Nest> batches =
      closure->batches.empty() ? std::vector<Nest>{next_arguments(*closure)} : closure->batches;
  for (const Nest& arguments : batches) {
    std::shared_ptr<const RemoteProgram> program = programs_.get(closure->function, arguments);
    if (prepared.programs.empty() || program != prepared.programs.back()) {
      message = request.add_closures();
      message->set_program(program->id);
      prepared.programs.push_back(std::move(program));
    }
    add_step(*closure, arguments, *message);
  }
  return prepared;
}

grpc::Status WorkerLink::install(const RemoteProgram& program) {
  if (installed_.contains(program.id)) return grpc::Status::OK;
  AddProgramReply reply;
  grpc::Status status = call(&Training::Stub::AddProgram, program.request, reply);
  if (status.ok()) installed_.insert(program.id);
  return status;
}

void WorkerLink::run(const std::vector<ClosurePtr>& closures) {
  const double begin = steady_seconds();
  RunRequest request;
  request.set_session(servers_.session());
  drop_iterators(request);
  std::vector<Prepared> prepared;
  size_t next = 0;
  std::exception_ptr error;
  grpc::Status status;
  for (; next < closures.size() && error == nullptr; ++next) {
    status = make_iterators(*closures[next]);
    if (!status.ok()) break;
    const int messages = request.closures_size();
    try {
      prepared.push_back(prepare(closures[next], request));
    } catch (...) {
      error = std::current_exception();
      request.mutable_closures()->DeleteSubrange(messages, request.closures_size() - messages);
    }
  }
  RunReply reply;
  for (const Prepared& p : prepared) {
    for (const auto& program : p.programs) {
      if (status.ok()) status = install(*program);
    }
  }
  if (status.ok() && !prepared.empty()) status = call(&Training::Stub::Run, request, reply);
  if (status.ok()) {
    settle(prepared, reply);
    const double average = (steady_seconds() - begin) / static_cast<double>(closures.size());
    seconds_per_closure_ = 0.5 * (seconds_per_closure_ + std::max(average, 1e-7));
  }
  // A closure that could not be prepared fails only after the closures before it have run.
  if (error != nullptr) queue_.fail(closures[next - 1], error);
  if (!status.ok() && !is_lost(status)) {
    for (const Prepared& p : prepared)
      queue_.fail(p.closure, make_error(status.error_details(), status.error_message()));
  } else if (!status.ok()) {
    for (const Prepared& p : prepared) queue_.put_back(p.closure);
  }
  for (; next < closures.size(); ++next) queue_.put_back(closures[next]);
  if (is_lost(status)) connect();
}

void WorkerLink::settle(const std::vector<Prepared>& prepared, const RunReply& reply) {
  int next = 0;
  bool failed = false;
  for (const Prepared& p : prepared) {
    const Outcome* outcome = nullptr;
    for (size_t part = 0; part < p.programs.size() && !failed && next < reply.outcomes_size();
         ++part) {
      outcome = &reply.outcomes(next++);
      failed = outcome->has_failure() || outcome->elements_size() > 0;
    }
    if (outcome == nullptr) {
      queue_.put_back(p.closure);  // not run, because an earlier one failed
    } else if (outcome->elements_size() > 0) {
      settle(p, *outcome);
    } else if (failed) {
      settle(p, outcome->failure());
    } else {
      queue_.finish(p.closure, p.programs.back()->unpack(outcome->data()));
    }
  }
}

void WorkerLink::settle(const Prepared& prepared, const Outcome& outcome) {
  try {
    for (const NextElement& next : outcome.elements()) {
      const auto iterator = iterators_[next.iterator()].lock();
      if (iterator != nullptr) iterator->expect(worker_, decode(next.element()));
    }
  } catch (...) {
    queue_.fail(prepared.closure, std::current_exception());
    return;
  }
  queue_.put_back(prepared.closure);
}

void WorkerLink::settle(const Prepared& prepared, const Failure& failure) {
  if (failure.task() < 0) {
    queue_.fail(prepared.closure, make_error(failure.error(), failure.message()));
    return;
  }
  if (!failures_.add(failure.task())) {
    logging::warning(
        format("cluster: {} failed ({}). A function runs again: what it has changed on other "
               "servers may change twice.",
               servers_.members().name(failure.task()), failure.message()));
    queue_.put_back(prepared.closure);
    queue_.stopped(kPause);
    return;
  }
  queue_.fail(
      prepared.closure,
      make_error("UnavailableError",
                 format("{} is lost: {}. Start the cluster again, and restore a checkpoint.",
                        servers_.members().name(failure.task()), failure.message())));
}

}  // namespace antler::cluster
