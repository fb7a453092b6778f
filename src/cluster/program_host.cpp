#include "cluster/program_host.h"

#include <chrono>
#include <cstddef>
#include <exception>
#include <map>
#include <optional>
#include <utility>

#include <training.grpc.pb.h>

#include "antler/base/error.h"
#include "antler/ir/graph.h"
#include "cluster/channels.h"
#include "cluster/dataset_host.h"
#include "cluster/graph_codec.h"
#include "cluster/loaded_program.h"
#include "cluster/step_arguments.h"
#include "cluster/step_exchange.h"

namespace antler::cluster {
namespace {

constexpr std::chrono::seconds kConnectTime{2};

}  // namespace

struct ProgramHost::Connections {
  std::mutex mutex;
  std::map<int32_t, std::unique_ptr<Training::Stub>> stubs;

  Training::Stub* to(const Members& members, int32_t task) {
    const std::lock_guard lock(mutex);
    auto& stub = stubs[task];
    if (stub == nullptr) {
      const std::shared_ptr<grpc::Channel> channel = make_channel(members, task);
      // The first message may be an update. If it could not connect, the function would run again,
      // and the updates that other servers have already made would be made twice. A server that
      // cannot be reached is reported when the function runs.
      channel->WaitForConnected(std::chrono::system_clock::now() + kConnectTime);
      stub = Training::NewStub(channel);
    }
    return stub.get();
  }
};

ProgramHost::ProgramHost(const Members& members, DatasetHost& datasets)
    : members_(members), datasets_(datasets), connections_(std::make_unique<Connections>()) {}

ProgramHost::~ProgramHost() = default;

void ProgramHost::clear() {
  const std::lock_guard lock(mutex_);
  programs_.clear();
}

void ProgramHost::add(const AddProgramRequest& request) {
  std::shared_ptr<LoadedProgram> loaded =
      load_program(decode(request.graph(), nullptr), request, [this](int32_t task) {
        if (task < 0 || task >= members_.size()) throw ValueError("There is no task {}.", task);
        return connections_->to(members_, task);
      });
  const std::lock_guard lock(mutex_);
  programs_[request.program()] = std::move(loaded);
}

std::shared_ptr<LoadedProgram> ProgramHost::find(uint64_t program) {
  const std::lock_guard lock(mutex_);
  const auto found = programs_.find(program);
  if (found == programs_.end()) throw RuntimeError("The worker does not know program {}.", program);
  return found->second;
}

void ProgramHost::run(const RunRequest& request, RunReply& reply) {
  for (const uint64_t iterator : request.dropped_iterators()) datasets_.drop(iterator);
  std::shared_ptr<LoadedProgram> loaded;
  std::optional<StepExchange> exchange;
  Tensors outputs;           // of the previous step
  bool has_changes = false;  // not sent yet
  const auto finish = [&] {
    has_changes = false;
    Outcome& outcome = *reply.add_outcomes();
    for (size_t i = 0; i < loaded->results && i < outputs.size(); ++i)
      append(outputs[i], *outcome.mutable_data());
  };
  const auto flush = [&] {
    if (!has_changes) return;
    (*exchange)(&outputs, nullptr);
    finish();
  };
  Failure failure;
  failure.set_task(-1);
  try {
    uint64_t program = 0;
    for (const Closure& closure : request.closures()) {
      // If the next step runs the same program, one message carries this step's updates and
      // requests what the next step reads.
      const bool goes_on =
          has_changes && closure.program() == program && closure.batches_size() > 0;
      if (!goes_on) {
        flush();
        program = closure.program();
        loaded = find(program);
        exchange.emplace(members_, *loaded, request.session(), program);
        outputs.clear();
      }
      bool is_first = true;
      for (const std::string& batch : closure.batches()) {
        Tensors values;
        try {
          values = step_arguments(datasets_, closure, batch, loaded->arguments);
        } catch (...) {
          if (is_first) flush();  // the previous closure has not failed
          throw;
        }
        const Tensors read = (*exchange)(has_changes ? &outputs : nullptr, &values);
        if (is_first && goes_on) finish();
        values.insert(values.end(), read.begin(), read.end());
        outputs = loaded->program->run(values);
        has_changes = true;
        is_first = false;
      }
      if (closure.batches().empty()) finish();
    }
    flush();
    return;
  } catch (const UnexpectedElements& unexpected) {
    Outcome& outcome = *reply.add_outcomes();
    for (const NextElement& element : unexpected.elements) *outcome.add_elements() = element;
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
