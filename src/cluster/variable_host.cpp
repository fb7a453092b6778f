#include "cluster/variable_host.h"

#include <mutex>
#include <utility>

#include <training.pb.h>

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
  if (found == variables_.end() || found->second.stored().spec() != value.spec()) {
    variables_.insert_or_assign(id, Variable(value, {.trainable = false}));
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

std::optional<TensorSpec> VariableHost::spec(uint64_t id) {
  const std::shared_lock lock(mutex_);
  const auto found = variables_.find(id);
  if (found == variables_.end()) return std::nullopt;
  return found->second.stored().spec();
}

void VariableHost::add_share(const AddShareRequest& request) {
  auto share = std::make_shared<Share>();
  const std::unique_lock lock(mutex_);
  const auto state_of = [this](uint64_t id, const TensorSpec& spec) {
    const Variable& state = variable(id);
    if (!(state.stored().spec() == spec))
      throw ValueError("A program expects a different shape of variable {}.", id);
    return state;
  };
  ir::Graph update = decode(request.update(), state_of);
  ir::Graph lookup = decode(request.lookup(), state_of);
  for (const ir::ValueId v : update.inputs) share->inputs.push_back(update.spec(v));
  for (const ir::ValueId v : lookup.inputs) share->asks.push_back(lookup.spec(v));
  std::vector<TensorSpec> found;
  for (const ir::ValueId v : lookup.outputs) found.push_back(lookup.spec(v));
  const size_t outputs = found.size();
  if (request.lookups() < 0 || static_cast<size_t>(request.lookups()) > outputs)
    throw ValueError("A lookup has fewer outputs than a step needs.");
  found.resize(static_cast<size_t>(request.lookups()));
  share->sent_rows = filters_of(request.sent_rows(), share->inputs, 0);
  share->lookup_rows = filters_of(request.lookup_rows(), found, outputs);
  for (const uint64_t id : request.reads()) share->reads.push_back(variable(id));
  if (!update.states.empty()) {
    share->update =
        std::make_unique<Program>(std::move(update), ProgramOptions{.name = "variable_update"});
  }
  if (!lookup.outputs.empty()) {
    share->lookup =
        std::make_unique<Program>(std::move(lookup), ProgramOptions{.name = "variable_lookup"});
  }
  shares_[request.program()] = std::move(share);
}

std::shared_ptr<VariableHost::Share> VariableHost::share(uint64_t program) {
  const std::shared_lock lock(mutex_);
  const auto found = shares_.find(program);
  if (found == shares_.end()) throw KeyError("This task does not know program {}.", program);
  return found->second;
}

void VariableHost::update(uint64_t program, std::string_view inputs) {
  const std::shared_ptr<Share> changed = share(program);
  const Tensors values = split_rows(inputs, changed->inputs, changed->sent_rows);
  if (changed->update == nullptr) return;
  const std::unique_lock lock(mutex_);
  changed->update->run(values);
}

void VariableHost::read(uint64_t program, std::string_view asked, std::string& bytes) {
  const std::shared_ptr<Share> wanted = share(program);
  const Tensors values = split_bytes(asked, wanted->asks);
  const std::shared_lock lock(mutex_);
  for (const Variable& variable : wanted->reads) append(variable.stored(), bytes);
  if (wanted->lookup == nullptr) return;
  const std::lock_guard alone(wanted->lookup_mutex);
  const Tensors found = wanted->lookup->run(values);
  for (size_t i = 0; i < wanted->lookup_rows.size(); ++i)
    append_rows(found[i], wanted->lookup_rows[i], found, bytes);
}

}  // namespace antler::cluster
