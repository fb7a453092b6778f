#pragma once

#include <nlohmann/json_fwd.hpp>

namespace antler {

/// Configurations, in the key order in which they were made (as Python dictionaries keep it). This
/// header only declares it; include <nlohmann/json.hpp> where values are used.
using Json = nlohmann::ordered_json;

}  // namespace antler
