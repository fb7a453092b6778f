#include "antler/ops/communicator.h"

#include <cstddef>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

namespace antler::ops {
namespace {

std::mutex g_mutex;
std::shared_ptr<Communicator> g_communicator;

}  // namespace

void Communicator::all_reduce_arrays(std::span<const Array> arrays, DType dtype, ReduceOp op) {
  const size_t width = dtype_size(dtype);
  if (arrays.size() == 1) {
    const auto& [input, output, count] = arrays[0];
    if (output != input) std::memcpy(output, input, count * width);
    return all_reduce(output, count, dtype, op);
  }
  size_t count = 0;
  for (const Array& array : arrays) count += array.count;
  // Kept from step to step: programs reduce the same arrays again and again.
  thread_local std::vector<std::byte> message;
  if (message.size() < count * width) message.resize(count * width);
  std::byte* at = message.data();
  for (const Array& array : arrays) {
    std::memcpy(at, array.input, array.count * width);
    at += array.count * width;
  }
  all_reduce(message.data(), count, dtype, op);
  at = message.data();
  for (const Array& array : arrays) {
    std::memcpy(array.output, at, array.count * width);
    at += array.count * width;
  }
}

std::shared_ptr<Communicator> communicator() {
  const std::lock_guard lock(g_mutex);
  return g_communicator;
}

void set_communicator(std::shared_ptr<Communicator> group) {
  const std::lock_guard lock(g_mutex);
  g_communicator = std::move(group);
}

}  // namespace antler::ops
