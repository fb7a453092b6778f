#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace antler {

/// What a layer demands of one input (Keras's InputSpec).
struct InputSpec {
  std::optional<int> ndim = {};  ///< exact rank, batch included
  std::optional<int> max_ndim = {};
  std::optional<int> min_ndim = {};
  std::vector<std::pair<int, int64_t>> axes = {};  ///< axis (may be negative) -> size
};

}  // namespace antler
