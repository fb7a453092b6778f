#include <algorithm>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/numpy/manipulation.h"
#include "core/doubles.h"
#include "ops/nn/conv_geometry.h"

// A convolution is linear in x and in the kernel, so the gradients of its gradients are these same
// three ops.
namespace antler::ops {
namespace {

void check_output_grad(const char* op, const Shape& x, const Shape& w, const Shape& dy,
                       const ir::Attrs& attrs) {
  const Shape expected = conv_output_shape(op, x, w, attrs);
  if (dy == expected) return;
  throw ValueError("ops::{}: the gradient of the output must have shape {}. Received: {}", op,
                   expected, dy);
}

std::vector<TensorSpec> infer_input_grad(const ir::InferArgs& args) {
  check_conv_dtypes("conv_input_grad", args.inputs[0].dtype, args.inputs[1].dtype);
  Shape x(args.attrs.ints("input_shape"));
  check_output_grad("conv_input_grad", x, args.inputs[1].shape, args.inputs[0].shape, args.attrs);
  return {{args.inputs[0].dtype, std::move(x)}};
}

void reference_input_grad(const ir::ReferenceArgs& args) {
  const std::vector<double> dy = args.inputs[0].to_doubles();
  const std::vector<double> w = args.inputs[1].to_doubles();
  std::vector<double> dx(static_cast<size_t>(args.outputs[0].size()), 0.0);
  const ConvGeometry geometry(args.outputs[0].shape(), args.inputs[1].shape(), args.attrs);
  geometry.for_each_product([&](int64_t xi, int64_t wi, int64_t yi) {
    dx[static_cast<size_t>(xi)] += dy[static_cast<size_t>(yi)] * w[static_cast<size_t>(wi)];
  });
  store_doubles(args.outputs[0], dx);
}

Tensors vjp_input_grad(const ir::VjpArgs& args) {
  const Tensor& dy = args.inputs[0];
  const Tensor& w = args.inputs[1];
  const Tensor& g = args.grads[0];  // shaped like x
  return {conv_with(g, w, args.attrs), conv_filter_grad_with(g, dy, args.attrs, w.shape())};
}

std::vector<TensorSpec> infer_filter_grad(const ir::InferArgs& args) {
  check_conv_dtypes("conv_filter_grad", args.inputs[0].dtype, args.inputs[1].dtype);
  Shape w(args.attrs.ints("filter_shape"));
  check_output_grad("conv_filter_grad", args.inputs[0].shape, w, args.inputs[1].shape, args.attrs);
  return {{args.inputs[0].dtype, std::move(w)}};
}

void reference_filter_grad(const ir::ReferenceArgs& args) {
  const std::vector<double> x = args.inputs[0].to_doubles();
  const std::vector<double> dy = args.inputs[1].to_doubles();
  std::vector<double> dw(static_cast<size_t>(args.outputs[0].size()), 0.0);
  const ConvGeometry geometry(args.inputs[0].shape(), args.outputs[0].shape(), args.attrs);
  geometry.for_each_product([&](int64_t xi, int64_t wi, int64_t yi) {
    dw[static_cast<size_t>(wi)] += x[static_cast<size_t>(xi)] * dy[static_cast<size_t>(yi)];
  });
  store_doubles(args.outputs[0], dw);
}

Tensors vjp_filter_grad(const ir::VjpArgs& args) {
  const Tensor& x = args.inputs[0];
  const Tensor& dy = args.inputs[1];
  const Tensor& g = args.grads[0];  // shaped like the kernel
  return {conv_input_grad_with(dy, g, args.attrs, x.shape()), conv_with(x, g, args.attrs)};
}

/// The attributes of the convolution, and the shape that they do not determine.
ir::Attrs with_shape(const ir::Attrs& attrs, const char* name, const Shape& shape) {
  ir::Attrs result;
  for (const char* ints : {"strides", "pad_low", "pad_high", "lhs_dilation", "rhs_dilation"}) {
    result.set(ints, attrs.ints(ints));
  }
  result.set("groups", attrs.integer("groups"));
  result.set(name, shape.dims());
  return result;
}

bool are_all_one(const ir::Ints& values) {
  return std::all_of(values.begin(), values.end(), [](int64_t v) { return v == 1; });
}

/// Whether this is a transposed convolution whose kernel transposed_filter_grad() can handle.
bool is_transposed(const Tensor& x, const ir::Attrs& attrs) {
  return x.size() > 0 && attrs.integer("groups") == 1 && are_all_one(attrs.ints("strides")) &&
         !are_all_one(attrs.ints("lhs_dilation"));
}

/// The kernel gradient of a transposed convolution, computed as that of the strided convolution
/// from y to x, whose input has no gaps. Input and output swap places, the kernel is flipped and
/// its channels are swapped.
Tensor transposed_filter_grad(const Tensor& x, const Tensor& dy, const ir::Attrs& attrs,
                              const Shape& filter_shape) {
  const ir::Ints& dilation = attrs.ints("rhs_dilation");
  const ir::Ints& stride = attrs.ints("lhs_dilation");
  ir::Attrs strided = attrs;
  strided.set("strides", stride);
  strided.set("lhs_dilation", attrs.ints("strides"));
  ir::Ints low = attrs.ints("pad_low");
  ir::Ints high = attrs.ints("pad_high");
  std::vector<int64_t> spatial;
  for (size_t i = 0; i < low.size(); ++i) {
    const int64_t reach = (filter_shape.dims()[i] - 1) * dilation[i];
    low[i] = reach - low[i];
    high[i] =
        (x.shape().dims()[i + 1] - 1) * stride[i] + reach + 1 - dy.shape().dims()[i + 1] - low[i];
    spatial.push_back(static_cast<int64_t>(i));
  }
  strided.set("pad_low", std::move(low));
  strided.set("pad_high", std::move(high));
  std::vector<int64_t> shape = filter_shape.dims();
  std::swap(shape[shape.size() - 2], shape.back());
  const auto channels = static_cast<int64_t>(spatial.size());
  std::vector<int64_t> order = spatial;
  order.insert(order.end(), {channels + 1, channels});
  const Tensor gradient = ir::emit_one(
      kConvFilterGrad, {dy, x}, with_shape(strided, "filter_shape", Shape(std::move(shape))));
  return reverse(transpose(gradient, order), spatial);
}

}  // namespace

const ir::OpDef kConvInputGrad = {.name = "conv_input_grad",
                                  .infer = infer_input_grad,
                                  .vjp = vjp_input_grad,
                                  .reference = reference_input_grad};
const ir::OpDef kConvFilterGrad = {.name = "conv_filter_grad",
                                   .infer = infer_filter_grad,
                                   .vjp = vjp_filter_grad,
                                   .reference = reference_filter_grad};

Tensor conv_input_grad_with(const Tensor& dy, const Tensor& w, const ir::Attrs& attrs,
                            const Shape& input_shape) {
  return ir::emit_one(kConvInputGrad, {dy, w}, with_shape(attrs, "input_shape", input_shape));
}

Tensor conv_filter_grad_with(const Tensor& x, const Tensor& dy, const ir::Attrs& attrs,
                             const Shape& filter_shape) {
  if (is_transposed(x, attrs)) return transposed_filter_grad(x, dy, attrs, filter_shape);
  return ir::emit_one(kConvFilterGrad, {x, dy}, with_shape(attrs, "filter_shape", filter_shape));
}

}  // namespace antler::ops
