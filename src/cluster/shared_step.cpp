#include "cluster/shared_step.h"

#include <algorithm>
#include <utility>

#include "antler/base/error.h"
#include "cluster/graph_split.h"
#include "cluster/row_parts.h"
#include "cluster/share_messages.h"
#include "cluster/step_exchange.h"

namespace antler::cluster {
namespace {

/// The position of a variable among the values that a step reads; -1 if the step does not read it.
int64_t place_among_reads(const SplitGraph& split, const Variable& variable) {
  int64_t place = 0;
  for (const TaskShare& share : split.shares) {
    const auto found = std::find(share.reads.begin(), share.reads.end(), variable);
    if (found != share.reads.end()) return place + (found - share.reads.begin());
    place += std::ssize(share.reads) + share.lookups;
  }
  return -1;
}

/// Replaces this process's ids of variables by the ids that all processes use.
void use_shared_ids(cluster::Graph& graph, const ir::Graph& of, NamedVariables& variables) {
  for (int i = 0; i < graph.states_size(); ++i) {
    const Variable& variable = of.states[static_cast<size_t>(i)].variable;
    graph.mutable_states(i)->set_variable(variables.place_of(variable)->id);
  }
}

[[noreturn]] void throw_lost(const Members& members, const TaskLost& lost) {
  throw UnavailableError("{} is lost: {}", members.name(lost.task), lost.message);
}

}  // namespace

SharedStep::SharedStep(const Members& members, NamedVariables& variables, ir::Graph graph,
                       const Variable& counter, const std::string& name)
    : members_(members),
      session_(variables.session()),
      id_(variables.next_program()),
      results_(graph.outputs.size()) {
  const bool counts = std::any_of(
      graph.states.begin(), graph.states.end(),
      [&](const ir::StateSlot& slot) { return slot.variable == counter && slot.output >= 0; });
  for (const ir::StateSlot& slot : graph.states) {
    // Its value shows the progress of the other processes.
    if (counts && slot.variable == counter) graph.outputs.push_back(slot.input);
  }
  SplitGraph split =
      split_graph(use_row_parts(ir::prune(graph)), [&](const Variable& variable) -> int64_t {
        const auto place = variables.place_of(variable);
        return place ? place->task : kOfWorker;
      });
  if (counts) counter_ = place_among_reads(split, counter);

  AddProgramRequest request;
  request.set_name(name);
  request.set_arguments(static_cast<int32_t>(split.arguments));
  request.set_results(static_cast<int32_t>(split.results));
  for (const TaskShare& share : split.shares) {
    AddShareRequest told;
    cluster::Share& part = *request.add_shares();
    encode(share, told, part);
    told.set_session(session_);
    told.set_program(id_);
    use_shared_ids(*told.mutable_update(), share.update, variables);
    use_shared_ids(*told.mutable_lookup(), share.lookup, variables);
    for (size_t i = 0; i < share.reads.size(); ++i) {
      told.set_reads(static_cast<int>(i), variables.place_of(share.reads[i])->id);
    }
    const ServerClient& task = variables.task(share.task);
    part.set_incarnation(task.incarnation());
    told.set_incarnation(task.incarnation());
    AddShareReply reply;
    task.call(&Training::Stub::AddShare, told, reply);
  }
  loaded_ = load_program(std::move(split.worker), request,
                         [&](int32_t task) { return &variables.task(task).stub(); });
}

int64_t SharedStep::run(int64_t n, int64_t until, distribute::StepArguments& arguments,
                        Tensors& outputs, const Program::StepOutputs& each_step) {
  const StepExchange exchange(members_, *loaded_, session_, id_);
  const auto results = static_cast<ptrdiff_t>(results_);
  int64_t done = 0;
  Tensors computed;          // by the last step
  bool has_changes = false;  // not sent yet
  const auto send = [&](const Tensors* next) {
    Tensors read = exchange(std::exchange(has_changes, false) ? &computed : nullptr, next);
    return read;
  };
  try {
    while (done < n) {
      Tensors values = arguments.peek();
      if (values.empty()) break;
      // One message sends the changes of a step and requests what the next one reads.
      const Tensors read = send(&values);
      const bool is_reached =
          counter_ >= 0 && read[static_cast<size_t>(counter_)].item() >= static_cast<double>(until);
      if (done > 0 && is_reached) break;
      arguments.consume();
      values.insert(values.end(), read.begin(), read.end());
      computed = loaded_->program->run(values);
      has_changes = true;
      ++done;
      outputs.assign(computed.begin(), computed.begin() + results);
      if (!each_step) continue;
      try {
        each_step(outputs);
      } catch (...) {
        send(nullptr);  // the step itself is complete
        throw;
      }
    }
    if (has_changes) send(nullptr);
  } catch (const TaskLost& lost) {
    throw_lost(members_, lost);
  }
  return done;
}

}  // namespace antler::cluster
