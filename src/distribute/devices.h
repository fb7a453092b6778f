#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace antler::distribute {

/// The number of devices. Throws ValueError if the list is empty, names a device twice, or names
/// anything but virtual CPU devices ("CPU:0", "/cpu:1").
int64_t distinct_devices(const char* strategy, const std::vector<std::string>& devices);

}  // namespace antler::distribute
