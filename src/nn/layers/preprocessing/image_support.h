#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/layers/image_layer.h"
#include "nn/fields.h"
#include "ops/image/sampling.h"

/// Shared by the image layers.
namespace antler {

void write_field(Json& out, const FactorRange& value);
void read_field(const Json& in, FactorRange& value);

/// Bounds of a factor.
struct FactorBounds {
  double low = -1;
  double high = 1;
};
/// Keras's rule for `factor`: f means [max(-|f|, low), |f|], and no factor means 0. Throws
/// ValueError outside the bounds.
FactorRange checked_factor(const FactorRange& factor, FactorBounds bounds);
/// The same for factors whose range must lie within the bounds, and where f means [-|f|, |f|].
FactorRange symmetric_factor(const char* name, const FactorRange& factor, FactorBounds bounds);
/// Sorts the two numbers. Throws ValueError unless there are two.
std::vector<double> checked_value_range(std::vector<double> range);
/// Throw NotImplementedError for unknown names.
void check_fill_mode(const std::string& fill_mode);
void check_interpolation(const std::string& interpolation);

/// Boxes [batch, n, 4] ("xyxy", pixels) after the images were projected: the bounds of their four
/// projected corners, not clipped.
Tensor project_boxes(const Tensor& boxes, const ops::Projection& projection);

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

/// The options with the data format that configurations must contain.
template <class O>
O with_format(O o) {
  if (!o.data_format) o.data_format = "channels_last";
  return o;
}

/// True inside the box, [batch, height, width, 1]; the bounds have the shape [batch].
Tensor box_mask(const Tensor& images, const Tensor& x0, const Tensor& x1, const Tensor& y0,
                const Tensor& y1);

/// The logarithms of `count` gamma variates; small variates themselves would underflow in float32.
Tensor log_gamma_variate(const std::function<Tensor()>& next_seed, int64_t count,
                         const Tensor& alpha);
/// Beta(alpha, alpha) variates, [count].
Tensor beta_variate(const std::function<Tensor()>& next_seed, int64_t count, const Tensor& alpha);

/// Maps values from one range to another.
Tensor change_range(const Tensor& images, const std::vector<double>& from,
                    const std::vector<double>& to);

}  // namespace antler
