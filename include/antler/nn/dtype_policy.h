#pragma once

#include <string>

#include "antler/core/dtype.h"

namespace antler {

/// Which dtype a layer computes in and which its weights have.
struct DTypePolicy {
  std::string name = "float32";
  DType compute = DType::float32;
  DType variable = DType::float32;

  /// "mixed_float16", "mixed_bfloat16" or a dtype name. Throws ValueError.
  static DTypePolicy parse(const std::string& name);
};

namespace mixed_precision {
/// Policy of layers that are not given one; starts as "float32".
void set_global_policy(const std::string& name);
DTypePolicy global_policy();
}  // namespace mixed_precision

}  // namespace antler
