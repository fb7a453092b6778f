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

/// The options in the environment variable ANTLER_PJRT_OPTIONS, "name=value,name=value". The
/// plug-in documents their names, for example `preallocate=false,memory_fraction=0.5` for GPUs.
/// Values are true, false, integers, numbers with a decimal point, or strings. Throws ValueError if
/// the text has another form.
ClientOptions client_options_from_env();

}  // namespace antler::pjrt
