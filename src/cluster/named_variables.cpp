#include "cluster/named_variables.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <string_view>
#include <thread>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/core/variable_origin.h"
#include "base/digest.h"
#include "base/strings.h"
#include "cluster/graph_codec.h"

namespace antler::cluster {
namespace {

using Clock = std::chrono::steady_clock;

/// A number that every process computes from the same text.
uint64_t number_of(const std::string& text) {
  const std::string digits = sha256(text);
  uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + 16, number, 16);
  return number;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Throws ValueError if a task holds a variable whose shape differs from the one made here.
void check_spec(const std::string& name, const Variable& variable, const TensorSpec& held,
                const std::string& task) {
  const TensorSpec made = local_copy(variable).spec();
  if (held == made) return;
  throw ValueError(
      "The variable `{}` has shape {} and dtype {} here, but shape {} and dtype {} in {}. All "
      "processes must run the same model_fn.",
      name, made.shape, dtype_name(made.dtype), held.shape, dtype_name(held.dtype), task);
}

}  // namespace

NamedVariables::NamedVariables(const Members& members, const std::vector<int64_t>& tasks,
                               std::optional<double> start_timeout)
    : members_(members),
      session_(number_of("named variables\n" + members.digest)),
      start_timeout_(start_timeout),
      order_(tasks) {
  for (const int64_t member : order_)
    tasks_.emplace(member, std::make_unique<ServerClient>(members_, member));
}

void NamedVariables::connect() {
  constexpr double kNoLimit = 1e9;
  constexpr double kPatience = 10;
  for (const auto& [member, task] : tasks_) {
    const auto start = Clock::now();
    for (;;) {
      const double left = start_timeout_.value_or(kNoLimit) - seconds_since(start);
      try {
        task->begin(session_, std::min(left, kPatience));
        break;
      } catch (const DeadlineExceededError&) {
        if (left <= kPatience) throw;
        logging::info(format("Still waiting for {}.", task->name()));
      }
    }
  }
}

void NamedVariables::colocate(const Variable& variable, const Variable& colocated) {
  const std::lock_guard lock(mutex_);
  colocated_[variable.id()] = colocated.id();
}

void NamedVariables::set_places(const Named& variables, const std::vector<Place>& places) {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < variables.size(); ++i) places_[variables[i].second.id()] = places[i];
}

void NamedVariables::create(const Named& variables) {
  connect();
  std::vector<Place> places;
  std::unordered_map<uint64_t, int64_t> task_of;
  {
    const std::lock_guard lock(mutex_);
    size_t turn = 0;
    for (const auto& [name, variable] : variables) {
      const auto beside = colocated_.find(variable.id());
      const auto found = beside == colocated_.end() ? task_of.end() : task_of.find(beside->second);
      const int64_t task = found != task_of.end() ? found->second : order_[turn++ % order_.size()];
      task_of[variable.id()] = task;
      places.push_back({task, number_of(name)});
    }
  }
  // Other processes continue when all variables are there. So a task that has been restarted gets
  // its variables last, when those of the other tasks already have the right values.
  for (const int64_t member : holders_first(variables)) {
    // Another job may have had the variable on another task.
    DropRequest dropped;
    StoreRequest stored;
    dropped.set_session(session_);
    stored.set_session(session_);
    stored.set_incarnation(task(member).incarnation());
    for (size_t i = 0; i < variables.size(); ++i) {
      if (places[i].task != member) {
        dropped.add_variables(places[i].id);
        continue;
      }
      stored.add_variables(places[i].id);
      encode(local_copy(variables[i].second), *stored.add_values());
    }
    task(member).drop(dropped);
    StoreReply reply;
    task(member).call(&Training::Stub::Store, stored, reply);
  }
  set_places(variables, places);
}

DescribeReply NamedVariables::described(int64_t member, const Named& variables) const {
  DescribeRequest request;
  request.set_session(session_);
  for (const auto& [name, variable] : variables) request.add_variables(number_of(name));
  DescribeReply reply;
  task(member).call(&Training::Stub::Describe, request, reply);
  return reply;
}

std::vector<int64_t> NamedVariables::holders_first(const Named& variables) const {
  std::vector<int64_t> members = order_;
  std::stable_partition(members.begin(), members.end(), [&](int64_t member) {
    const DescribeReply reply = described(member, variables);
    return std::ranges::any_of(reply.specs(), [](const Spec& s) { return !s.dtype().empty(); });
  });
  return members;
}

std::vector<std::optional<NamedVariables::Place>> NamedVariables::places_now(
    const Named& variables) {
  std::vector<std::optional<Place>> places(variables.size());
  for (const int64_t member : order_) {
    const DescribeReply reply = described(member, variables);
    for (int i = 0; i < reply.specs_size() && i < std::ssize(variables); ++i) {
      if (reply.specs(i).dtype().empty()) continue;
      const auto index = static_cast<size_t>(i);
      check_spec(variables[index].first, variables[index].second, decode(reply.specs(i)),
                 task(member).name());
      places[index] = Place{member, number_of(variables[index].first)};
    }
  }
  return places;
}

void NamedVariables::find(const Named& variables, double seconds) {
  // TensorFlow's worker looks every 30 seconds.
  constexpr double kLongestPause = 1;
  double pause = 0.02;
  const auto start = Clock::now();
  connect();
  for (bool is_first = true;; is_first = false) {
    const std::vector<std::optional<Place>> places = places_now(variables);
    std::vector<std::string> missing;
    for (size_t i = 0; i < places.size(); ++i) {
      if (!places[i]) missing.push_back(variables[i].first);
    }
    if (missing.empty()) {
      std::vector<Place> found;
      found.reserve(places.size());
      for (const auto& place : places) found.push_back(*place);
      return set_places(variables, found);
    }
    if (is_first) logging::info("Waiting for the chief to initialize the variables.");
    if (seconds_since(start) + pause > seconds) {
      throw DeadlineExceededError(
          "Session was not ready after waiting {} secs. The chief has not initialized the "
          "variables {}.",
          seconds, join(missing, ", "));
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(pause));
    pause = std::min(2 * pause, kLongestPause);
  }
}

std::optional<NamedVariables::Place> NamedVariables::place_of(const Variable& variable) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(variable.id());
  if (found == places_.end()) return std::nullopt;
  return found->second;
}

void NamedVariables::refresh(const Variable& variable) {
  const std::optional<Place> place = place_of(variable);
  if (!place) return;
  FetchRequest request;
  request.set_session(session_);
  request.set_incarnation(task(place->task).incarnation());
  request.add_variables(place->id);
  FetchReply reply;
  task(place->task).call(&Training::Stub::Fetch, request, reply);
  const Tensor value = split_bytes(reply.data(), {local_copy(variable).spec()})[0];
  std::memcpy(local_memory(variable), value.data(), value.bytes());
}

void NamedVariables::publish(const Variable& variable) {
  const std::optional<Place> place = place_of(variable);
  if (!place) return;
  StoreRequest request;
  request.set_session(session_);
  request.set_incarnation(task(place->task).incarnation());
  request.add_variables(place->id);
  encode(local_copy(variable), *request.add_values());
  StoreReply reply;
  task(place->task).call(&Training::Stub::Store, request, reply);
}

void NamedVariables::forget(uint64_t id) {
  const std::lock_guard lock(mutex_);
  places_.erase(id);
  colocated_.erase(id);
}

void NamedVariables::release() {
  const std::lock_guard lock(mutex_);
  places_.clear();
  programs_ = 0;
}

uint64_t NamedVariables::next_program() {
  const std::lock_guard lock(mutex_);
  return (static_cast<uint64_t>(members_.rank + 1) << 32) | programs_++;
}

}  // namespace antler::cluster
