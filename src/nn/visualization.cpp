#include "antler/nn/visualization.h"

#include <vector>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/layers/channels.h"

namespace antler::visualization {
namespace {

/// The color of each class, [classes, 3], with values in 0 .. 255.
Tensor color_table(int64_t classes, const SegmentationMaskOptions& o) {
  constexpr std::array<int64_t, 3> kSteps = {(1 << 25) - 1, (1 << 15) - 1, (1 << 21) - 1};
  std::vector<float> table;
  for (int64_t c = 0; c < classes; ++c) {
    if (!o.color_mapping.empty() && !o.color_mapping.contains(c)) {
      throw ValueError("draw_segmentation_masks: `color_mapping` has no color for class {}", c);
    }
    for (size_t i = 0; i < kSteps.size(); ++i) {
      table.push_back(o.color_mapping.empty() ? static_cast<float>(c * kSteps[i] % 255)
                                              : static_cast<float>(o.color_mapping.at(c)[i]));
    }
  }
  return Tensor::of(table, {classes, 3});
}

}  // namespace

Tensor draw_segmentation_masks(const Tensor& images, const Tensor& masks,
                               const SegmentationMaskOptions& o) {
  if (!is_integer(masks.dtype())) {
    throw TypeError("`segmentation_masks` must be in integer dtype. Received: dtype={}",
                    dtype_name(masks.dtype()));
  }
  const bool first = is_channels_first(o.data_format, "draw_segmentation_masks");
  const Tensor x =
      ops::cast(first && images.rank() == 4 ? channels_to_last(images) : images, DType::float32);
  Tensor classes = ops::cast(masks, DType::int32);
  if (classes.rank() == 4) classes = ops::squeeze(classes, first ? 1 : -1);
  const bool fits = x.rank() == 4 && x.dim(3) == 3 && classes.rank() == 3 &&
                    classes.dim(0) == x.dim(0) && classes.dim(1) == x.dim(1) &&
                    classes.dim(2) == x.dim(2);
  if (!fits) {
    throw ValueError(
        "draw_segmentation_masks: `images` must be a batch of images with three channels, and "
        "`segmentation_masks` must have one class per pixel. Received: images.shape={}, "
        "segmentation_masks.shape={}",
        images.shape(), masks.shape());
  }
  const int64_t count =
      o.num_classes ? *o.num_classes : static_cast<int64_t>(ops::max(classes).item());
  if (count < 1) return o.blend ? ops::cast(x, DType::uint8) : x;
  const Tensor drawn = ops::expand_dims(
      ops::logical_and(ops::greater_equal(classes, 0), ops::less(classes, count)), -1);
  const Tensor colors = ops::take(color_table(count, o), ops::clip(classes, 0, count - 1), 0);
  Tensor covered = ops::where(drawn, colors, x);
  if (!o.blend) return covered;
  const Tensor mixed = x * (1 - o.alpha) + covered * o.alpha;
  const Tensor shown = ops::expand_dims(ops::not_equal(classes, o.ignore_index), -1);
  return ops::cast(ops::where(shown, mixed, x), DType::uint8);
}

}  // namespace antler::visualization
