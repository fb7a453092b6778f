#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace antler {

/// The requirements of a layer for one input (Keras's InputSpec).
struct InputSpec {
  std::optional<int> ndim = {};  ///< exact rank, batch included
  std::optional<int> max_ndim = {};
  std::optional<int> min_ndim = {};
  std::vector<std::pair<int, int64_t>> axes = {};  ///< axis (may be negative) -> size
};

}  // namespace antler
