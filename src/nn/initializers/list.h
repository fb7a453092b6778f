#pragma once

#include <string>

#include "antler/nn/initializer.h"

namespace antler {

/// One initializer that can be made from its configuration.
struct InitializerEntry {
  const char* class_name;
  /// Throws ValueError for keys that it does not have.
  Initializer (*from_config)(const Json& config);
};

// The factories of the list in list.cpp, each next to its class.
Initializer zeros_from_config(const Json& config);
Initializer ones_from_config(const Json& config);
Initializer constant_from_config(const Json& config);
Initializer identity_from_config(const Json& config);
Initializer random_normal_from_config(const Json& config);
Initializer truncated_normal_from_config(const Json& config);
Initializer random_uniform_from_config(const Json& config);
Initializer variance_scaling_from_config(const Json& config);
Initializer glorot_normal_from_config(const Json& config);
Initializer glorot_uniform_from_config(const Json& config);
Initializer he_normal_from_config(const Json& config);
Initializer he_uniform_from_config(const Json& config);
Initializer lecun_normal_from_config(const Json& config);
Initializer lecun_uniform_from_config(const Json& config);
Initializer orthogonal_from_config(const Json& config);
Initializer stft_from_config(const Json& config);

/// An initializer from its class name and configuration. Throws ValueError for an unknown class.
Initializer initializer_from_config(const std::string& class_name, const Json& config);

}  // namespace antler
