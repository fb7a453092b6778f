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

std::string token_of(const GlooOptions& options) {
  if (options.token) return *options.token;
  const char* token = std::getenv("ANTLER_CLUSTER_TOKEN");
  return token == nullptr ? "" : token;
}

}  // namespace

std::string Members::name(int64_t member) const {
  return format("worker {} ({})", member, addresses[static_cast<size_t>(member)]);
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
                  .digest = {},
                  .proof = {},
                  .tls = options.tls};
  if (options.rank < 0 || options.rank >= members.size()) {
    throw ValueError("`rank` must be the index of one of the {} addresses. Received: rank={}",
                     members.size(), options.rank);
  }
  std::unordered_set<std::string_view> seen;
  for (const std::string& address : options.addresses) {
    check_address(address);
    if (!seen.insert(address).second)
      throw ValueError("Each process needs an address of its own. Received twice: {}", address);
  }
  if (!(options.timeout > 0))
    throw ValueError("`timeout` must be positive. Received: timeout={}", options.timeout);
  const HealthOptions& health = options.health;
  if (!(health.interval >= 0) || !(health.timeout > 0) || health.retries < 1) {
    throw ValueError(
        "`health` needs interval >= 0, timeout > 0 and retries >= 1. Received: interval={}, "
        "timeout={}, retries={}",
        health.interval, health.timeout, health.retries);
  }
  members.digest = sha256(format("antler cluster 1\n{}", join(options.addresses, "\n")));
  members.proof = sha256(format("{}\n{}", members.digest, token_of(options)));
  return members;
}

}  // namespace antler::cluster
