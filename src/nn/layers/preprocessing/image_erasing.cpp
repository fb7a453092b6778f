#include "antler/nn/layers/image_mixing.h"

#include <utility>

#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/layers/classes.h"
#include "nn/layers/preprocessing/image_support.h"
#include "nn/list_field.h"

namespace antler {

template <class V>
void fields(V& v, RandomErasingOptions& o) {
  format_fields(v, o);
  v("factor", o.factor);
  v("scale", o.scale);
  v("fill_value", o.fill_value);
  list_field(v, "value_range", o.value_range);
  v("seed", o.seed);
}

/// True inside the box, [batch, height, width, 1]; the bounds have the shape [batch].
Tensor box_mask(const Tensor& images, const Tensor& x0, const Tensor& x1, const Tensor& y0,
                const Tensor& y1) {
  const Shape grid{images.dim(0), images.dim(1), images.dim(2), 1};
  const Tensor x = ops::iota(grid, 2, DType::float32);
  const Tensor y = ops::iota(grid, 1, DType::float32);
  const auto end = [](const Tensor& t) { return ops::reshape(t, Shape{-1, 1, 1, 1}); };
  const auto between = [&](const Tensor& c, const Tensor& low, const Tensor& high) {
    return ops::logical_and(ops::greater_equal(c, end(low)), ops::less(c, end(high)));
  };
  return ops::logical_and(between(x, x0, x1), between(y, y0, y1));
}

RandomErasing::RandomErasing(const RandomErasingOptions& options)
    : LayerOf(with_format(options), image_formats(options)) {
  options_.factor = checked_factor(options.factor, {0, 1});
  options_.scale = checked_factor(options.scale, {0, 1});
  options_.value_range = checked_value_range(options.value_range);
  use_seed(options.seed);
}

Tensor RandomErasing::transform(const Tensor& images) {
  const Shape each{images.dim(0)};
  const auto span = [&](int64_t size) {
    const auto length = static_cast<double>(size);
    const Tensor part =
        ops::sqrt(uniform(each, options_.scale.low(), options_.scale.high())) * length;
    const Tensor start = uniform(each, 0, 1) * (length - part);
    return std::pair(start, start + part);
  };
  const auto [x0, x1] = span(images.dim(2));
  const auto [y0, y1] = span(images.dim(1));
  const Tensor probability = uniform(each, options_.factor.low(), options_.factor.high());
  const Tensor applies =
      ops::reshape(ops::less(uniform(each, 0, 1), probability), Shape{-1, 1, 1, 1});
  Tensor fill = options_.fill_value ? Tensor::full(DType::float32, {}, *options_.fill_value)
                                    : normal(images.shape()) * options_.value_range[1];
  fill = ops::clip(fill, options_.value_range[0], options_.value_range[1]);
  const Tensor erased = ops::logical_and(box_mask(images, x0, x1, y0, y1), applies);
  return ops::where(erased, ops::cast(fill, images.dtype()), images);
}

LayerClasses image_erasing_layers() { return layer_classes<RandomErasing>(); }

}  // namespace antler
