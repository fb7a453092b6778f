#pragma once

#include <string>
#include <vector>

namespace antler::runtime {

/// Model name of the CPU; empty if unknown.
std::string cpu_model();
/// Vector extensions of this CPU that matter to kernels.
std::vector<std::string> cpu_features();

}  // namespace antler::runtime
