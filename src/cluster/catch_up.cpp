#include "cluster/catch_up.h"

#include <algorithm>
#include <span>
#include <vector>

namespace antler::cluster {
namespace {

/// Bytes sent at a time. Each part may take the full timeout of a collective.
constexpr size_t kPart = size_t{4} << 20;

/// Broadcasts a string from one member to all.
void send(ops::Communicator& group, std::string& text, int64_t root) {
  uint64_t size = text.size();
  group.broadcast(std::as_writable_bytes(std::span(&size, 1)), root);
  text.resize(size);
  const auto bytes = std::as_writable_bytes(std::span(text));
  for (size_t at = 0; at < bytes.size(); at += kPart) {
    group.broadcast(bytes.subspan(at, std::min(kPart, bytes.size() - at)), root);
    // The root sends without waiting for the others.
    group.barrier();
  }
}

}  // namespace

CaughtUp catch_up(ops::Communicator& group, const Progress& own,
                  const std::function<std::string()>& last_result,
                  const std::function<std::string()>& state) {
  std::vector<Progress> all(static_cast<size_t>(group.size()));
  group.all_gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
  CaughtUp common{.all_admit = true, .missed = {}};
  int64_t first = 0;  // rank of the first that is farthest ahead
  for (size_t r = 0; r < all.size(); ++r) {
    if (all[r].events != Progress::kNoState && !all[r].admits) common.all_admit = false;
    if (all[r].events <= common.events) continue;
    common.events = all[r].events;
    first = static_cast<int64_t>(r);
  }
  if (common.events == Progress::kNoState) return common;
  const bool is_first = group.rank() == first;
  const auto any = [&](const auto& condition) {
    return std::any_of(all.begin(), all.end(), condition);
  };
  const auto has_no_state = [](const Progress& p) { return p.events == Progress::kNoState; };
  const auto lags = [&](const Progress& p) { return !has_no_state(p) && p.events < common.events; };
  if (any(lags)) {
    std::string result = is_first ? last_result() : "";
    send(group, result, first);
    if (lags(own)) common.missed = std::move(result);
  }
  if (any(has_no_state)) {
    std::string others = is_first ? state() : "";
    send(group, others, first);
    if (has_no_state(own)) common.missed = std::move(others);
  }
  group.barrier();
  return common;
}

}  // namespace antler::cluster
