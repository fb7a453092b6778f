#include "cluster/members.h"

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <unordered_set>

#include "antler/base/error.h"
#include "base/digest.h"
#include "base/strings.h"

namespace antler::cluster {
namespace {

void check_address(const std::string& address) {
  const size_t colon = address.rfind(':');
  uint16_t port = 0;
  const char* end = address.data() + address.size();
  if (colon != std::string::npos && colon > 0) {
    const auto [rest, error] = std::from_chars(address.data() + colon + 1, end, port);
    if (error == std::errc() && rest == end && port > 0) return;
  }
  throw ValueError("An address must be host:port. Received: {}", address);
}

std::string token_of(const std::optional<std::string>& given) {
  if (given) return *given;
  const char* token = std::getenv("ANTLER_CLUSTER_TOKEN");
  return token == nullptr ? "" : token;
}

void check_addresses(const std::vector<std::string>& addresses) {
  std::unordered_set<std::string_view> seen;
  for (const std::string& address : addresses) {
    check_address(address);
    if (!seen.insert(address).second)
      throw ValueError("Each process needs its own address. Received twice: {}", address);
  }
}

void add_digests(Members& members, const std::optional<std::string>& token) {
  members.digest = sha256(format("antler cluster 1\n{}", join(members.addresses, "\n")));
  members.proof = sha256(format("{}\n{}", members.digest, token_of(token)));
}

}  // namespace

std::string Members::name(int64_t member) const {
  if (member < 0) return "the coordinator";
  const auto index = static_cast<size_t>(member);
  if (!names.empty()) return format("{} ({})", names[index], addresses[index]);
  return format("worker {} ({})", member, addresses[index]);
}

std::string Members::host() const {
  const std::string& address = addresses[static_cast<size_t>(rank)];
  std::string host = address.substr(0, address.rfind(':'));
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  return host;
}

Members make_members(const GlooOptions& options) {
  if (options.addresses.empty()) throw ValueError("`addresses` must not be empty.");
  Members members{.rank = options.rank,
                  .addresses = options.addresses,
                  .names = {},
                  .digest = {},
                  .proof = {},
                  .tls = options.tls};
  if (options.rank < 0 || options.rank >= members.size()) {
    throw ValueError("`rank` must be the index of one of the {} addresses. Received: rank={}",
                     members.size(), options.rank);
  }
  check_addresses(options.addresses);
  if (!(options.timeout > 0))
    throw ValueError("`timeout` must be positive. Received: timeout={}", options.timeout);
  const HealthOptions& health = options.health;
  if (!(health.interval >= 0) || !(health.timeout > 0) || health.retries < 1) {
    throw ValueError(
        "`health` needs interval >= 0, timeout > 0 and retries >= 1. Received: interval={}, "
        "timeout={}, retries={}",
        health.interval, health.timeout, health.retries);
  }
  add_digests(members, options.token);
  return members;
}

Members make_members(const distribute::ClusterSpec& cluster, const TaskOptions& options) {
  Members members{
      .rank = -1, .addresses = {}, .names = {}, .digest = {}, .proof = {}, .tls = options.tls};
  if (!options.job.empty()) cluster.task_address(options.job, options.index);
  for (const std::string& job : cluster.jobs()) {
    for (const int64_t index : cluster.task_indices(job)) {
      if (job == options.job && index == options.index) members.rank = members.size();
      members.addresses.push_back(cluster.task_address(job, index));
      members.names.push_back(format("{} {}", job, index));
    }
  }
  check_addresses(members.addresses);
  add_digests(members, options.token);
  return members;
}

}  // namespace antler::cluster
