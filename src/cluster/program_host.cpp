#include "cluster/program_host.h"

#include <cstddef>
#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <grpcpp/grpcpp.h>
#include <training.grpc.pb.h>

#include "antler/base/error.h"
#include "antler/ir/graph.h"
#include "antler/runtime/program.h"
#include "cluster/channels.h"
#include "cluster/graph_codec.h"

namespace antler::cluster {
namespace {

/// A task that holds variables could not be reached, or has been restarted.
struct TaskLost {
  int32_t task;
  std::string message;
};

/// A call in flight.
struct ExchangeCall {
  grpc::ClientContext context;
  grpc::Status status;
  ExchangeRequest request;
  ExchangeReply reply;
  std::unique_ptr<grpc::ClientAsyncResponseReader<ExchangeReply>> reader;
};

}  // namespace

struct ProgramHost::Loaded {
  struct Share {
    int32_t task = 0;
    uint64_t incarnation = 0;
    std::vector<TensorSpec> reads;
    std::vector<size_t> asks;
    std::vector<size_t> sends;
    bool updates = false;
    Training::Stub* stub = nullptr;
  };
  std::unique_ptr<Program> program;
  std::vector<TensorSpec> arguments;
  size_t results = 0;
  std::vector<Share> shares;
};

struct ProgramHost::Connections {
  std::mutex mutex;
  std::map<int32_t, std::unique_ptr<Training::Stub>> stubs;

  Training::Stub* to(const Members& members, int32_t task) {
    const std::lock_guard lock(mutex);
    auto& stub = stubs[task];
    if (stub == nullptr) stub = Training::NewStub(make_channel(members, task));
    return stub.get();
  }
};

/// Sends the updates of a step to the tasks that hold variables, and gets what the next step reads.
class ProgramHost::Exchange {
 public:
  Exchange(const Members& members, const Loaded& loaded, uint64_t session, uint64_t program)
      : members_(members), loaded_(loaded), session_(session), program_(program) {}

  /// `outputs` are those of the previous step; null before the first. Returns what the shares
  /// provide, in order, for a step with the arguments `next`, which is null after the last step.
  Tensors operator()(const Tensors* outputs, const Tensors* next) const {
    std::deque<ExchangeCall> calls;
    std::vector<const Loaded::Share*> called;
    for (const Loaded::Share& share : loaded_.shares) {
      const bool update = share.updates && outputs != nullptr;
      const bool reads = next != nullptr && !share.reads.empty();
      if (!update && !reads) continue;
      ExchangeCall& call = calls.emplace_back();
      called.push_back(&share);
      call.request.set_session(session_);
      call.request.set_incarnation(share.incarnation);
      call.request.set_program(program_);
      call.request.set_update(update);
      call.request.set_read(reads);
      if (reads) {
        for (const size_t index : share.asks) append((*next)[index], *call.request.mutable_asked());
      }
      if (!update) continue;
      for (const size_t index : share.sends)
        append((*outputs)[index], *call.request.mutable_data());
    }
    if (calls.size() == 1) {
      sign(calls[0].context, members_);
      calls[0].status =
          called[0]->stub->Exchange(&calls[0].context, calls[0].request, &calls[0].reply);
    } else if (!calls.empty()) {
      call_all(calls, called);
    }
    Tensors values;
    for (size_t i = 0; i < calls.size(); ++i) {
      check(calls[i], *called[i]);
      if (!calls[i].request.read()) continue;
      Tensors part = split_bytes(calls[i].reply.data(), called[i]->reads);
      values.insert(values.end(), part.begin(), part.end());
    }
    return values;
  }

 private:
  void call_all(std::deque<ExchangeCall>& calls,
                const std::vector<const Loaded::Share*>& called) const {
    grpc::CompletionQueue queue;
    for (size_t i = 0; i < calls.size(); ++i) {
      ExchangeCall& call = calls[i];
      sign(call.context, members_);
      call.reader = called[i]->stub->AsyncExchange(&call.context, call.request, &queue);
      call.reader->Finish(&call.reply, &call.status, &call);
    }
    void* tag = nullptr;
    bool ok = false;
    for (size_t i = 0; i < calls.size(); ++i) queue.Next(&tag, &ok);
    queue.Shutdown();
    while (queue.Next(&tag, &ok)) {
    }
  }

  static void check(const ExchangeCall& call, const Loaded::Share& share) {
    if (call.status.ok()) return;
    switch (call.status.error_code()) {
      case grpc::StatusCode::UNAVAILABLE:
      case grpc::StatusCode::FAILED_PRECONDITION:
      case grpc::StatusCode::CANCELLED:
        throw TaskLost{share.task, call.status.error_message()};
      default:
        throw RuntimeError("{}", call.status.error_message());
    }
  }

  const Members& members_;
  const Loaded& loaded_;
  uint64_t session_;
  uint64_t program_;
};

ProgramHost::ProgramHost(const Members& members)
    : members_(members), connections_(std::make_unique<Connections>()) {}

ProgramHost::~ProgramHost() = default;

void ProgramHost::clear() {
  const std::lock_guard lock(mutex_);
  programs_.clear();
}

void ProgramHost::add(const AddProgramRequest& request) {
  ir::Graph graph = decode(request.graph(), nullptr);
  auto loaded = std::make_shared<Loaded>();
  const auto invalid = [] { return ValueError("The shares of a program do not match its graph."); };
  const auto arguments = static_cast<size_t>(request.arguments());
  loaded->results = static_cast<size_t>(request.results());
  if (request.arguments() < 0 || request.results() < 0 || arguments > graph.inputs.size() ||
      loaded->results > graph.outputs.size())
    throw invalid();
  size_t next = 0;
  while (next < arguments) loaded->arguments.push_back(graph.spec(graph.inputs[next++]));
  for (const cluster::Share& share : request.shares()) {
    Loaded::Share added{.task = share.task(),
                        .incarnation = share.incarnation(),
                        .reads = {},
                        .asks = {},
                        .sends = {},
                        .updates = share.updates()};
    if (share.task() < 0 || share.task() >= members_.size()) throw invalid();
    for (int32_t i = 0; i < share.reads(); ++i) {
      if (next == graph.inputs.size()) throw invalid();
      added.reads.push_back(graph.spec(graph.inputs[next++]));
    }
    for (const int32_t index : share.asks()) {
      if (index < 0 || static_cast<size_t>(index) >= arguments) throw invalid();
      added.asks.push_back(static_cast<size_t>(index));
    }
    for (const int32_t index : share.sends()) {
      if (index < 0 || static_cast<size_t>(index) >= graph.outputs.size()) throw invalid();
      added.sends.push_back(static_cast<size_t>(index));
    }
    added.stub = connections_->to(members_, share.task());
    loaded->shares.push_back(std::move(added));
  }
  if (next != graph.inputs.size()) throw invalid();
  loaded->program =
      std::make_unique<Program>(std::move(graph), ProgramOptions{.name = request.name()});
  const std::lock_guard lock(mutex_);
  programs_[request.program()] = std::move(loaded);
}

std::shared_ptr<ProgramHost::Loaded> ProgramHost::find(uint64_t program) {
  const std::lock_guard lock(mutex_);
  const auto found = programs_.find(program);
  if (found == programs_.end()) throw RuntimeError("The worker does not know program {}.", program);
  return found->second;
}

void ProgramHost::run(const RunRequest& request, RunReply& reply) {
  std::shared_ptr<Loaded> loaded;
  std::optional<Exchange> exchange;
  Tensors outputs;           // of the previous step
  bool has_changes = false;  // not sent yet
  const auto finish = [&] {
    has_changes = false;
    Outcome& outcome = *reply.add_outcomes();
    for (size_t i = 0; i < loaded->results && i < outputs.size(); ++i)
      append(outputs[i], *outcome.mutable_data());
  };
  Failure failure;
  failure.set_task(-1);
  try {
    uint64_t program = 0;
    for (const Closure& closure : request.closures()) {
      // If the next step is of the same program, one message carries this step's updates and asks
      // for what the next step reads.
      const bool goes_on =
          has_changes && closure.program() == program && closure.batches_size() > 0;
      if (has_changes && !goes_on) {
        (*exchange)(&outputs, nullptr);
        finish();
      }
      if (!goes_on) {
        program = closure.program();
        loaded = find(program);
        exchange.emplace(members_, *loaded, request.session(), program);
        outputs.clear();
      }
      bool is_first = true;
      for (const std::string& batch : closure.batches()) {
        Tensors values = split_bytes(batch, loaded->arguments);
        const Tensors read = (*exchange)(has_changes ? &outputs : nullptr, &values);
        if (is_first && goes_on) finish();
        values.insert(values.end(), read.begin(), read.end());
        outputs = loaded->program->run(values);
        has_changes = true;
        is_first = false;
      }
      if (closure.batches().empty()) finish();
    }
    if (has_changes) {
      (*exchange)(&outputs, nullptr);
      finish();
    }
    return;
  } catch (const TaskLost& lost) {
    failure.set_error("UnavailableError");
    failure.set_task(lost.task);
    failure.set_message(lost.message);
  } catch (const Error& error) {
    failure.set_error(error.class_name());
    failure.set_message(error.what());
  } catch (const std::exception& error) {
    failure.set_error("RuntimeError");
    failure.set_message(error.what());
  }
  *reply.add_outcomes()->mutable_failure() = failure;
}

}  // namespace antler::cluster
