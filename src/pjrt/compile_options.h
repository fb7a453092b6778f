#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace antler::pjrt {

/// A serialized xla.CompileOptionsProto (openxla/xla, xla/pjrt/proto/compile_options.proto) for one
/// replica per device.
std::string compile_options(std::span<const int64_t> device_ids);

}  // namespace antler::pjrt
