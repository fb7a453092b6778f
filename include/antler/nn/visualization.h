#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "antler/core/keyword.h"
#include "antler/core/tensor.h"

/// keras.visualization: pictures of the inputs of models.
namespace antler::visualization {

/// Options of draw_segmentation_masks().
struct SegmentationMaskOptions {
  std::optional<int64_t> num_classes = {};  ///< not given: the largest class, which is not drawn
  /// Red, green and blue of each class; empty: default colors, starting with black for class 0.
  std::map<int64_t, std::array<double, 3>> color_mapping = {};
  double alpha = 0.8;         ///< opacity of the colors
  bool blend = true;          ///< false: only the colors, as float32; no class is ignored
  int64_t ignore_index = -1;  ///< a class that is not drawn
  std::string data_format = "channels_last";  ///< "channels_last" or "channels_first"
};
/// Colors each pixel of images [n, height, width, 3] in 0 .. 255 by its class, an integer of
/// `masks` [n, height, width, 1] or [n, height, width]. Returns uint8, channels last. Pixels whose
/// class is negative or not below `num_classes` are unchanged. Throws ValueError for other shapes
/// and for a class without a color, TypeError for classes that are not integers.

Tensor draw_segmentation_masks(const Tensor& images, const Tensor& masks,
                               const SegmentationMaskOptions& options = {});
ANTLER_KEYWORD_FUNCTION(draw_segmentation_masks, SegmentationMaskOptions, const Tensor&,
                        const Tensor&)

}  // namespace antler::visualization
