#pragma once

#include <string>
#include <vector>

namespace antler::runtime {

/// Model name of the CPU; empty where the system does not tell.
std::string cpu_model();
/// Names of the vector extensions that this CPU has, of those that kernels may care for.
std::vector<std::string> cpu_features();

}  // namespace antler::runtime
