#pragma once

#include <cstdint>
#include <vector>

#include "antler/core/shape.h"

namespace antler {

/// Which places of the input a place of the output sees, in a convolution whose weights are not
/// shared. All lists go by axis of space.
struct LocalGeometry {
  std::vector<int64_t> input;
  std::vector<int64_t> kernel;
  std::vector<int64_t> strides;
  bool same = false;  ///< padding "same", as Keras 2 has it: centred at place * stride

  std::vector<int64_t> output() const;
  /// [elements of the input, elements of the output], row-major: 1 where it sees it, else 0.
  std::vector<float> mask() const;
};

int64_t product_of(const std::vector<int64_t>& sizes);

/// The elements of the matrix [outputs x filters, inputs x channels] that are weights, by their
/// place in it, ascending; both sides flattened as the data format has them.
std::vector<int64_t> weight_places(const LocalGeometry& geometry, int64_t channels, int64_t filters,
                                   bool channels_first);

}  // namespace antler
