// Convolutions, pooling and other image ops. Channels come last: on the CPU, TensorFlow supports no
// other layout.
#include <algorithm>

#include "antler/base/format.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/convolution.h"
#include "antler/ops/nn/normalization.h"
#include "antler/ops/nn/pooling.h"
#include "antler/ops/numpy/manipulation.h"
#include "ops/image/resample.h"
#include "saving/import/tf_call.h"

namespace antler::saving {
namespace {

using Ints = std::vector<int64_t>;

/// The elements for the spatial axes of an attribute with one element per axis.
Ints space_of(const TfCall& c, const char* attribute, int rank) {
  const Ints all = c.list(attribute);
  if (all.empty()) return Ints(static_cast<size_t>(rank - 2), 1);
  if (static_cast<int>(all.size()) != rank || all.front() != 1 || all.back() != 1) {
    c.unsupported(format("its `{}` is not 1 for the batch and channels", attribute));
  }
  return {all.begin() + 1, all.end() - 1};
}

void require_channels_last(const TfCall& c) {
  const std::string layout = c.text("data_format", "NHWC");
  if (!layout.ends_with('C')) c.unsupported(format("its data format is {}", layout));
}

struct Pads {
  Ints low;
  Ints high;
};

Pads pads_of(const TfCall& c, const Shape& x, const Ints& window, const Ints& strides,
             const Ints& dilations) {
  const std::string padding = c.text("padding", "VALID");
  Pads pads{Ints(window.size(), 0), Ints(window.size(), 0)};
  const Ints given = c.list("explicit_paddings");
  for (size_t i = 0; i < window.size(); ++i) {
    if (padding == "SAME") {
      const ops::Padding same =
          ops::same_padding(x[static_cast<int>(i) + 1], window[i], strides[i], dilations[i]);
      pads.low[i] = same.low;
      pads.high[i] = same.high;
    } else if (padding == "EXPLICIT" && given.size() == 2 * window.size() + 4) {
      pads.low[i] = given[2 * i + 2];
      pads.high[i] = given[2 * i + 3];
    } else if (padding != "VALID") {
      c.unsupported(format("its padding is {}", padding));
    }
  }
  return pads;
}

Ints window_of(const Tensor& kernel) {
  const Ints dims = kernel.shape().dims();
  return {dims.begin(), dims.end() - 2};
}

Tensor convolve(const TfCall& c, const Tensor& x, const Tensor& kernel, int64_t groups) {
  require_channels_last(c);
  const Ints strides = space_of(c, "strides", x.rank());
  const Ints dilations = space_of(c, "dilations", x.rank());
  const Pads pads = pads_of(c, x.shape(), window_of(kernel), strides, dilations);
  return ops::conv(x, kernel,
                   {.strides = strides,
                    .pad_low = pads.low,
                    .pad_high = pads.high,
                    .lhs_dilation = {},
                    .rhs_dilation = dilations,
                    .groups = groups});
}

Tensors conv(const TfCall& c) {
  const Tensor& x = c.in(0);
  const Tensor& kernel = c.in(1);
  if (x.rank() < 3 || kernel.rank() != x.rank())
    c.unsupported("the ranks of its inputs do not match");
  const int64_t per_group = kernel.dim(kernel.rank() - 2);
  return {convolve(c, x, kernel, x.dim(x.rank() - 1) / std::max<int64_t>(per_group, 1))};
}

/// A grouped convolution with one group per channel.
Tensors depthwise_conv(const TfCall& c) {
  const Tensor& kernel = c.in(1);
  const int64_t channels = kernel.dim(2);
  const Tensor grouped =
      ops::reshape(kernel, Shape{kernel.dim(0), kernel.dim(1), 1, channels * kernel.dim(3)});
  return {convolve(c, c.in(0), grouped, channels)};
}

/// The gradient of a convolution with respect to its input, a transposed convolution: the strides
/// become input dilation, and the kernel is reversed.
Tensors conv_transpose(const TfCall& c) {
  require_channels_last(c);
  const Ints sizes = c.ints(0);
  const Tensor& kernel = c.in(1);
  const Tensor& y = c.in(2);
  const Ints window = window_of(kernel);
  const Ints strides = space_of(c, "strides", y.rank());
  const Ints dilations = space_of(c, "dilations", y.rank());
  if (static_cast<int>(sizes.size()) != y.rank())
    c.unsupported("its sizes do not match the rank of its input");
  const Pads pads = pads_of(c, Shape(sizes), window, strides, dilations);
  Ints low;
  Ints high;
  Ints axes;
  for (size_t i = 0; i < window.size(); ++i) {
    const int64_t reach = (window[i] - 1) * dilations[i];
    const int64_t spread = (y.dim(static_cast<int>(i) + 1) - 1) * strides[i] + 1;
    low.push_back(reach - pads.low[i]);
    high.push_back(sizes[i + 1] - spread - low[i] + reach);
    axes.push_back(static_cast<int64_t>(i));
  }
  return {ops::conv(y, ops::swapaxes(ops::reverse(kernel, axes), -1, -2),
                    {.strides = {},
                     .pad_low = low,
                     .pad_high = high,
                     .lhs_dilation = strides,
                     .rhs_dilation = dilations,
                     .groups = 1})};
}

using Pool = Tensor (*)(const Tensor&, Ints, const ops::PoolOptions&);

template <Pool pool>
Tensors pooled(const TfCall& c) {
  require_channels_last(c);
  const Tensor& x = c.in(0);
  const std::string padding = c.text("padding", "VALID");
  if (padding != "VALID" && padding != "SAME") c.unsupported(format("its padding is {}", padding));
  return {pool(x, space_of(c, "ksize", x.rank()),
               {.strides = space_of(c, "strides", x.rank()),
                .padding = padding == "SAME" ? "same" : "valid"})};
}

Tensors fused_batch_norm(const TfCall& c) {
  const bool channels_first = c.text("data_format", "NHWC").starts_with("NC");
  const Tensor x = channels_first ? ops::moveaxis(c.in(0), 1, -1) : c.in(0);
  ops::Moments moments{c.in(3), c.in(4)};
  if (c.flag("is_training", true)) {
    Ints axes;
    for (int i = 0; i + 1 < x.rank(); ++i) axes.push_back(i);
    moments = ops::moments(x, axes);
  }
  const Tensor y = ops::batch_normalization(x, moments.mean, moments.variance, c.in(2), c.in(1),
                                            c.number("epsilon", 1e-4));
  return {channels_first ? ops::moveaxis(y, -1, 1) : y, moments.mean, moments.variance};
}

Tensors resized(const TfCall& c, const char* interpolation) {
  const Ints size = c.ints(1);
  if (size.size() != 2 || c.flag("align_corners", false) || !c.flag("half_pixel_centers", false)) {
    c.unsupported("it does not use half-pixel centers");
  }
  Tensor x = ops::cast(
      c.in(0), std::string_view(interpolation) == "nearest" ? c.in(0).dtype() : DType::float32);
  x = ops::resize_axis(x, 1, size[0], interpolation, false);
  return {ops::resize_axis(x, 2, size[1], interpolation, false)};
}

Tensors resize_nearest(const TfCall& c) { return resized(c, "nearest"); }
Tensors resize_bilinear(const TfCall& c) { return resized(c, "bilinear"); }
Tensors resize_bicubic(const TfCall& c) { return resized(c, "bicubic"); }

}  // namespace

void add_tf_windows(TfOps& all) {
  all.insert({{"Conv2D", conv},
              {"Conv3D", conv},
              {"DepthwiseConv2dNative", depthwise_conv},
              {"Conv2DBackpropInput", conv_transpose},
              {"Conv3DBackpropInputV2", conv_transpose},
              {"MaxPool", pooled<ops::max_pool>},
              {"MaxPool3D", pooled<ops::max_pool>},
              {"AvgPool", pooled<ops::average_pool>},
              {"AvgPool3D", pooled<ops::average_pool>},
              {"FusedBatchNorm", fused_batch_norm},
              {"FusedBatchNormV2", fused_batch_norm},
              {"FusedBatchNormV3", fused_batch_norm},
              {"ResizeNearestNeighbor", resize_nearest},
              {"ResizeBilinear", resize_bilinear},
              {"ResizeBicubic", resize_bicubic}});
}

}  // namespace antler::saving
