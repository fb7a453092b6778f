#include "antler/nn/bounding_boxes.h"

#include <algorithm>
#include <array>
#include <numbers>
#include <string_view>
#include <utility>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "base/strings.h"

namespace antler::bounding_boxes {
namespace {

constexpr double kEpsilon = 1e-7;

constexpr std::array<std::string_view, 9> kFormats = {
    "xyxy",     "yxyx",     "xywh",     "center_xywh",    "center_yxhw",
    "rel_xyxy", "rel_yxyx", "rel_xywh", "rel_center_xywh"};

/// The four numbers of each box, each of shape [..., 1].
struct Corners {
  Tensor x1, y1, x2, y2;
};

Tensor column(const Tensor& boxes, int64_t index) {
  return ops::slice_axis(boxes, -1, index, index + 1);
}

Corners corners_of(const Tensor& boxes) {
  return {column(boxes, 0), column(boxes, 1), column(boxes, 2), column(boxes, 3)};
}

Tensor joined(const Corners& c) { return ops::concatenate({c.x1, c.y1, c.x2, c.y2}, -1); }

/// Corners of boxes in a format without "rel_".
Corners to_corners(const Tensor& boxes, const std::string& format) {
  const auto [a, b, c, d] = corners_of(boxes);
  if (format == "yxyx") return {b, a, d, c};
  if (format == "xywh") return {a, b, a + c, b + d};
  if (format == "center_xywh") {
    return {a - c / 2.0, b - d / 2.0, a + c / 2.0, b + d / 2.0};
  }
  if (format == "center_yxhw") {
    return {b - d / 2.0, a - c / 2.0, b + d / 2.0, a + c / 2.0};
  }
  return {a, b, c, d};
}

Tensor from_corners(const Corners& c, const std::string& format) {
  if (format == "xyxy") return joined(c);
  if (format == "yxyx") return joined({c.y1, c.x1, c.y2, c.x2});
  const Tensor width = c.x2 - c.x1;
  const Tensor height = c.y2 - c.y1;
  if (format == "xywh") return joined({c.x1, c.y1, width, height});
  const Tensor x = c.x1 + width / 2.0;
  const Tensor y = c.y1 + height / 2.0;
  return format == "center_xywh" ? joined({x, y, width, height}) : joined({y, x, height, width});
}

bool take_relative(std::string& format) {
  if (!format.starts_with("rel_")) return false;
  format = format.substr(4);
  return true;
}

Tensor number(const Tensor& x) { return ops::cast(x, DType::float32); }

/// {"boxes": ..., "labels": ...} with one value replaced.
Nest with_member(const Nest& nest, const std::string& key, const Tensor& value) {
  Nest::Items items = nest.items();
  for (auto& [name, item] : items) {
    if (name == key) item = value;
  }
  return Nest::dict(std::move(items));
}

std::pair<Tensor, Tensor> size_of(const std::optional<Shape>& image_shape) {
  if (!image_shape) return {};
  if (image_shape->rank() != 3) {
    throw ValueError("`image_shape` must be (height, width, channels). Received: {}",
                     image_shape->str());
  }
  return {Tensor(static_cast<double>((*image_shape)[0])),
          Tensor(static_cast<double>((*image_shape)[1]))};
}

void check_deltas(const DeltaOptions& o) {
  if (!o.variance.empty() && o.variance.size() != 4) {
    throw ValueError("`variance` must be length 4, got {}", o.variance.size());
  }
  const std::string encoding = to_lower(o.encoding_format);
  if (encoding != "center_xywh" && encoding != "center_yxhw") {
    throw ValueError("`encoding_format` should be one of 'center_xywh' or 'center_yxhw', got {}",
                     o.encoding_format);
  }
}

Tensor variance_of(const DeltaOptions& o) {
  std::vector<float> values(o.variance.begin(), o.variance.end());
  return Tensor::of(values, {4});
}

/// The length that two intervals have in common.
Tensor overlap(const Tensor& low1, const Tensor& high1, const Tensor& low2, const Tensor& high2) {
  return ops::maximum(ops::minimum(high1, high2) - ops::maximum(low1, low2), 0.0);
}

/// The area that boxes have in common.
Tensor common_area(const Corners& p, const Corners& q) {
  return overlap(p.x1, p.x2, q.x1, q.x2) * overlap(p.y1, p.y2, q.y1, q.y2);
}

Tensor first_two(const Tensor& x) { return ops::slice_axis(x, -1, 0, 2); }
Tensor last_two(const Tensor& x) { return ops::slice_axis(x, -1, 2, 4); }

}  // namespace

Tensor convert_format(const Tensor& boxes, const std::string& source, const std::string& target,
                      const Tensor& height, const Tensor& width) {
  if (boxes.rank() == 0 || boxes.shape().back() != 4) {
    throw ValueError(
        "`boxes` must be a tensor with the last dimension of 4. Received: boxes.shape={}",
        boxes.shape());
  }
  std::string from = to_lower(source);
  std::string to = to_lower(target);
  const auto known = [](const std::string& format) {
    return std::find(kFormats.begin(), kFormats.end(), format) != kFormats.end();
  };
  if (!known(from) || !known(to)) {
    throw ValueError(
        "Invalid source or target format. Supported formats: ('{}'). Received: source={}, "
        "target={}",
        join(kFormats, "', '"), source, target);
  }
  const Tensor values = number(boxes);
  const bool same = from == to;
  const bool from_relative = take_relative(from);
  const bool to_relative = take_relative(to);
  if ((from_relative || to_relative) && (!height.defined() || !width.defined())) {
    throw ValueError(
        "convert_format() must receive `height` and `width` transforming between relative and "
        "absolute formats. convert_format() received source=`{}`, target=`{}`, without them.",
        source, target);
  }
  if (same) return values;
  Corners c = to_corners(values, from);
  if (from_relative && !to_relative) {
    const Tensor w = number(width);
    const Tensor h = number(height);
    c = {c.x1 * w, c.y1 * h, c.x2 * w, c.y2 * h};
  }
  Tensor converted = from_corners(c, to);
  if (to_relative && !from_relative) {
    // In every format, two of the numbers belong to each axis of the image.
    const auto [p, q, r, s] = corners_of(converted);
    const bool y_first = to == "yxyx";
    const Tensor first = number(y_first ? height : width);
    const Tensor second = number(y_first ? width : height);
    converted = joined({p / first, q / second, r / first, s / second});
  }
  return converted;
}

Nest convert_format(const Nest& boxes, const std::string& source, const std::string& target,
                    const Tensor& height, const Tensor& width) {
  if (boxes.is_tensor()) return convert_format(boxes.tensor(), source, target, height, width);
  return with_member(boxes, "boxes",
                     convert_format(boxes.at("boxes").tensor(), source, target, height, width));
}

Nest clip_to_image_size(const Nest& given, const Tensor& height, const Tensor& width,
                        const std::string& given_format) {
  const std::string format = to_lower(given_format);
  if (format != "xyxy" && format != "rel_xyxy") {
    throw NotImplementedError("clip_to_image_size takes 'xyxy' and 'rel_xyxy'. Received: {}",
                              given_format);
  }
  const bool pixels = format == "xyxy";
  if (pixels && (!height.defined() || !width.defined())) {
    throw ValueError("`height` and `width` must be set if `format='xyxy'`.");
  }
  const Tensor right = pixels ? number(width) : Tensor(1.0);
  const Tensor bottom = pixels ? number(height) : Tensor(1.0);
  const auto within = [](const Tensor& x, const Tensor& end) {
    return ops::minimum(ops::maximum(x, 0.0), end);
  };
  Corners c = corners_of(number(given.at("boxes").tensor()));
  c = {within(c.x1, right), within(c.y1, bottom), within(c.x2, right), within(c.y2, bottom)};
  Nest result = with_member(given, "boxes", joined(c));
  if (!given.contains("labels")) return result;
  const Tensor& labels = given.at("labels").tensor();
  Tensor left = ops::greater((c.x2 - c.x1) * (c.y2 - c.y1), 0.0);
  if (labels.rank() < left.rank()) left = ops::squeeze(left, -1);
  return with_member(result, "labels",
                     ops::where(left, labels, Tensor::full(labels.dtype(), {}, -1.0)));
}

Tensor affine_transform(const Tensor& boxes, const AffineTransform& transform, const Tensor& height,
                        const Tensor& width) {
  if (boxes.rank() != 3) {
    throw ValueError("affine_transform takes boxes of shape (batch, boxes, 4). Received: {}",
                     boxes.shape());
  }
  constexpr double kDegree = std::numbers::pi / 180.0;
  const auto each = [](const Tensor& t) { return ops::reshape(number(t), Shape{-1, 1, 1}); };
  const Tensor last_x = number(width) - 1.0;
  const Tensor last_y = number(height) - 1.0;
  const Tensor cx = transform.center_x * last_x;
  const Tensor cy = transform.center_y * last_y;
  // The transform maps output pixels to input pixels. Boxes are mapped from input to output, so
  // they need its inverse.
  const Tensor turn = each(transform.angle) * -kDegree;
  const Tensor slant_x = each(transform.shear_x) * -kDegree;
  const Tensor slant_y = each(transform.shear_y) * -kDegree;
  const Tensor move_x = cx - each(transform.translate_x) * last_x;
  const Tensor move_y = cy - each(transform.translate_y) * last_y;
  const Tensor scale = each(transform.scale);
  const Tensor a = ops::cos(turn - slant_y) / ops::cos(slant_y);
  const Tensor b = a * ops::tan(slant_x) + ops::sin(turn);
  const Tensor c = -ops::sin(turn - slant_y) / ops::cos(slant_y);
  const Tensor d = ops::cos(turn) - c * ops::tan(slant_x);
  const auto moved_x = [&](const Tensor& x, const Tensor& y) {
    return scale * (d * (x - move_x) - b * (y - move_y)) + cx;
  };
  const auto moved_y = [&](const Tensor& x, const Tensor& y) {
    return scale * (a * (y - move_y) - c * (x - move_x)) + cy;
  };
  const Corners box = corners_of(number(boxes));
  const auto all = [&](const auto& f) {
    return ops::concatenate(
        {f(box.x1, box.y1), f(box.x2, box.y1), f(box.x2, box.y2), f(box.x1, box.y2)}, -1);
  };
  const Tensor xs = all(moved_x);
  const Tensor ys = all(moved_y);
  return joined({ops::min(xs, {-1}, {.keepdims = true}), ops::min(ys, {-1}, {.keepdims = true}),
                 ops::max(xs, {-1}, {.keepdims = true}), ops::max(ys, {-1}, {.keepdims = true})});
}

Tensor crop(const Tensor& boxes, const Tensor& top, const Tensor& left, const Tensor& height,
            const Tensor& width) {
  const Corners c = corners_of(number(boxes));
  const auto within = [](const Tensor& x, const Tensor& start, const Tensor& size) {
    return ops::minimum(ops::maximum(x - number(start), 0.0), number(size));
  };
  return joined({within(c.x1, left, width), within(c.y1, top, height), within(c.x2, left, width),
                 within(c.y2, top, height)});
}

Tensor pad(const Tensor& boxes, const Tensor& top, const Tensor& left) {
  const Corners c = corners_of(number(boxes));
  const Tensor x = number(left);
  const Tensor y = number(top);
  return joined({c.x1 + x, c.y1 + y, c.x2 + x, c.y2 + y});
}

Tensor encode_box_to_deltas(const Tensor& anchors, const Tensor& boxes, const DeltaOptions& o) {
  check_deltas(o);
  const auto [height, width] = size_of(o.image_shape);
  const Tensor anchor = convert_format(anchors, o.anchor_format, o.encoding_format, height, width);
  const Tensor box = convert_format(boxes, o.box_format, o.encoding_format, height, width);
  const Tensor anchor_size = ops::maximum(last_two(anchor), kEpsilon);
  const Tensor box_size = ops::maximum(last_two(box), kEpsilon);
  const Tensor deltas = ops::concatenate(
      {(first_two(box) - first_two(anchor)) / anchor_size, ops::log(box_size / anchor_size)}, -1);
  return o.variance.empty() ? deltas : deltas / variance_of(o);
}

Tensor decode_deltas_to_boxes(const Tensor& anchors, const Tensor& deltas, const DeltaOptions& o) {
  check_deltas(o);
  const auto [height, width] = size_of(o.image_shape);
  const Tensor anchor = convert_format(anchors, o.anchor_format, o.encoding_format, height, width);
  const Tensor given = number(deltas);
  const Tensor delta = o.variance.empty() ? given : given * variance_of(o);
  const Tensor box = ops::concatenate({first_two(delta) * last_two(anchor) + first_two(anchor),
                                       ops::exp(last_two(delta)) * last_two(anchor)},
                                      -1);
  return convert_format(box, o.encoding_format, o.box_format, height, width);
}

Tensor compute_iou(const Tensor& boxes1, const Tensor& boxes2, const std::string& format,
                   const IouOptions& o) {
  for (const Tensor* boxes : {&boxes1, &boxes2}) {
    if (boxes->rank() != 2 && boxes->rank() != 3) {
      throw ValueError("compute_iou() expects boxes of rank 2 or 3. Received: boxes.shape={}",
                       boxes->shape());
    }
  }
  const auto [height, width] = size_of(o.image_shape);
  // [..., n, 1] against [..., 1, m].
  const Corners p = corners_of(convert_format(boxes1, format, "xyxy", height, width));
  const Corners q = [&, h = height, w = width] {
    const Corners c = corners_of(convert_format(boxes2, format, "xyxy", h, w));
    const auto turned = [](const Tensor& t) { return ops::swapaxes(t, -1, -2); };
    return Corners{turned(c.x1), turned(c.y1), turned(c.x2), turned(c.y2)};
  }();
  const Tensor common = common_area(p, q);
  const auto area = [](const Corners& c) { return (c.x2 - c.x1) * (c.y2 - c.y1); };
  const Tensor iou = common / (area(p) + area(q) - common + kEpsilon);
  if (!o.use_masking) return iou;
  const auto masked = [](const Corners& c) {
    return ops::less(ops::maximum(ops::maximum(c.x1, c.y1), ops::maximum(c.x2, c.y2)), 0.0);
  };
  return ops::where(ops::logical_or(masked(p), masked(q)), o.mask_val, iou);
}

Tensor compute_ciou(const Tensor& boxes1, const Tensor& boxes2, const std::string& format) {
  if (to_lower(format).starts_with("rel_")) {
    throw ValueError("compute_ciou() takes boxes in pixels. Received: bounding_box_format={}",
                     format);
  }
  const Corners p = corners_of(convert_format(boxes1, format, "xyxy"));
  const Corners q = corners_of(convert_format(boxes2, format, "xyxy"));
  const Tensor width1 = p.x2 - p.x1, height1 = p.y2 - p.y1 + kEpsilon;
  const Tensor width2 = q.x2 - q.x1, height2 = q.y2 - q.y1 + kEpsilon;
  const Tensor both = common_area(p, q);
  const Tensor united = width1 * height1 + width2 * height2 - both + kEpsilon;
  const Tensor iou = both / (united + kEpsilon);
  const Tensor hull_x = ops::maximum(p.x2, q.x2) - ops::minimum(p.x1, q.x1);
  const Tensor hull_y = ops::maximum(p.y2, q.y2) - ops::minimum(p.y1, q.y1);
  const Tensor apart_x = (p.x1 + p.x2) / 2.0 - (q.x1 + q.x2) / 2.0;
  const Tensor apart_y = (p.y1 + p.y2) / 2.0 - (q.y1 + q.y2) / 2.0;
  const Tensor distance =
      (apart_x * apart_x + apart_y * apart_y) / (hull_x * hull_x + hull_y * hull_y + kEpsilon);
  const Tensor bend = ops::arctan(width2 / height2) - ops::arctan(width1 / height1);
  const Tensor v = (4.0 / (std::numbers::pi * std::numbers::pi)) * bend * bend;
  const Tensor alpha = v / (v - iou + (1.0 + kEpsilon));
  return ops::squeeze(iou - (distance + v * alpha), -1);
}

}  // namespace antler::bounding_boxes
