#include "cluster/remote_variables.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "antler/base/error.h"
#include "antler/core/variable_origin.h"
#include "cluster/graph_codec.h"
#include "cluster/server_client.h"

namespace antler::cluster {

RemoteVariables::RemoteVariables(const Members& members, std::vector<int64_t> tasks,
                                 uint64_t session, std::optional<double> seconds)
    : members_(members), session_(session), order_(std::move(tasks)) {
  constexpr double kNoLimit = 1e9;
  for (const int64_t member : order_) {
    auto task = std::make_unique<ServerClient>(members_, member);
    task->begin(session_, seconds.value_or(kNoLimit));
    tasks_.emplace(member, std::move(task));
  }
}

RemoteVariables::~RemoteVariables() = default;

void RemoteVariables::add(const Variable& variable, const Variable& colocated) {
  const std::lock_guard lock(mutex_);
  new_.push_back({variable, colocated});
}

void RemoteVariables::skip(size_t turns) {
  Variables released;
  const std::lock_guard lock(mutex_);
  settle(released);
  next_ += turns;
}

void RemoteVariables::settle(Variables& released) {
  for (auto& [variable, colocated] : new_) {
    released.push_back(variable);
    if (colocated.defined()) released.push_back(colocated);
    if (variable.shards() != nullptr) continue;
    const auto found = colocated.defined() ? places_.find(colocated.id()) : places_.end();
    const int64_t place = found != places_.end() ? found->second : order_[next_++ % order_.size()];
    places_[variable.id()] = place;
    pending_[place].push_back(variable);
  }
  new_.clear();
}

int64_t RemoteVariables::place_of(const Variable& variable) const {
  const auto found = places_.find(variable.id());
  if (found == places_.end()) {
    throw ValueError(
        "Variable `{}` was not created in the scope of the ParameterServerStrategy, so no "
        "parameter server keeps it.",
        variable.path());
  }
  return found->second;
}

int64_t RemoteVariables::task_of(const Variable& variable) {
  Variables released;
  const std::lock_guard lock(mutex_);
  settle(released);
  return place_of(variable);
}

uint64_t RemoteVariables::incarnation(int64_t member) const { return task(member).incarnation(); }

void RemoteVariables::add_share(int64_t member, const AddShareRequest& request) {
  AddShareReply reply;
  task(member).call(&Training::Stub::AddShare, request, reply);
}

void RemoteVariables::flush() {
  Variables released;
  const std::lock_guard lock(mutex_);
  settle(released);
  for (auto& [member, variables] : pending_) {
    if (variables.empty()) continue;
    StoreRequest request;
    request.set_session(session_);
    for (const Variable& variable : variables) {
      request.add_variables(variable.id());
      encode(local_copy(variable), *request.add_values());
    }
    StoreReply reply;
    task(member).call(&Training::Stub::Store, request, reply);
    released.insert(released.end(), variables.begin(), variables.end());
    variables.clear();
  }
}

bool RemoteVariables::is_here(const Variable& variable) const {
  if (std::any_of(new_.begin(), new_.end(),
                  [&](const New& entry) { return entry.variable == variable; }))
    return true;
  const auto found = pending_.find(place_of(variable));
  return found != pending_.end() &&
         std::find(found->second.begin(), found->second.end(), variable) != found->second.end();
}

void RemoteVariables::refresh(const Variable& variable) {
  const std::lock_guard lock(mutex_);
  if (is_here(variable)) return;
  const int64_t place = place_of(variable);
  FetchRequest request;
  request.set_session(session_);
  request.add_variables(variable.id());
  FetchReply reply;
  task(place).call(&Training::Stub::Fetch, request, reply);
  const Tensor value = split_bytes(reply.data(), {local_copy(variable).spec()})[0];
  std::memcpy(local_memory(variable), value.data(), value.bytes());
}

void RemoteVariables::publish(const Variable& variable) {
  const std::lock_guard lock(mutex_);
  if (is_here(variable)) return;
  const int64_t place = place_of(variable);
  StoreRequest request;
  request.set_session(session_);
  request.add_variables(variable.id());
  encode(local_copy(variable), *request.add_values());
  StoreReply reply;
  task(place).call(&Training::Stub::Store, request, reply);
}

void RemoteVariables::drop(uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(id);
  if (found == places_.end()) return;
  DropRequest request;
  request.set_session(session_);
  request.add_variables(id);
  task(found->second).drop(request);
  places_.erase(found);
}

}  // namespace antler::cluster
