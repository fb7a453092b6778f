#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "antler/core/tensor.h"

/// keras.visualization: pictures of the inputs of models.
namespace antler::visualization {

/// Options of draw_segmentation_masks().
struct SegmentationMaskOptions {
  std::optional<int64_t> num_classes = {};  ///< not given: the largest class, which is not drawn
  /// Red, green and blue of each class from 0; empty: colours that go from black by fixed steps.
  std::map<int64_t, std::array<double, 3>> color_mapping = {};
  double alpha = 0.8;         ///< how much the colour covers
  bool blend = true;          ///< false: colours alone, float32, and no class is ignored
  int64_t ignore_index = -1;  ///< a class that is not drawn
  std::string data_format = "channels_last";  ///< "channels_last" or "channels_first"
};
/// Images [n, height, width, 3] of 0 .. 255 with each pixel in the colour of its class, an integer
/// of `masks` [n, height, width, 1] or [n, height, width]; uint8, channels last. Classes that are
/// negative or not below `num_classes` show the image. Throws ValueError for other shapes and a
/// class without a colour, TypeError for classes that are no integers.
Tensor draw_segmentation_masks(const Tensor& images, const Tensor& masks,
                               const SegmentationMaskOptions& options = {});

}  // namespace antler::visualization
