#include <algorithm>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layers/reshaping.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/layers/classes.h"
#include "ops/stand_in_sizes.h"

namespace antler {

template <class V>
void fields(V& v, ReshapeOptions& o) {
  v.required("target_shape", o.target_shape);
}

Reshape::Reshape(const ReshapeOptions& options) : LayerOf(options) {
  int unknown = 0;
  for (int64_t d : options_.target_shape) {
    unknown += d == -1 ? 1 : 0;
    if (d < -1) unknown = 2;
  }
  if (unknown > 1) {
    throw ValueError(
        "There must be at most one unknown dimension (-1) in target_shape. Received: "
        "target_shape={}.",
        options_.target_shape);
  }
  set_input_spec({.min_ndim = 1});
}

Tensor Reshape::call(const Tensor& input, const CallOptions&) {
  // The -1 is inferred from one sample, so that an empty batch works.
  const Shape sample(input.shape().begin() + 1, input.shape().end());
  Shape target{input.shape()[0]};
  Shape given;
  for (int64_t d : options_.target_shape) given.push_back(d == -1 ? 1 : d);
  const int64_t known = given.num_elements();
  const int64_t count = sample.num_elements();
  for (int64_t d : options_.target_shape)
    target.push_back(d == -1 ? count / std::max<int64_t>(known, 1) : d);
  if (Shape(target.begin() + 1, target.end()).num_elements() != count) {
    if (ops::StandInSizes* sizes = ops::StandInSizes::current()) {
      const Shape fitted = sizes->accept(count, options_.target_shape);
      std::copy(fitted.begin(), fitted.end(), &target[1]);
      return ops::zeros(target, input.dtype());
    }
    throw ValueError(
        "The total size of the tensor must be unchanged. Received: input_shape={}, target_shape={}",
        sample, options_.target_shape);
  }
  return ops::reshape(input, target);
}

LayerClasses reshape_layers() { return layer_classes<Reshape>(); }

}  // namespace antler
