#pragma once

#include <cstdint>
#include <vector>

#include "antler/core/shape.h"

namespace antler {

/// Which positions of the input affect a position of the output in a convolution with unshared
/// weights. Lists have one entry per spatial dimension.
struct LocalGeometry {
  std::vector<int64_t> input;
  std::vector<int64_t> kernel;
  std::vector<int64_t> strides;
  bool same = false;  ///< padding "same" of Keras 2: windows are centered at place * stride

  std::vector<int64_t> output() const;
  /// [elements of the input, elements of the output], row-major: 1 if the input affects the output,
  /// else 0.
  std::vector<float> mask() const;
};

int64_t product_of(const std::vector<int64_t>& sizes);

/// The positions, ascending, of the weights in the matrix [outputs x filters, inputs x channels].
/// The data format determines how both sides are flattened.
std::vector<int64_t> weight_places(const LocalGeometry& geometry, int64_t channels, int64_t filters,
                                   bool channels_first);

}  // namespace antler
