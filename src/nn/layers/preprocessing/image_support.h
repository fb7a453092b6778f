#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/layers/image_layer.h"
#include "nn/fields.h"

/// What the layers of images share.
namespace antler {

void write_field(Json& out, const FactorRange& value);
void read_field(const Json& in, FactorRange& value);

/// Bounds of a factor.
struct FactorBounds {
  double low = -1;
  double high = 1;
};
/// Keras's rule of `factor`: f means [max(-|f|, low), |f|]; nothing means 0. Throws ValueError
/// outside of the bounds.
FactorRange checked_factor(const FactorRange& factor, FactorBounds bounds);
/// The same, where each end of a range must be within the bounds, and f means [-|f|, |f|].
FactorRange symmetric_factor(const char* name, const FactorRange& factor, FactorBounds bounds);
/// Throws ValueError unless there are two numbers; sorts them.
std::vector<double> checked_value_range(std::vector<double> range);
/// Throws NotImplementedError for what there is not.
void check_fill_mode(const std::string& fill_mode);
void check_interpolation(const std::string& interpolation);

/// Where to sample: output pixel (x, y) takes input ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) /
/// k), k = c0 x + c1 y + 1. Each [batch] or a number.
struct Projection {
  Tensor a0, a1, a2, b0, b1, b2;
  Tensor c0 = 0.0;
  Tensor c1 = 0.0;
};
struct Sampling {
  std::string interpolation = "bilinear";  ///< or "nearest"
  std::string fill_mode = "reflect";       ///< or "wrap", "constant", "nearest"
  double fill_value = 0;
};
/// Images [batch, height, width, channels] sampled through a projection.
Tensor project(const Tensor& images, const Projection& projection, const Sampling& sampling);
/// Images sampled at (x, y), each [batch, height, width].
Tensor sample_at(const Tensor& images, const Tensor& x, const Tensor& y, const Sampling& sampling);

/// Resampled to [batch, height, width, channels], as TensorFlow's image.resize: "bilinear",
/// "nearest", "bicubic", "lanczos3" or "lanczos5".
Tensor resize_images(const Tensor& images, int64_t height, int64_t width,
                     const std::string& interpolation, bool antialias);
/// A part of images.
struct Part {
  int64_t top, left, height, width;
};
/// The largest centred part of the aspect ratio of the target.
Part centred_part(const Tensor& images, int64_t height, int64_t width);
Tensor crop_to_aspect_ratio(const Tensor& images, int64_t height, int64_t width);

/// Where boxes [batch, n, 4] ("xyxy", pixels) of the images are seen in what project() gives: the
/// bounds of their four corners, not cut.
Tensor project_boxes(const Tensor& boxes, const Projection& projection);

/// Options of a layer of images from its configuration.
template <class Options>
Options image_options(const Json& config, const char* class_name) {
  return options_from<Options>(config, class_name);
}

template <class Options>
ImageFormats image_formats(const Options& o) {
  return {.data_format = o.data_format, .bounding_box_format = o.bounding_box_format};
}

/// The fields of image_formats().
template <class V, class Options>
void format_fields(V& v, Options& o) {
  v("data_format", o.data_format);
  v.when_given("bounding_box_format", o.bounding_box_format);
}

/// Options with the data format that a configuration names.
template <class O>
O with_format(O o) {
  if (!o.data_format) o.data_format = "channels_last";
  return o;
}

/// True inside of the box, [batch, height, width, 1]; ends are [batch].
Tensor box_mask(const Tensor& images, const Tensor& x0, const Tensor& x1, const Tensor& y0,
                const Tensor& y1);

/// Logarithm of `count` gamma variates; that of small ones is within float32 where they are not.
Tensor log_gamma_variate(const std::function<Tensor()>& next_seed, int64_t count,
                         const Tensor& alpha);
/// Beta(alpha, alpha) variates, [count].
Tensor beta_variate(const std::function<Tensor()>& next_seed, int64_t count, const Tensor& alpha);

/// [batch, height, width, 1], by ITU-R 601-2 luma.
Tensor to_grayscale(const Tensor& images);
Tensor rgb_to_hsv(const Tensor& images);
Tensor hsv_to_rgb(const Tensor& images);
/// Values of one range as values of another.
Tensor change_range(const Tensor& images, const std::vector<double>& from,
                    const std::vector<double>& to);

}  // namespace antler
