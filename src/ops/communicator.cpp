#include "antler/ops/communicator.h"

#include <cstddef>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "ops/started_reductions.h"

namespace antler::ops {
namespace {

std::mutex g_mutex;
std::shared_ptr<Communicator> g_communicator;

}  // namespace

Communicator::Communicator() = default;
Communicator::~Communicator() = default;

void Communicator::all_reduce_arrays(std::span<const Array> arrays, DType dtype, ReduceOp op) {
  const size_t width = dtype_size(dtype);
  if (arrays.size() == 1) {
    const auto& [input, output, count] = arrays[0];
    if (output != input) std::memcpy(output, input, count * width);
    return all_reduce(output, count, dtype, op);
  }
  // Kept between steps: programs reduce the same arrays again and again.
  thread_local std::vector<std::byte> storage;
  const std::span<std::byte> message = pack_arrays(arrays, width, storage);
  all_reduce(message.data(), message.size() / width, dtype, op);
  unpack_arrays(message, arrays, width);
}

uint64_t Communicator::start_all_reduce(std::span<const Array> arrays, DType dtype, ReduceOp op) {
  if (started_ == nullptr) {
    started_ = std::make_unique<StartedReductions>(
        StartedReductions::When::at_once,
        [this](void* data, size_t count, DType type, ReduceOp how) {
          all_reduce(data, count, type, how);
        });
  }
  return started_->start(arrays, dtype, op);
}

void Communicator::finish_all_reduce(uint64_t number, std::span<const Array> arrays) {
  if (started_ == nullptr) throw InternalError("No all-reduce has been started.");
  started_->finish(number, arrays);
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
