#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace antler::distribute {

/// The number of devices. Throws ValueError for a list that is empty or names a device twice, and
/// for what is not a virtual CPU device ("CPU:0", "/cpu:1").
int64_t distinct_devices(const char* strategy, const std::vector<std::string>& devices);

}  // namespace antler::distribute
