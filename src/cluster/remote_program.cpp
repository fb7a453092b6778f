#include "cluster/remote_program.h"

#include <algorithm>
#include <utility>

#include "antler/base/error.h"
#include "antler/ir/graph.h"
#include "cluster/graph_codec.h"
#include "cluster/graph_split.h"
#include "cluster/row_parts.h"
#include "cluster/share_messages.h"

namespace antler::cluster {
namespace {

std::string signature_of(const Nest& arguments) {
  std::string key = arguments.structure();
  for (const Tensor& t : arguments.flatten())
    key += t.defined() ? format(";{}{}", dtype_name(t.dtype()), t.shape()) : ";-";
  return key;
}

}  // namespace

std::string bytes_of(const Nest& arguments) {
  std::string bytes;
  for (const Tensor& t : arguments.flatten()) {
    if (t.defined()) append(t, bytes);
  }
  return bytes;
}

Nest RemoteProgram::unpack(const std::string& bytes) const {
  const Tensors values = split_bytes(bytes, results);
  size_t next = 0;
  return outputs.map([&](const Tensor& t) { return t.defined() ? values[next++] : Tensor(); });
}

std::shared_ptr<const RemoteProgram> RemotePrograms::get(const Function& function,
                                                         const Nest& arguments) {
  std::string signature = signature_of(arguments);
  // Held while tracing, so that two threads never trace the same function.
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<const void> identity = function.identity().lock();
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.function.lock() == identity && entry.signature == signature;
  });
  if (found != entries_.end()) return found->program;
  std::erase_if(entries_, [](const Entry& entry) { return entry.function.expired(); });
  std::shared_ptr<const RemoteProgram> program = make(function, arguments);
  entries_.push_back({identity, std::move(signature), program});
  return program;
}

std::shared_ptr<const RemoteProgram> RemotePrograms::make(const Function& function,
                                                          const Nest& arguments) {
  const std::shared_ptr<const distribute::StrategyImpl> strategy = strategy_.lock();
  if (strategy == nullptr) throw CancelledError("The strategy of the function no longer exists.");
  const distribute::StrategyScope scope{distribute::Strategy(strategy)};
  const Function::Trace trace = function.trace(arguments);
  RemoteVariables& variables = servers_.variables();
  variables.flush();
  const SplitGraph split = split_graph(use_row_parts(*trace.graph), [&](const Variable& variable) {
    return variables.task_of(variable);
  });
  auto program = std::make_shared<RemoteProgram>();
  program->id = next_++;
  program->outputs = trace.outputs;
  for (int64_t i = 0; i < split.results; ++i) {
    const auto index = static_cast<size_t>(i);
    program->results.push_back(split.worker.spec(split.worker.outputs[index]));
  }
  AddProgramRequest& request = program->request;
  request.set_session(servers_.session());
  request.set_program(program->id);
  request.set_name("remote_step");
  encode(split.worker, *request.mutable_graph());
  request.set_arguments(static_cast<int32_t>(split.arguments));
  request.set_results(static_cast<int32_t>(split.results));
  for (const TaskShare& share : split.shares) {
    AddShareRequest told;
    told.set_session(servers_.session());
    told.set_program(program->id);
    cluster::Share& part = *request.add_shares();
    encode(share, told, part);
    part.set_incarnation(variables.incarnation(share.task));
    variables.add_share(share.task, told);
  }
  return program;
}

}  // namespace antler::cluster
