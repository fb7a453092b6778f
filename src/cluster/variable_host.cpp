#include "cluster/variable_host.h"

#include <mutex>
#include <utility>

#include "antler/base/error.h"
#include "antler/ir/graph.h"
#include "cluster/graph_codec.h"

namespace antler::cluster {

void VariableHost::clear() {
  const std::unique_lock lock(mutex_);
  variables_.clear();
  shares_.clear();
}

void VariableHost::store(uint64_t id, const Tensor& value) {
  const std::unique_lock lock(mutex_);
  const auto found = variables_.find(id);
  if (found == variables_.end()) {
    variables_.emplace(id, Variable(value, {.trainable = false}));
  } else {
    found->second.store(value);
  }
}

void VariableHost::drop(uint64_t id) {
  const std::unique_lock lock(mutex_);
  variables_.erase(id);
}

const Variable& VariableHost::variable(uint64_t id) const {
  const auto found = variables_.find(id);
  if (found == variables_.end()) throw KeyError("This task does not keep variable {}.", id);
  return found->second;
}

void VariableHost::fetch(uint64_t id, std::string& bytes) {
  const std::shared_lock lock(mutex_);
  append(variable(id).stored(), bytes);
}

void VariableHost::add_share(uint64_t program, const Graph& update,
                             const std::vector<uint64_t>& reads) {
  auto share = std::make_shared<Share>();
  const std::unique_lock lock(mutex_);
  ir::Graph graph = decode(update, [this](uint64_t id, const TensorSpec& spec) {
    const Variable& state = variable(id);
    if (!(state.stored().spec() == spec))
      throw ValueError("A program expects another shape of variable {}.", id);
    return state;
  });
  for (const ir::ValueId v : graph.inputs) share->inputs.push_back(graph.spec(v));
  for (const uint64_t id : reads) share->reads.push_back(variable(id));
  if (!graph.states.empty()) {
    share->update =
        std::make_unique<Program>(std::move(graph), ProgramOptions{.name = "variable_update"});
  }
  shares_[program] = std::move(share);
}

std::shared_ptr<const VariableHost::Share> VariableHost::share(uint64_t program) {
  const std::shared_lock lock(mutex_);
  const auto found = shares_.find(program);
  if (found == shares_.end()) throw KeyError("This task does not know program {}.", program);
  return found->second;
}

void VariableHost::update(uint64_t program, std::string_view inputs) {
  const std::shared_ptr<const Share> changed = share(program);
  const Tensors values = split_bytes(inputs, changed->inputs);
  if (changed->update == nullptr) return;
  const std::unique_lock lock(mutex_);
  changed->update->run(values);
}

void VariableHost::read(uint64_t program, std::string& bytes) {
  const std::shared_ptr<const Share> wanted = share(program);
  const std::shared_lock lock(mutex_);
  for (const Variable& variable : wanted->reads) append(variable.stored(), bytes);
}

}  // namespace antler::cluster
