#pragma once

#include <deque>
#include <string>
#include <vector>

#include "pjrt/c_api.h"

namespace antler::pjrt {

/// Options for opening a plug-in's devices, with the strings that they refer to.
struct ClientOptions {
  std::deque<std::string> strings;
  std::vector<c_api::NamedValue> values;
};

/// The environment variable ANTLER_PJRT_OPTIONS: "name=value,name=value" with what the plug-in
/// documents, as `preallocate=false,memory_fraction=0.5` for GPUs. Values are true, false, whole
/// numbers, numbers with a point, or strings. Throws ValueError for another form.
ClientOptions client_options_from_env();

}  // namespace antler::pjrt
