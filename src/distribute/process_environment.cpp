#include "distribute/process_environment.h"

#include <charconv>
#include <cstdlib>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "antler/base/error.h"

namespace antler::distribute {

std::optional<int64_t> environment_integer(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return {};
  const std::string_view text = value;
  const char* end = text.data() + text.size();
  int64_t number = 0;
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number < 0) {
    throw RuntimeError("The environment variable {} must be a number. Received: '{}'.", name, text);
  }
  return number;
}

int64_t required_integer(const char* name) {
  if (const auto number = environment_integer(name)) return *number;
  throw RuntimeError("The environment variable {} is not set.", name);
}

std::string required_string(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) throw RuntimeError("The environment variable {} is not set.", name);
  return value;
}

std::vector<std::string> rank_addresses(const std::vector<std::string>& hosts, int64_t port_base) {
  constexpr int64_t kMaxPort = 65535;
  std::map<std::string_view, int64_t> used;
  std::vector<std::string> addresses;
  addresses.reserve(hosts.size());
  for (const std::string& host : hosts) {
    const int64_t offset = used[host]++;
    if (port_base < 1 || port_base > kMaxPort - offset) {
      throw ValueError("port_base={} leaves no port for process {} of host '{}'.", port_base,
                       offset, host);
    }
    addresses.push_back(format("{}:{}", host, port_base + offset));
  }
  return addresses;
}

RankedCluster assign_ranks(JobSizes jobs, const std::vector<std::string>& addresses, int64_t rank,
                           const std::string& rpc_layer) {
  const auto ranks = static_cast<int64_t>(addresses.size());
  if (jobs.empty()) jobs = {{"worker", ranks}};
  RankedCluster result;
  result.task.rpc_layer = rpc_layer;
  std::map<std::string, std::vector<std::string>> cluster;
  int64_t next = 0;
  for (const auto& [job, size] : jobs) {
    if (size < 0 || size > ranks - next) {
      throw RuntimeError("Job '{}' needs {} tasks, but of the {} processes only {} are left.", job,
                         size, ranks, ranks - next);
    }
    if (!cluster
             .emplace(job, std::vector<std::string>(addresses.begin() + next,
                                                    addresses.begin() + next + size))
             .second) {
      throw ValueError("The job '{}' is given twice.", job);
    }
    if (rank >= next && rank < next + size) {
      result.task.task_type = job;
      result.task.task_id = rank - next;
    }
    next += size;
  }
  if (next != ranks) {
    throw RuntimeError("The jobs have {} tasks, but {} processes were started.", next, ranks);
  }
  if (rank >= ranks) {
    throw RuntimeError("This process has the rank {}, but there are {} processes.", rank, ranks);
  }
  result.cluster_spec = ClusterSpec(cluster);
  return result;
}

}  // namespace antler::distribute
