#include <algorithm>
#include <numeric>
#include <string_view>

#include "antler/base/format.h"
#include "pjrt/lowering/families.h"
#include "pjrt/lowering/mesh.h"
#include "pjrt/lowering/precision.h"

// x [n, spatial..., c_in], w [spatial..., c_in / groups, c_out], y [n, spatial..., c_out]. The
// gradients are convolutions as well, with the dimensions in different roles: kernel element k of
// output o meets input i where
//     i * lhs_dilation = o * stride - pad_low + k * rhs_dilation
namespace antler::pjrt {
namespace {

/// The attributes of a StableHLO convolution.
struct Convolved {
  Ints strides, pad_low, pad_high, lhs_dilation, rhs_dilation;
  int64_t feature_groups = 1;
  int64_t batch_groups = 1;
  /// The roles of the first dimension and of the last two of each operand.
  const char* dimension_numbers = nullptr;
};

/// `pattern` with S in the places of the spatial dimensions: "[b, S, f]" becomes "[b, 0, 1, f]".
std::string with_spatial(std::string_view pattern, size_t spatial) {
  Ints numbers(spatial);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::string text;
  for (const char c : pattern) {
    if (c == 'S') {
      text += join_ints(numbers);
    } else {
      text += c;
    }
  }
  return text;
}

Value emit_convolution(Emitter& emit, const Value& x, const Value& w, const Type& result,
                       const Convolved& c) {
  std::vector<std::pair<int64_t, int64_t>> padding;
  for (size_t i = 0; i < c.strides.size(); ++i) padding.emplace_back(c.pad_low[i], c.pad_high[i]);
  const char* const precision = product_precision(result.element);
  return emit.op(
      "convolution", {x, w}, result,
      format("window_strides = {}, padding = {}, lhs_dilation = {}, rhs_dilation = {}, "
             "dimension_numbers = #stablehlo.conv<{}>, feature_group_count = {}, "
             "batch_group_count = {}, precision_config = [{}, {}]",
             i64_array(c.strides), i64_pairs(padding), i64_array(c.lhs_dilation),
             i64_array(c.rhs_dilation), with_spatial(c.dimension_numbers, c.strides.size()),
             i64_scalar(c.feature_groups), i64_scalar(c.batch_groups), precision, precision));
}

/// If an operand or the result has no elements, every element of the result is an empty sum.
bool is_empty_sum(const LowerArgs& args) {
  return args[0].type.num_elements() == 0 || args[1].type.num_elements() == 0 ||
         args.result().num_elements() == 0;
}

/// The extent of n elements with `dilation`; n is positive.
int64_t spread_size(int64_t n, int64_t dilation) { return (n - 1) * dilation + 1; }

Convolved forward_attributes(const LowerArgs& args) {
  const ir::Attrs& attrs = args.attrs();
  return {.strides = attrs.ints("strides"),
          .pad_low = attrs.ints("pad_low"),
          .pad_high = attrs.ints("pad_high"),
          .lhs_dilation = attrs.ints("lhs_dilation"),
          .rhs_dilation = attrs.ints("rhs_dilation"),
          .feature_groups = attrs.integer("groups"),
          .dimension_numbers = "[b, S, f]x[S, i, o]->[b, S, f]"};
}

Values lower_conv(const LowerArgs& args) {
  const Type result = args.result();
  if (is_empty_sum(args)) return {args.emit.fill(0, result)};
  return {emit_convolution(args.emit, args[0], args[1], result, forward_attributes(args))};
}

/// Flips the spatial dimensions of a kernel, moves its groups from the outputs to the inputs, and
/// swaps these two dimensions: [spatial..., c_in, c_out / groups].
Value flipped_kernel(Emitter& emit, Value w, int64_t groups) {
  const Ints dims = w.type.dims;
  const auto spatial = static_cast<int64_t>(dims.size()) - 2;
  Ints flipped;
  for (int64_t i = 0; i < spatial; ++i) {
    if (dims[static_cast<size_t>(i)] > 1) flipped.push_back(i);
  }
  if (!flipped.empty()) w = emit.op("reverse", {w}, w.type, "dimensions = " + i64_array(flipped));
  if (groups == 1) return w;
  Ints split(dims.begin(), dims.end() - 1);
  split.insert(split.end(), {groups, dims.back() / groups});
  Ints order(static_cast<size_t>(spatial));
  std::iota(order.begin(), order.end(), 0);
  order.insert(order.end(), {spatial + 1, spatial, spatial + 2});
  Ints merged(dims.begin(), dims.end() - 2);
  merged.insert(merged.end(), {dims[dims.size() - 2] * groups, dims.back() / groups});
  return emit.reshape(emit.transpose(emit.reshape(w, split), order), merged);
}

/// Solved for o: a convolution of dy with the flipped kernel, in which strides and dilations of the
/// input swap places.
Values lower_conv_input_grad(const LowerArgs& args) {
  const Type dx = args.result();
  if (is_empty_sum(args)) return {args.emit.fill(0, dx)};
  const Value& dy = args[0];
  Convolved c = forward_attributes(args);
  std::swap(c.strides, c.lhs_dilation);
  c.dimension_numbers = "[b, S, f]x[S, o, i]->[b, S, f]";
  for (size_t i = 0; i < c.strides.size(); ++i) {
    const int64_t reach = (args[1].type.dims[i] - 1) * c.rhs_dilation[i];
    c.pad_low[i] = reach - c.pad_low[i];
    c.pad_high[i] = (dx.dims[i + 1] - 1) * c.strides[i] + reach + 1 -
                    spread_size(dy.type.dims[i + 1], c.lhs_dilation[i]) - c.pad_low[i];
  }
  const Value w = flipped_kernel(args.emit, args[1], c.feature_groups);
  return {emit_convolution(args.emit, dy, w, dx, c)};
}

/// XLA's partitioner handles groups incorrectly if the batch dimension is divided along one axis of
/// a mesh and the features along another (in JAX 0.10, too). Such operands must be whole.
Value whole_on_mesh(Emitter& emit, const Value& x, int64_t batch_groups) {
  const ops::DeviceGrid* const grid = emit.grid();
  if (grid == nullptr || batch_groups == 1) return x;
  const auto divides = [](int64_t size) { return size > 1; };
  if (std::count_if(grid->axis_sizes.begin(), grid->axis_sizes.end(), divides) < 2) return x;
  return emit.constrain(x, sharding_text(*grid, Layout(x.type.dims.size(), -1)));
}

/// Solved for k: a convolution of x with dy as the kernel, which sums over the batch. The channels
/// of x take the place of its batch.
Values lower_conv_filter_grad(const LowerArgs& args) {
  const Type dw = args.result();
  if (is_empty_sum(args)) return {args.emit.fill(0, dw)};
  Convolved c = forward_attributes(args);
  const Value x = whole_on_mesh(args.emit, args[0], c.feature_groups);
  const Value dy = whole_on_mesh(args.emit, args[1], c.feature_groups);
  std::swap(c.strides, c.rhs_dilation);
  std::swap(c.feature_groups, c.batch_groups);
  c.dimension_numbers = "[f, S, b]x[i, S, o]->[S, b, f]";
  for (size_t i = 0; i < c.strides.size(); ++i) {
    c.pad_high[i] = (dw.dims[i] - 1) * c.strides[i] +
                    spread_size(dy.type.dims[i + 1], c.rhs_dilation[i]) -
                    spread_size(x.type.dims[i + 1], c.lhs_dilation[i]) - c.pad_low[i];
  }
  return {emit_convolution(args.emit, x, dy, dw, c)};
}

constexpr Rule kConvolutionRules[] = {
    {"conv", lower_conv},
    {"conv_input_grad", lower_conv_input_grad},
    {"conv_filter_grad", lower_conv_filter_grad},
};

}  // namespace

Rules convolution_rules() { return kConvolutionRules; }

}  // namespace antler::pjrt
