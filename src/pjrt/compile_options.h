#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace antler::pjrt {

/// A serialized xla.CompileOptionsProto (openxla/xla, xla/pjrt/proto/compile_options.proto) for one
/// replica per device. `platform` is the name that the plug-in gives itself: "cpu", "cuda", "tpu".
std::string compile_options(std::span<const int64_t> device_ids, std::string_view platform);

}  // namespace antler::pjrt
