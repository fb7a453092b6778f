#include "antler/distribute/cluster_spec.h"

#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "base/did_you_mean.h"

namespace antler::distribute {
namespace {

/// Whether the indices are 0, 1, 2 and so on. False if there are no tasks, as in TensorFlow.
bool dense(const ClusterSpec::Tasks& tasks) {
  return !tasks.empty() && tasks.rbegin()->first == static_cast<int64_t>(tasks.size()) - 1;
}

int64_t parse_index(const std::string& text, std::string_view where, const std::string& job) {
  int64_t index = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, index);
  if (read.ec != std::errc() || read.ptr != end) {
    throw ValueError("{}.{}: the index of a task must be an integer. Received: '{}'.", where, job,
                     text);
  }
  return index;
}

std::string parse_address(const Json& address, std::string_view where, const std::string& job,
                          int64_t index) {
  if (address.is_string()) return address.get<std::string>();
  throw TypeError("{}.{}[{}] must be a string like \"HOST:PORT\". Received: {}.", where, job, index,
                  address.type_name());
}

}  // namespace

ClusterSpec::ClusterSpec(
    std::initializer_list<std::pair<const std::string, std::vector<std::string>>> jobs)
    : ClusterSpec(std::map<std::string, std::vector<std::string>>(jobs)) {}

ClusterSpec::ClusterSpec(const std::map<std::string, std::vector<std::string>>& jobs) {
  for (const auto& [job, addresses] : jobs) {
    Tasks& tasks = jobs_[job];
    for (const std::string& address : addresses) {
      tasks.emplace(static_cast<int64_t>(tasks.size()), address);
    }
  }
}

ClusterSpec ClusterSpec::sparse(std::map<std::string, Tasks> jobs) {
  for (const auto& [job, tasks] : jobs) {
    if (!tasks.empty() && tasks.begin()->first < 0) {
      throw ValueError("The index of a task of job '{}' must not be negative. Received: {}.", job,
                       tasks.begin()->first);
    }
  }
  ClusterSpec spec;
  spec.jobs_ = std::move(jobs);
  return spec;
}

ClusterSpec ClusterSpec::from_dict(const Json& dict, std::string_view where) {
  if (!dict.is_object()) {
    throw TypeError("{} must be an object from job names to lists of addresses. Received: {}.",
                    where, dict.type_name());
  }
  std::map<std::string, Tasks> jobs;
  for (const auto& [job, addresses] : dict.items()) {
    Tasks& tasks = jobs[job];
    if (addresses.is_array()) {
      for (size_t i = 0; i < addresses.size(); ++i) {
        const auto index = static_cast<int64_t>(i);
        tasks.emplace(index, parse_address(addresses[i], where, job, index));
      }
    } else if (addresses.is_object()) {
      for (const auto& [text, address] : addresses.items()) {
        const int64_t index = parse_index(text, where, job);
        if (!tasks.emplace(index, parse_address(address, where, job, index)).second) {
          throw ValueError("{}.{}: two tasks have the index {}.", where, job, index);
        }
      }
    } else {
      throw TypeError(
          "{}.{} must be a list of addresses, or an object from indices to addresses. Received: "
          "{}.",
          where, job, addresses.type_name());
    }
  }
  return sparse(std::move(jobs));
}

Json ClusterSpec::as_dict() const {
  Json dict = Json::object();
  for (const auto& [job, tasks] : jobs_) {
    Json& addresses = dict[job] = dense(tasks) ? Json::array() : Json::object();
    for (const auto& [index, address] : tasks) {
      if (addresses.is_array()) {
        addresses.push_back(address);
      } else {
        addresses[format("{}", index)] = address;
      }
    }
  }
  return dict;
}

std::vector<std::string> ClusterSpec::jobs() const {
  std::vector<std::string> names;
  names.reserve(jobs_.size());
  for (const auto& [job, tasks] : jobs_) names.push_back(job);
  return names;
}

const ClusterSpec::Tasks& ClusterSpec::tasks(const std::string& job) const {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) {
    throw ValueError("No such job in cluster: '{}'.{}", job, suggest_names(job, "jobs", jobs()));
  }
  return found->second;
}

int64_t ClusterSpec::num_tasks(const std::string& job) const {
  return static_cast<int64_t>(tasks(job).size());
}

std::vector<int64_t> ClusterSpec::task_indices(const std::string& job) const {
  std::vector<int64_t> indices;
  for (const auto& [index, address] : tasks(job)) indices.push_back(index);
  return indices;
}

const std::string& ClusterSpec::task_address(const std::string& job, int64_t index) const {
  const Tasks& all = tasks(job);
  const auto found = all.find(index);
  if (found == all.end()) {
    throw ValueError("No task with index {} in job '{}', which has {} tasks.", index, job,
                     all.size());
  }
  return found->second;
}

std::vector<std::string> ClusterSpec::job_tasks(const std::string& job) const {
  constexpr size_t kMaxEntriesPerTask = 1024;
  const Tasks& all = tasks(job);
  if (all.empty()) return {};
  const auto last = static_cast<size_t>(all.rbegin()->first);
  if (last / kMaxEntriesPerTask >= all.size()) {
    throw ValueError("Job '{}' has {} tasks, too few for a list up to the index {}.", job,
                     all.size(), last);
  }
  std::vector<std::string> addresses(last + 1);
  for (const auto& [index, address] : all) addresses[static_cast<size_t>(index)] = address;
  return addresses;
}

}  // namespace antler::distribute
