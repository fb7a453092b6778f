// Convolutions and poolings in TensorFlow.
#include <limits>

#include "antler/base/error.h"
#include "saving/export/tf_attributes.h"
#include "saving/export/tf_sink.h"

namespace antler::saving {
namespace {

/// A list per axis; the batch and channel axes have 1.
std::vector<int64_t> per_axis(const std::vector<int64_t>& space) {
  return concatenated({{1}, space, {1}});
}

void require_no_dilation(const WindowSpec& spec, const char* what) {
  for (const int64_t d : spec.dilations) {
    if (d != 1) {
      throw NotImplementedError("TensorFlow has no dilated {} on the CPU.", what);
    }
  }
}

/// A 1D window as a 2D window over an image of one row.
WindowSpec as_plane(const WindowSpec& line) {
  const auto pair = [](int64_t first, const std::vector<int64_t>& second) {
    return second.empty() ? second : std::vector<int64_t>{first, second[0]};
  };
  return {.window = pair(1, line.window),
          .strides = pair(1, line.strides),
          .dilations = pair(1, line.dilations),
          .pad_low = pair(0, line.pad_low),
          .pad_high = pair(0, line.pad_high),
          .groups = line.groups};
}

}  // namespace

SinkValue TfSink::expand_dims(const SinkValue& x, int64_t axis) {
  return node("ExpandDims", {x, scalar(static_cast<double>(axis), DType::int64)}, x.dtype,
              attrs().type("T", x.dtype).type("Tdim", DType::int64));
}

SinkValue TfSink::squeeze(const SinkValue& x, int64_t axis) {
  return node("Squeeze", {x}, x.dtype, attrs().type("T", x.dtype).ints("squeeze_dims", {axis}));
}

SinkValue TfSink::conv(const SinkValue& x, const SinkValue& kernel, const WindowSpec& spec) {
  if (spec.strides.size() == 1) {
    return squeeze(conv(expand_dims(x, 1), expand_dims(kernel, 0), as_plane(spec)), 1);
  }
  const bool plane = spec.strides.size() == 2;
  if (!plane) require_no_dilation(spec, "3D convolution");
  if (!plane && spec.groups != 1) {
    throw NotImplementedError("TensorFlow has no grouped 3D convolution on the CPU.");
  }
  return node(plane ? "Conv2D" : "Conv3D", {pad_space(x, spec, 0), kernel}, x.dtype,
              attrs()
                  .type("T", x.dtype)
                  .ints("strides", per_axis(spec.strides))
                  .ints("dilations", per_axis(spec.dilations))
                  .text("padding", "VALID")
                  .text("data_format", plane ? "NHWC" : "NDHWC"));
}

SinkValue TfSink::conv_transpose(const SinkValue& y, const SinkValue& kernel,
                                 const WindowSpec& spec, const Dims& x) {
  if (spec.strides.size() == 1) {
    return squeeze(conv_transpose(expand_dims(y, 1), expand_dims(kernel, 0), as_plane(spec),
                                  {x[0], {1, 0}, x[1], x[2]}),
                   1);
  }
  require_no_dilation(spec, "transposed convolution");
  if (spec.groups != 1) {
    throw NotImplementedError("TensorFlow has no grouped transposed convolution on the CPU.");
  }
  const bool plane = spec.strides.size() == 2;
  Dims padded = x;
  for (size_t i = 0; i < spec.strides.size(); ++i) {
    padded[i + 1].size += spec.pad_low[i] + spec.pad_high[i];
  }
  const SinkValue sizes = cast(shape_vector(padded), DType::int32);
  TfAttributes attributes = attrs();
  attributes.type("T", y.dtype)
      .ints("strides", per_axis(spec.strides))
      .text("padding", "VALID")
      .text("data_format", plane ? "NHWC" : "NDHWC");
  if (!plane) attributes.type("Tshape", DType::int32);
  const SinkValue whole = node(plane ? "Conv2DBackpropInput" : "Conv3DBackpropInputV2",
                               {sizes, kernel, y}, y.dtype, attributes);
  return crop_space(whole, spec, x);
}

SinkValue TfSink::pool(std::string_view op, const SinkValue& x, const WindowSpec& spec) {
  if (spec.strides.size() == 1) {
    return squeeze(pool(op, expand_dims(x, 1), as_plane(spec)), 1);
  }
  require_no_dilation(spec, "pooling");
  const bool plane = spec.strides.size() == 2;
  const bool is_max = op == "max";
  const char* name =
      plane ? (is_max ? "MaxPool" : "AvgPool") : (is_max ? "MaxPool3D" : "AvgPool3D");
  const SinkValue result = node(
      name, {pad_space(x, spec, is_max ? -std::numeric_limits<double>::infinity() : 0)}, x.dtype,
      attrs()
          .type("T", x.dtype)
          .ints("ksize", per_axis(spec.window))
          .ints("strides", per_axis(spec.strides))
          .text("padding", "VALID")
          .text("data_format", plane ? "NHWC" : "NDHWC"));
  return is_max ? result : sum_of_mean(result, spec);
}

}  // namespace antler::saving
