#include <string>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "ops/conv/conv_geometry.h"
#include "ops/doubles.h"

// A convolution is linear in x and in the kernel, so the gradients of its gradients are the three
// convolutions again.
namespace antler::ops {
namespace {

void check_output_grad(const char* op, const Shape& x, const Shape& w, const Shape& dy,
                       const ir::Attrs& attrs) {
  const Shape expected = conv_output_shape(op, x, w, attrs);
  if (dy == expected) return;
  throw ValueError(std::string("ops::") + op + ": the gradient of the output must have shape " +
                   expected.str() + ". Received: " + dy.str());
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

/// The attributes of the convolution and the shape that they do not tell.
ir::Attrs with_shape(const ir::Attrs& attrs, const char* name, const Shape& shape) {
  ir::Attrs result;
  for (const char* ints : {"strides", "pad_low", "pad_high", "lhs_dilation", "rhs_dilation"}) {
    result.set(ints, attrs.ints(ints));
  }
  result.set("groups", attrs.integer("groups"));
  result.set(name, shape.dims());
  return result;
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
  return ir::emit_one(kConvFilterGrad, {x, dy}, with_shape(attrs, "filter_shape", filter_shape));
}

}  // namespace antler::ops
