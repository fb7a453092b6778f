#include "antler/ops/communicator.h"

#include <mutex>
#include <utility>

namespace antler::ops {
namespace {

std::mutex g_mutex;
std::shared_ptr<Communicator> g_communicator;

}  // namespace

std::shared_ptr<Communicator> communicator() {
  const std::lock_guard lock(g_mutex);
  return g_communicator;
}

void set_communicator(std::shared_ptr<Communicator> group) {
  const std::lock_guard lock(g_mutex);
  g_communicator = std::move(group);
}

}  // namespace antler::ops
