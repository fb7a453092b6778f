#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace antler::pjrt {

/// How the devices of a program share it.
enum class Sharing : uint8_t {
  replicas,    ///< each runs the whole module on its own arguments
  partitions,  ///< each runs the part of the module that XLA's partitioner makes for it (SPMD)
};

/// A serialized xla.CompileOptionsProto (openxla/xla, xla/pjrt/proto/compile_options.proto).
/// `platform` is the platform name that the plug-in reports: "cpu", "cuda", "tpu".
std::string compile_options(std::span<const int64_t> device_ids, std::string_view platform,
                            Sharing sharing = Sharing::replicas);

}  // namespace antler::pjrt
