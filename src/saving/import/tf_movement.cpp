// Shapes and data movement.
#include <algorithm>
#include <numeric>
#include <optional>

#include "antler/base/format.h"
#include "antler/ir/tracer.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/manipulation.h"
#include "saving/import/tf_call.h"

namespace antler::saving {
namespace {

using Ints = std::vector<int64_t>;

/// The maximum number of elements of an array that a graph creates from a scalar.
constexpr int64_t kMaxMade = int64_t{1} << 28;

/// A constant, also while tracing, because shapes are known then.
Tensor integers(const Ints& values, DType dtype) {
  const ir::TraceSuspension now;
  return ops::cast(Tensor::of(values), dtype);
}

Ints sizes_of(const Tensor& x) { return x.shape().dims(); }

/// A shape given by an input. It comes from a file, so the number of elements is limited.
Shape shape_in(const TfCall& c, size_t i) {
  const Ints sizes = c.ints(i);
  int64_t total = 1;
  for (const int64_t n : sizes) {
    if (n < 0 || (n > 0 && total > kMaxMade / n)) {
      c.unsupported(format("its shape is {}", Shape(sizes)));
    }
    total *= n;
  }
  return Shape(sizes);
}

Tensors shape(const TfCall& c) {
  return {integers(sizes_of(c.in(0)), c.dtype("out_type", DType::int32))};
}

Tensors shape_n(const TfCall& c) {
  Tensors result;
  for (size_t i = 0; i < c.size(); ++i) {
    result.push_back(integers(sizes_of(c.in(i)), c.dtype("out_type", DType::int32)));
  }
  return result;
}

Tensors size(const TfCall& c) {
  return {Tensor::full(c.dtype("out_type", DType::int32), {}, static_cast<double>(c.in(0).size()))};
}

Tensors rank(const TfCall& c) { return {Tensor::full(DType::int32, {}, c.in(0).rank())}; }

Tensors reshape(const TfCall& c) {
  Ints sizes = c.ints(1);
  const auto open = std::find(sizes.begin(), sizes.end(), -1);
  if (open != sizes.end()) {
    int64_t others = 1;
    for (const int64_t n : sizes) others *= n == -1 ? 1 : n;
    *open = others > 0 ? c.in(0).size() / others : 0;
  }
  return {ops::reshape(c.in(0), Shape(sizes))};
}

Tensors squeeze(const TfCall& c) {
  Ints axes = c.list(c.has("squeeze_dims") ? "squeeze_dims" : "axis");
  const Tensor& x = c.in(0);
  for (int64_t& axis : axes) axis = c.axis(axis, x.rank());
  Ints sizes;
  for (int64_t i = 0; i < x.rank(); ++i) {
    const int64_t n = x.dim(static_cast<int>(i));
    const bool goes =
        n == 1 && (axes.empty() || std::find(axes.begin(), axes.end(), i) != axes.end());
    if (!goes) sizes.push_back(n);
  }
  return {ops::reshape(x, Shape(sizes))};
}

Tensors expand_dims(const TfCall& c) {
  Ints sizes = sizes_of(c.in(0));
  const int64_t axis = c.axis(c.integer(1), c.in(0).rank() + 1);
  sizes.insert(sizes.begin() + axis, 1);
  return {ops::reshape(c.in(0), Shape(sizes))};
}

Tensors transpose(const TfCall& c) { return {ops::transpose(c.in(0), c.ints(1))}; }

Tensors concat(const TfCall& c) {
  const size_t n = c.size() - 1;
  Tensors xs;
  for (size_t i = 0; i < n; ++i) xs.push_back(c.in(i));
  return {ops::concatenate(xs, c.integer(n))};
}

Tensors pack(const TfCall& c) {
  Tensors xs;
  for (size_t i = 0; i < c.size(); ++i) xs.push_back(c.in(i));
  return {ops::stack(xs, c.integer("axis", 0))};
}

Tensors unpack(const TfCall& c) { return ops::unstack(c.in(0), c.integer("axis", 0)); }

Tensors split(const TfCall& c) {
  return ops::split(c.in(1), c.integer("num_split", 1), c.integer(0));
}

Tensors split_v(const TfCall& c) {
  const Tensor& x = c.in(0);
  Ints sizes = c.ints(1);
  const int64_t axis = c.axis(c.integer(2), x.rank());
  const int64_t total = x.dim(static_cast<int>(axis));
  const auto open = std::find(sizes.begin(), sizes.end(), -1);
  if (open != sizes.end()) {
    *open = 0;
    *open = total - std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
  }
  Tensors parts;
  int64_t at = 0;
  for (const int64_t n : sizes) {
    parts.push_back(ops::slice_axis(x, axis, at, at + n));
    at += n;
  }
  return parts;
}

Tensors slice(const TfCall& c) {
  const Tensor& x = c.in(0);
  const Ints starts = c.ints(1);
  Ints limits = c.ints(2);
  if (starts.size() != limits.size() || static_cast<int>(starts.size()) != x.rank()) {
    c.unsupported(format("its begin and size do not match the rank {}", x.rank()));
  }
  for (size_t i = 0; i < limits.size(); ++i) {
    limits[i] = limits[i] == -1 ? x.dim(static_cast<int>(i)) : starts[i] + limits[i];
  }
  return {ops::strided_slice(x, starts, limits)};
}

/// One axis of a strided slice.
struct Piece {
  int64_t start = 0;
  int64_t limit = 0;
  int64_t stride = 1;
  bool backwards = false;
};

/// Python's rules for start:end:stride over `n` elements, in either direction.
Piece piece_of(int64_t n, std::optional<int64_t> begin, std::optional<int64_t> end,
               int64_t stride) {
  const bool backwards = stride < 0;
  const auto place = [&](int64_t i) {
    return std::clamp(i < 0 ? i + n : i, backwards ? int64_t{-1} : 0, backwards ? n - 1 : n);
  };
  int64_t from = begin ? place(*begin) : (backwards ? n - 1 : 0);
  int64_t to = end ? place(*end) : (backwards ? -1 : n);
  if (backwards) {
    // The same elements counted from the end.
    from = n - 1 - from;
    to = n - 1 - to;
  }
  return {from, std::max(from, to), std::abs(stride), backwards};
}

Tensors strided_slice(const TfCall& c) {
  const Tensor& x = c.in(0);
  const Ints begin = c.ints(1);
  const Ints end = c.ints(2);
  const Ints strides = c.ints(3);
  const auto masked = [&](const char* attribute, size_t i) {
    return ((c.integer(attribute, 0) >> i) & 1) != 0;
  };
  if (begin.size() != end.size() || begin.size() != strides.size()) {
    c.unsupported("begin, end and strides have different lengths");
  }
  // The number of axes that the ellipsis stands for.
  int64_t named = 0;
  for (size_t i = 0; i < begin.size(); ++i) {
    if (!masked("ellipsis_mask", i) && !masked("new_axis_mask", i)) ++named;
  }
  const int64_t rest = x.rank() - named;
  if (rest < 0) c.unsupported("it has more axes than its input");
  Ints starts;
  Ints limits;
  Ints steps;
  Ints reversed;
  Ints sizes;
  const auto whole = [&](int64_t count) {
    for (int64_t k = 0; k < count; ++k) {
      const int64_t n = x.dim(static_cast<int>(starts.size()));
      starts.push_back(0);
      limits.push_back(n);
      steps.push_back(1);
      sizes.push_back(n);
    }
  };
  for (size_t i = 0; i < begin.size(); ++i) {
    if (masked("ellipsis_mask", i)) {
      whole(rest);
      continue;
    }
    if (masked("new_axis_mask", i)) {
      sizes.push_back(1);
      continue;
    }
    const auto axis = static_cast<int64_t>(starts.size());
    const int64_t n = x.dim(static_cast<int>(axis));
    if (strides[i] == 0) c.unsupported("a stride is 0");
    const bool one = masked("shrink_axis_mask", i);
    const int64_t at = begin[i] < 0 ? begin[i] + n : begin[i];
    if (one && (at < 0 || at >= n)) {
      c.unsupported(format("the index {} is out of range for {}", begin[i], x.shape()));
    }
    const Piece piece =
        one ? Piece{at, at + 1, 1, false}
            : piece_of(n, masked("begin_mask", i) ? std::nullopt : std::optional(begin[i]),
                       masked("end_mask", i) ? std::nullopt : std::optional(end[i]), strides[i]);
    starts.push_back(piece.start);
    limits.push_back(piece.limit);
    steps.push_back(piece.stride);
    if (piece.backwards) reversed.push_back(axis);
    if (!one) sizes.push_back((piece.limit - piece.start + piece.stride - 1) / piece.stride);
  }
  whole(x.rank() - static_cast<int64_t>(starts.size()));
  const Tensor turned = reversed.empty() ? x : ops::reverse(x, reversed);
  return {ops::reshape(ops::strided_slice(turned, starts, limits, steps), Shape(sizes))};
}

std::pair<Ints, Ints> paddings(const TfCall& c) {
  const Ints pairs = c.ints(1);
  std::pair<Ints, Ints> result;
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    result.first.push_back(pairs[i]);
    result.second.push_back(pairs[i + 1]);
  }
  if (static_cast<int>(result.first.size()) != c.in(0).rank()) {
    c.unsupported(format("its paddings do not match the rank {}", c.in(0).rank()));
  }
  return result;
}

Tensors pad(const TfCall& c) {
  const auto [low, high] = paddings(c);
  const Tensor zero = Tensor::zeros(c.in(0).dtype(), {});
  return {ops::pad(c.in(0), low, high, {}, c.size() > 2 ? c.in(2) : zero)};
}

/// Pads with the mirrored array; REFLECT does not repeat the edge.
Tensors mirror_pad(const TfCall& c) {
  const auto [low, high] = paddings(c);
  const int64_t edge = c.text("mode", "REFLECT") == "REFLECT" ? 1 : 0;
  Tensor x = c.in(0);
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    const auto i = static_cast<size_t>(axis);
    if (low[i] == 0 && high[i] == 0) continue;
    const int64_t n = x.dim(static_cast<int>(axis));
    if (low[i] > n - edge || high[i] > n - edge)
      c.unsupported("it pads by more than the size of the axis");
    const Tensor turned = ops::reverse(x, {axis});
    // Element n - 1 - k of the reversed array is element k of the array.
    x = ops::concatenate({ops::slice_axis(turned, axis, n - edge - low[i], n - edge), x,
                          ops::slice_axis(turned, axis, edge, edge + high[i])},
                         axis);
  }
  return {x};
}

Tensors tile(const TfCall& c) { return {ops::tile(c.in(0), c.ints(1))}; }

Tensors broadcast_to(const TfCall& c) { return {ops::broadcast_to(c.in(0), shape_in(c, 1))}; }

Tensors broadcast_args(const TfCall& c) {
  const Shape joined = broadcast_shapes(Shape(c.ints(0)), Shape(c.ints(1)));
  return {integers(joined.dims(), c.in(0).dtype())};
}

Tensors fill(const TfCall& c) { return {ops::broadcast_to(c.in(1), shape_in(c, 0))}; }

Tensors range(const TfCall& c) {
  const DType dtype = c.in(0).dtype();
  if (is_floating(dtype)) c.unsupported("its numbers are not integers");
  const int64_t start = c.integer(0);
  const int64_t stop = c.integer(1);
  const int64_t step = c.integer(2);
  if (step == 0 || std::abs((stop - start) / step) > kMaxMade) c.unsupported("it is too long");
  return {ops::arange(start, stop, step, {.dtype = dtype})};
}

Tensors reverse(const TfCall& c) {
  Ints axes = c.ints(1);
  for (int64_t& axis : axes) axis = c.axis(axis, c.in(0).rank());
  return {ops::reverse(c.in(0), axes)};
}

Tensors roll(const TfCall& c) {
  const Ints shifts = c.ints(1);
  const Ints axes = c.ints(2);
  Tensor x = c.in(0);
  for (size_t i = 0; i < shifts.size() && i < axes.size(); ++i) {
    x = ops::roll(x, shifts[i], c.axis(axes[i], x.rank()));
  }
  return {x};
}

/// Keeps `lower` diagonals below the main one and `upper` above; all if negative.
Tensors band_part(const TfCall& c) {
  const int64_t lower = c.integer(1);
  const int64_t upper = c.integer(2);
  Tensor x = c.in(0);
  if (lower >= 0) x = ops::triu(x, -lower);
  if (upper >= 0) x = ops::tril(x, upper);
  return {x};
}

/// Blocks of pixels become channels.
Tensors space_to_depth(const TfCall& c) {
  const Tensor& x = c.in(0);
  const int64_t b = c.integer("block_size", 1);
  if (x.rank() != 4 || c.text("data_format", "NHWC") != "NHWC") c.unsupported("its data format");
  const Tensor rows = ops::reshape(x, Shape{x.dim(0), x.dim(1) / b, b, x.dim(2) / b, b, x.dim(3)});
  return {ops::reshape(ops::transpose(rows, {0, 1, 3, 2, 4, 5}),
                       Shape{x.dim(0), x.dim(1) / b, x.dim(2) / b, b * b * x.dim(3)})};
}

Tensors depth_to_space(const TfCall& c) {
  const Tensor& x = c.in(0);
  const int64_t b = c.integer("block_size", 1);
  if (x.rank() != 4 || c.text("data_format", "NHWC") != "NHWC") c.unsupported("its data format");
  const int64_t channels = x.dim(3) / (b * b);
  const Tensor blocks = ops::reshape(x, Shape{x.dim(0), x.dim(1), x.dim(2), b, b, channels});
  return {ops::reshape(ops::transpose(blocks, {0, 1, 3, 2, 4, 5}),
                       Shape{x.dim(0), x.dim(1) * b, x.dim(2) * b, channels})};
}

/// Splits each spatial axis into `block` interleaved ones, which become the leading part of the
/// batch axis.
Tensors space_to_batch(const TfCall& c) {
  const Tensor& x = c.in(0);
  const Ints block = c.ints(1);
  const Ints pads = c.ints(2);
  Ints low(static_cast<size_t>(x.rank()), 0);
  Ints high = low;
  for (size_t i = 0; i < block.size(); ++i) {
    low.at(i + 1) = pads.at(2 * i);
    high.at(i + 1) = pads.at(2 * i + 1);
  }
  const Tensor padded = ops::pad(x, low, high, {}, Tensor::zeros(x.dtype(), {}));
  const Ints dims = sizes_of(padded);
  Ints cut = {dims[0]};
  Ints order;
  Ints result = {dims[0]};
  for (size_t i = 0; i < block.size(); ++i) {
    cut.push_back(dims[i + 1] / block[i]);
    cut.push_back(block[i]);
    order.push_back(static_cast<int64_t>(2 * i + 2));
    result[0] *= block[i];
    result.push_back(dims[i + 1] / block[i]);
  }
  order.push_back(0);
  for (size_t i = 0; i < block.size(); ++i) order.push_back(static_cast<int64_t>(2 * i + 1));
  for (size_t i = block.size() + 1; i < dims.size(); ++i) {
    order.push_back(static_cast<int64_t>(cut.size()));
    cut.push_back(dims[i]);
    result.push_back(dims[i]);
  }
  return {ops::reshape(ops::transpose(ops::reshape(padded, Shape(cut)), order), Shape(result))};
}

Tensors batch_to_space(const TfCall& c) {
  const Tensor& x = c.in(0);
  const Ints block = c.ints(1);
  const Ints crops = c.ints(2);
  const Ints dims = sizes_of(x);
  Ints cut(block);
  int64_t parts = 1;
  for (const int64_t b : block) parts *= b;
  cut.push_back(dims[0] / parts);
  Ints result = {dims[0] / parts};
  Ints order = {static_cast<int64_t>(block.size())};
  for (size_t i = 0; i < block.size(); ++i) {
    order.push_back(static_cast<int64_t>(block.size() + 1 + i));
    order.push_back(static_cast<int64_t>(i));
    cut.push_back(dims.at(i + 1));
    result.push_back(dims[i + 1] * block[i]);
  }
  for (size_t i = block.size() + 1; i < dims.size(); ++i) {
    order.push_back(static_cast<int64_t>(cut.size()));
    cut.push_back(dims[i]);
    result.push_back(dims[i]);
  }
  Tensor whole = ops::reshape(ops::transpose(ops::reshape(x, Shape(cut)), order), Shape(result));
  for (size_t i = 0; i < block.size(); ++i) {
    whole = ops::slice_axis(whole, static_cast<int64_t>(i + 1), crops.at(2 * i),
                            result[i + 1] - crops.at(2 * i + 1));
  }
  return {whole};
}

}  // namespace

void add_tf_movement(TfOps& all) {
  all.insert({{"Shape", shape},
              {"ShapeN", shape_n},
              {"Size", size},
              {"Rank", rank},
              {"Reshape", reshape},
              {"Squeeze", squeeze},
              {"ExpandDims", expand_dims},
              {"Transpose", transpose},
              {"ConcatV2", concat},
              {"Pack", pack},
              {"Unpack", unpack},
              {"Split", split},
              {"SplitV", split_v},
              {"Slice", slice},
              {"StridedSlice", strided_slice},
              {"Pad", pad},
              {"PadV2", pad},
              {"MirrorPad", mirror_pad},
              {"Tile", tile},
              {"BroadcastTo", broadcast_to},
              {"BroadcastArgs", broadcast_args},
              {"Fill", fill},
              {"Range", range},
              {"ReverseV2", reverse},
              {"Roll", roll},
              {"MatrixBandPart", band_part},
              {"SpaceToDepth", space_to_depth},
              {"DepthToSpace", depth_to_space},
              {"SpaceToBatchND", space_to_batch},
              {"BatchToSpaceND", batch_to_space}});
}

}  // namespace antler::saving
