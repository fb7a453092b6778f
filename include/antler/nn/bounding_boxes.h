#pragma once

#include <optional>
#include <string>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/nest.h"

/// Rectangles in images (keras.utils.bounding_boxes). Boxes are [..., 4]. Formats, in pixels:
///
///     "xyxy"         left, top, right, bottom
///     "yxyx"         top, left, bottom, right
///     "xywh"         left, top, width, height
///     "center_xywh"  the center, width, height
///     "center_yxhw"  the center, y first, height, width
///
/// and in fractions of the image size: "rel_xyxy", "rel_yxyx", "rel_xywh", "rel_center_xywh". Upper
/// case is accepted. Heights and widths are numbers, or tensors that broadcast with [..., 1].
namespace antler::bounding_boxes {

/// Converts boxes to another format, float32. Relative formats need the size of the image. Throws
/// ValueError if it is missing, for unknown formats, and unless the last dimension is 4.
Tensor convert_format(const Tensor& boxes, const std::string& source, const std::string& target,
                      const Tensor& height = {}, const Tensor& width = {});
/// The same for a dictionary with the key "boxes"; other entries are unchanged.
Nest convert_format(const Nest& boxes, const std::string& source, const std::string& target,
                    const Tensor& height = {}, const Tensor& width = {});

/// {"boxes", "labels"} with boxes clipped to the image; empty boxes get the label -1. Takes "xyxy",
/// which needs the size of the image (ValueError), and "rel_xyxy"; other formats throw
/// NotImplementedError.
Nest clip_to_image_size(const Nest& boxes, const Tensor& height = {}, const Tensor& width = {},
                        const std::string& bounding_box_format = "xyxy");

/// Parameters of affine_transform(), each [batch]: the angle in degrees, translations in fractions
/// of the image size, a scale factor, and shears in degrees.
struct AffineTransform {
  Tensor angle, translate_x, translate_y, scale, shear_x, shear_y;
  double center_x = 0.5;  ///< as a fraction of the width
  double center_y = 0.5;
};
/// "xyxy" boxes [batch, n, 4] after the transform: the bounds of their moved corners, not clipped.
Tensor affine_transform(const Tensor& boxes, const AffineTransform& transform, const Tensor& height,
                        const Tensor& width);

/// "xyxy" boxes relative to the crop at (top, left), clipped to it.
Tensor crop(const Tensor& boxes, const Tensor& top, const Tensor& left, const Tensor& height,
            const Tensor& width);
/// "xyxy" boxes after padding at the top and left of the image.
Tensor pad(const Tensor& boxes, const Tensor& top, const Tensor& left);

/// Options of encode_box_to_deltas and decode_deltas_to_boxes.
struct DeltaOptions {
  std::string anchor_format;                    ///< of the anchors; required
  std::string box_format;                       ///< of the boxes; required
  std::string encoding_format = "center_yxhw";  ///< or "center_xywh"
  std::vector<double> variance = {};            ///< empty or four numbers
  std::optional<Shape> image_shape = {};        ///< {height, width, channels}
};
/// Boxes [n, 4] or [batch, n, 4] relative to anchors [n, 4]: the offset of the center in units of
/// the anchor's size, and the logarithm of the size ratio, divided by the variance.
Tensor encode_box_to_deltas(const Tensor& anchors, const Tensor& boxes,
                            const DeltaOptions& options);
/// The reverse.
Tensor decode_deltas_to_boxes(const Tensor& anchors, const Tensor& deltas,
                              const DeltaOptions& options);
ANTLER_KEYWORD_FUNCTION(encode_box_to_deltas, DeltaOptions, const Tensor&, const Tensor&)
ANTLER_KEYWORD_FUNCTION(decode_deltas_to_boxes, DeltaOptions, const Tensor&, const Tensor&)

/// Options of compute_iou.
struct IouOptions {
  bool use_masking = false;  ///< pairs get mask_val if all numbers of a box are negative
  double mask_val = -1;      ///< the result for masked pairs
  std::optional<Shape> image_shape = {};  ///< {height, width, channels}, for relative formats
};
/// Intersection over union of all pairs: [n, 4] and [m, 4] give [n, m]. Either may have a leading
/// batch dimension.
Tensor compute_iou(const Tensor& boxes1, const Tensor& boxes2,
                   const std::string& bounding_box_format, const IouOptions& options = {});
ANTLER_KEYWORD_FUNCTION(compute_iou, IouOptions, const Tensor&, const Tensor&, const std::string&)
/// Complete intersection over union of corresponding boxes (Zheng et al. 2020), [...]. The format
/// must be in pixels.
Tensor compute_ciou(const Tensor& boxes1, const Tensor& boxes2,
                    const std::string& bounding_box_format);

}  // namespace antler::bounding_boxes
