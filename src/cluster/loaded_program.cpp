#include "cluster/loaded_program.h"

#include <utility>

#include "antler/base/error.h"

namespace antler::cluster {

std::shared_ptr<LoadedProgram> load_program(
    ir::Graph graph, const AddProgramRequest& request,
    const std::function<Training::Stub*(int32_t task)>& stub_of) {
  auto loaded = std::make_shared<LoadedProgram>();
  const auto invalid = [] { return ValueError("The shares of a program do not match its graph."); };
  const auto arguments = static_cast<size_t>(request.arguments());
  loaded->results = static_cast<size_t>(request.results());
  if (request.arguments() < 0 || request.results() < 0 || arguments > graph.inputs.size() ||
      loaded->results > graph.outputs.size())
    throw invalid();
  size_t next = 0;
  while (next < arguments) loaded->arguments.push_back(graph.spec(graph.inputs[next++]));
  for (const cluster::Share& share : request.shares()) {
    LoadedProgram::Share added;
    added.task = share.task();
    added.incarnation = share.incarnation();
    added.updates = share.updates();
    for (int32_t i = 0; i < share.reads(); ++i) {
      if (next == graph.inputs.size()) throw invalid();
      added.reads.push_back(graph.spec(graph.inputs[next++]));
    }
    for (const int32_t index : share.asks()) {
      if (index < 0 || static_cast<size_t>(index) >= arguments) throw invalid();
      added.asks.push_back(static_cast<size_t>(index));
    }
    std::vector<TensorSpec> sent;
    for (const int32_t index : share.sends()) {
      if (index < 0 || static_cast<size_t>(index) >= graph.outputs.size()) throw invalid();
      added.sends.push_back(static_cast<size_t>(index));
      sent.push_back(graph.spec(graph.outputs[added.sends.back()]));
    }
    added.read_rows = filters_of(share.read_rows(), added.reads, 0);
    added.sent_rows = filters_of(share.sent_rows(), sent, graph.outputs.size());
    added.stub = stub_of(share.task());
    loaded->shares.push_back(std::move(added));
  }
  if (next != graph.inputs.size()) throw invalid();
  loaded->program =
      std::make_unique<Program>(std::move(graph), ProgramOptions{.name = request.name()});
  return loaded;
}

}  // namespace antler::cluster
