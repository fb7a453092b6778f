#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace antler::pjrt {

/// What the devices of a program have of it.
enum class Sharing : uint8_t {
  replicas,    ///< each runs the whole module on its own arguments
  partitions,  ///< each runs its part of the module, which XLA's partitioner makes (SPMD)
};

/// A serialized xla.CompileOptionsProto (openxla/xla, xla/pjrt/proto/compile_options.proto).
/// `platform` is the name that the plug-in gives itself: "cpu", "cuda", "tpu".
std::string compile_options(std::span<const int64_t> device_ids, std::string_view platform,
                            Sharing sharing = Sharing::replicas);

}  // namespace antler::pjrt
