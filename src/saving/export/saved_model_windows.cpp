// Convolutions and poolings of TensorFlow's graph.
#include <algorithm>
#include <limits>

#include "antler/base/error.h"
#include "saving/export/saved_model_sink.h"
#include "saving/export/tf_attributes.h"

namespace antler::saving {
namespace {

std::vector<int64_t> with_ends(const std::vector<int64_t>& inner, int64_t end) {
  std::vector<int64_t> all = {end};
  all.insert(all.end(), inner.begin(), inner.end());
  all.push_back(end);
  return all;
}

void require_no_dilation(const WindowSpec& spec, const char* what) {
  for (const int64_t d : spec.dilations) {
    if (d != 1) {
      throw NotImplementedError(std::string("TensorFlow has no dilated ") + what + " on the CPU.");
    }
  }
}

/// A line as an image of one row.
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

SinkValue SavedModelSink::expand_dims(const SinkValue& x, int64_t axis) {
  return node("ExpandDims", {x, scalar(static_cast<double>(axis), DType::int64)}, x.dtype,
              TfAttributes().type("T", x.dtype).type("Tdim", DType::int64));
}

SinkValue SavedModelSink::squeeze(const SinkValue& x, int64_t axis) {
  return node("Squeeze", {x}, x.dtype,
              TfAttributes().type("T", x.dtype).ints("squeeze_dims", {axis}));
}

SinkValue SavedModelSink::pad_space(const SinkValue& x, const WindowSpec& spec, double value) {
  const auto nothing = [](const Ints& sizes) {
    return std::all_of(sizes.begin(), sizes.end(), [](int64_t s) { return s == 0; });
  };
  if (nothing(spec.pad_low) && nothing(spec.pad_high)) return x;
  return pad(x, with_ends(spec.pad_low, 0), with_ends(spec.pad_high, 0), scalar(value, x.dtype));
}

SinkValue SavedModelSink::conv(const SinkValue& x, const SinkValue& kernel,
                               const WindowSpec& spec) {
  if (spec.strides.size() == 1) {
    return squeeze(conv(expand_dims(x, 1), expand_dims(kernel, 0), as_plane(spec)), 1);
  }
  const bool plane = spec.strides.size() == 2;
  if (!plane) require_no_dilation(spec, "convolution of volumes");
  if (!plane && spec.groups != 1) {
    throw NotImplementedError("TensorFlow has no convolution of volumes in groups on the CPU.");
  }
  return node(plane ? "Conv2D" : "Conv3D", {pad_space(x, spec, 0), kernel}, x.dtype,
              TfAttributes()
                  .type("T", x.dtype)
                  .ints("strides", with_ends(spec.strides, 1))
                  .ints("dilations", with_ends(spec.dilations, 1))
                  .text("padding", "VALID")
                  .text("data_format", plane ? "NHWC" : "NDHWC"));
}

SinkValue SavedModelSink::conv_transpose(const SinkValue& y, const SinkValue& kernel,
                                         const WindowSpec& spec, const Dims& x) {
  if (spec.strides.size() == 1) {
    return squeeze(conv_transpose(expand_dims(y, 1), expand_dims(kernel, 0), as_plane(spec),
                                  {x[0], {1, 0}, x[1], x[2]}),
                   1);
  }
  require_no_dilation(spec, "transposed convolution");
  if (spec.groups != 1) {
    throw NotImplementedError("TensorFlow has no transposed convolution in groups on the CPU.");
  }
  const bool plane = spec.strides.size() == 2;
  Dims padded = x;
  Ints starts(x.size(), 0);
  std::vector<std::optional<int64_t>> limits(x.size());
  for (size_t i = 0; i < spec.strides.size(); ++i) {
    padded[i + 1].size += spec.pad_low[i] + spec.pad_high[i];
    starts[i + 1] = spec.pad_low[i];
    limits[i + 1] = spec.pad_low[i] + x[i + 1].size;
  }
  const SinkValue sizes = cast(shape_vector(padded), DType::int32);
  TfAttributes attributes;
  attributes.type("T", y.dtype)
      .ints("strides", with_ends(spec.strides, 1))
      .text("padding", "VALID")
      .text("data_format", plane ? "NHWC" : "NDHWC");
  if (!plane) attributes.type("Tshape", DType::int32);
  const SinkValue whole = node(plane ? "Conv2DBackpropInput" : "Conv3DBackpropInputV2",
                               {sizes, kernel, y}, y.dtype, attributes);
  return slice(whole, starts, limits, Ints(x.size(), 1));
}

SinkValue SavedModelSink::pool(std::string_view op, const SinkValue& x, const WindowSpec& spec) {
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
      TfAttributes()
          .type("T", x.dtype)
          .ints("ksize", with_ends(spec.window, 1))
          .ints("strides", with_ends(spec.strides, 1))
          .text("padding", "VALID")
          .text("data_format", plane ? "NHWC" : "NDHWC"));
  if (is_max) return result;
  int64_t size = 1;
  for (const int64_t n : spec.window) size *= n;
  return binary("mul", result, scalar(static_cast<double>(size), x.dtype));
}

}  // namespace antler::saving
