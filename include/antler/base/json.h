#pragma once

#include <nlohmann/json_fwd.hpp>

namespace antler {

/// The type of configurations. Keys keep the order in which they were inserted, as in Python's
/// dictionaries. The type is only declared here; include <nlohmann/json.hpp> to use values.
using Json = nlohmann::ordered_json;

}  // namespace antler
