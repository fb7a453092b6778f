#include "ops/nn/conv_pool.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "antler/base/error.h"
#include "core/doubles.h"
#include "ops/families.h"
#include "ops/nn/conv_geometry.h"
#include "ops/nn/windows.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

constexpr int64_t kMostTaps = 256;  // an index is one byte

Shape pooled_shape(const char* op, const Shape& image, const ir::Attrs& attrs) {
  const ir::Ints& window = attrs.ints("pool_window");
  const ir::Ints& strides = attrs.ints("pool_strides");
  int64_t taps = 1;
  for (size_t d = 0; d < window.size(); ++d) {
    taps *= window[d];
    if (strides[d] < window[d]) {
      throw ValueError("ops::{}: windows must not overlap.", op);
    }
  }
  if (taps > kMostTaps) {
    throw ValueError("ops::{}: windows must have at most {} elements. Received: {}", op, kMostTaps,
                     taps);
  }
  return window_output_shape(op, image, pool_attrs(attrs));
}

std::vector<TensorSpec> infer_conv_relu_pool(const ir::InferArgs& args) {
  const char* const name = "conv_relu_pool";
  check_conv_dtypes(name, args.inputs[0].dtype, args.inputs[1].dtype);
  const Shape image =
      conv_output_shape(name, args.inputs[0].shape, args.inputs[1].shape, args.attrs);
  const TensorSpec bias = {args.inputs[0].dtype, {image.back()}};
  if (!(args.inputs[2] == bias)) {
    throw ValueError("ops::conv_relu_pool: the bias must be {}. Received: {}", spec_str(bias),
                     spec_str(args.inputs[2]));
  }
  const Shape pooled = pooled_shape(name, image, args.attrs);
  return {{args.inputs[0].dtype, pooled}, {DType::uint8, pooled}};
}

void reference_conv_relu_pool(const ir::ReferenceArgs& args) {
  const std::vector<double> x = args.inputs[0].to_doubles();
  const std::vector<double> w = args.inputs[1].to_doubles();
  const std::vector<double> bias = args.inputs[2].to_doubles();
  const Shape shape = conv_output_shape("conv_relu_pool", args.inputs[0].shape(),
                                        args.inputs[1].shape(), args.attrs);
  std::vector<double> image(static_cast<size_t>(shape.num_elements()), 0.0);
  const ConvGeometry geometry(args.inputs[0].shape(), args.inputs[1].shape(), args.attrs);
  geometry.for_each_product([&](int64_t xi, int64_t wi, int64_t yi) {
    image[static_cast<size_t>(yi)] += x[static_cast<size_t>(xi)] * w[static_cast<size_t>(wi)];
  });
  for (size_t i = 0; i < image.size(); ++i) {
    image[i] = std::max(image[i] + bias[i % bias.size()], 0.0);
  }
  const auto windows = static_cast<size_t>(args.outputs[0].size());
  std::vector<double> pooled(windows, 0.0);
  std::vector<double> index(windows, 0.0);
  double tap = 0;
  for_each_window_element(shape, args.outputs[0].shape(), pool_attrs(args.attrs),
                          [&](int64_t o, int64_t i, bool first) {
                            const auto at = static_cast<size_t>(o);
                            const double value = image[static_cast<size_t>(i)];
                            tap = first ? 0 : tap + 1;
                            if (first || value > pooled[at] || std::isnan(value)) {
                              pooled[at] = value;
                              index[at] = tap;
                            }
                          });
  store_doubles(args.outputs[0], pooled);
  store_doubles(args.outputs[1], index);
}

/// Checks the two operands of the gradient of a pool.
void check_pooled(const char* op, const TensorSpec& index, const TensorSpec& dy,
                  const Shape& pooled) {
  if (!(index == TensorSpec{DType::uint8, pooled}) || !(dy.shape == pooled)) {
    throw ValueError("ops::{}: the operands must have the shape {}. Received: {}, {}", op, pooled,
                     spec_str(index), spec_str(dy));
  }
}

std::vector<TensorSpec> infer_pool_scatter(const ir::InferArgs& args) {
  const Shape image(args.attrs.ints("input_shape"));
  const Shape pooled = pooled_shape("pool_scatter", image, args.attrs);
  check_pooled("pool_scatter", args.inputs[0], args.inputs[1], pooled);
  return {{args.inputs[1].dtype, image}};
}

std::vector<double> scattered(const Tensor& index, const Tensor& dy, const Shape& image,
                              const ir::Attrs& attrs) {
  const std::vector<double> taps = index.to_doubles();
  const std::vector<double> grads = dy.to_doubles();
  std::vector<double> dx(static_cast<size_t>(image.num_elements()), 0.0);
  double tap = 0;
  for_each_window_element(image, index.shape(), pool_attrs(attrs),
                          [&](int64_t o, int64_t i, bool first) {
                            const auto at = static_cast<size_t>(o);
                            tap = first ? 0 : tap + 1;
                            if (tap == taps[at]) dx[static_cast<size_t>(i)] = grads[at];
                          });
  return dx;
}

void reference_pool_scatter(const ir::ReferenceArgs& args) {
  store_doubles(args.outputs[0],
                scattered(args.inputs[0], args.inputs[1], args.outputs[0].shape(), args.attrs));
}

std::vector<TensorSpec> infer_conv_pool_filter_grad(const ir::InferArgs& args) {
  const char* const name = "conv_pool_filter_grad";
  check_conv_dtypes(name, args.inputs[0].dtype, args.inputs[2].dtype);
  const Shape filter(args.attrs.ints("filter_shape"));
  const Shape image = conv_output_shape(name, args.inputs[0].shape, filter, args.attrs);
  check_pooled(name, args.inputs[1], args.inputs[2], pooled_shape(name, image, args.attrs));
  return {{args.inputs[0].dtype, filter}};
}

void reference_conv_pool_filter_grad(const ir::ReferenceArgs& args) {
  const Shape& x_shape = args.inputs[0].shape();
  const Shape& filter = args.outputs[0].shape();
  const Shape image = conv_output_shape("conv_pool_filter_grad", x_shape, filter, args.attrs);
  const std::vector<double> x = args.inputs[0].to_doubles();
  const std::vector<double> dy = scattered(args.inputs[1], args.inputs[2], image, args.attrs);
  std::vector<double> dw(static_cast<size_t>(filter.num_elements()), 0.0);
  ConvGeometry(x_shape, filter, args.attrs)
      .for_each_product([&](int64_t xi, int64_t wi, int64_t yi) {
        dw[static_cast<size_t>(wi)] += x[static_cast<size_t>(xi)] * dy[static_cast<size_t>(yi)];
      });
  store_doubles(args.outputs[0], dw);
}

}  // namespace

// The compiler creates these ops after differentiation, so they have no gradient rules.
const ir::OpDef kConvReluPool = {.name = "conv_relu_pool",
                                 .infer = infer_conv_relu_pool,
                                 .reference = reference_conv_relu_pool,
                                 .no_gradient = true};
const ir::OpDef kPoolScatter = {.name = "pool_scatter",
                                .infer = infer_pool_scatter,
                                .reference = reference_pool_scatter,
                                .no_gradient = true};

const ir::OpDef kConvPoolFilterGrad = {.name = "conv_pool_filter_grad",
                                       .infer = infer_conv_pool_filter_grad,
                                       .reference = reference_conv_pool_filter_grad,
                                       .no_gradient = true};

ir::Attrs pool_attrs(const ir::Attrs& attrs) {
  const ir::Ints& window = attrs.ints("pool_window");
  return {{"op", std::string("max")},
          {"window", window},
          {"strides", attrs.ints("pool_strides")},
          {"dilations", ir::Ints(window.size(), 1)},
          {"pad_low", ir::Ints(window.size(), 0)},
          {"pad_high", ir::Ints(window.size(), 0)}};
}

OpSpan conv_pool_ops() {
  static constexpr const ir::OpDef* kOps[] = {&kConvReluPool, &kPoolScatter, &kConvPoolFilterGrad};
  return kOps;
}

}  // namespace antler::ops
