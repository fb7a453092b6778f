#include "pjrt/compile_options.h"

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

/// An entry of env_option_overrides: the option becomes false.
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

std::string compile_options(std::span<const int64_t> device_ids, std::string_view platform) {
  const auto replicas = static_cast<int64_t>(device_ids.size());
  std::string ids;
  for (const int64_t id : device_ids) ids += varint(static_cast<uint64_t>(id));
  const std::string assignment = number_field(1, replicas) +  // replica_count
                                 number_field(2, 1) +         // computation_count
                                 message_field(3, message_field(1, ids));
  return message_field(3, number_field(4, replicas) +  // num_replicas
                              number_field(5, 1) +     // num_partitions
                              message_field(9, assignment)) +
         options_of(platform);
}

}  // namespace antler::pjrt
