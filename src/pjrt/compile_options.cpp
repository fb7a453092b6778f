#include "pjrt/compile_options.h"

#include <cstddef>
#include <vector>

namespace antler::pjrt {
namespace {

// The message is small and fixed, so the core does not need protobuf for it.

std::string varint(uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>((number & 0x7F) | 0x80);
  return bytes + static_cast<char>(number);
}

std::string number_field(int field, int64_t number) {
  return varint(static_cast<uint64_t>(field) << 3) + varint(static_cast<uint64_t>(number));
}

std::string message_field(int field, const std::string& bytes) {
  return varint(static_cast<uint64_t>(field) << 3 | 2) + varint(bytes.size()) + bytes;
}

/// An entry of env_option_overrides that sets the option to false.
std::string turned_off(const std::string& option) {
  const std::string value = number_field(2, 0);  // bool_field
  return message_field(7, message_field(1, option) + message_field(2, value));
}

/// XLA's backends for CPUs and GPUs drop NaN operands of maximum and minimum unless told not to.
/// Other platforms do not know these options.
std::string options_of(std::string_view platform) {
  if (platform == "cpu") return turned_off("xla_cpu_enable_fast_min_max");
  if (platform == "cuda" || platform == "rocm" || platform == "gpu")
    return turned_off("xla_gpu_enable_fast_min_max");
  return {};
}

}  // namespace

std::string compile_options(std::span<const int64_t> device_ids, std::string_view platform,
                            Sharing sharing) {
  const bool divides = sharing == Sharing::partitions;
  const auto count = static_cast<int64_t>(device_ids.size());
  const int64_t replicas = divides ? 1 : count;
  const int64_t partitions = divides ? count : 1;
  // replica_device_ids of each computation
  std::vector<std::string> ids(static_cast<size_t>(partitions));
  for (size_t i = 0; i < device_ids.size(); ++i)
    ids[divides ? i : 0] += varint(static_cast<uint64_t>(device_ids[i]));
  std::string assignment = number_field(1, replicas) +   // replica_count
                           number_field(2, partitions);  // computation_count
  for (const std::string& list : ids) assignment += message_field(3, message_field(1, list));
  std::string build = number_field(4, replicas) +    // num_replicas
                      number_field(5, partitions) +  // num_partitions
                      message_field(9, assignment);
  if (divides) {
    build += number_field(6, 1) +  // use_spmd_partitioning
             number_field(19, 1);  // use_shardy_partitioner
  }
  return message_field(3, build) + options_of(platform);
}

}  // namespace antler::pjrt
