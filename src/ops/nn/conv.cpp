#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/nn/convolution.h"
#include "base/ceil_div.h"
#include "core/doubles.h"
#include "ops/families.h"
#include "ops/nn/conv_geometry.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

std::vector<TensorSpec> infer_conv(const ir::InferArgs& args) {
  check_conv_dtypes("conv", args.inputs[0].dtype, args.inputs[1].dtype);
  return {{args.inputs[0].dtype,
           conv_output_shape("conv", args.inputs[0].shape, args.inputs[1].shape, args.attrs)}};
}

void reference_conv(const ir::ReferenceArgs& args) {
  const std::vector<double> x = args.inputs[0].to_doubles();
  const std::vector<double> w = args.inputs[1].to_doubles();
  std::vector<double> y(static_cast<size_t>(args.outputs[0].size()), 0.0);
  const ConvGeometry geometry(args.inputs[0].shape(), args.inputs[1].shape(), args.attrs);
  geometry.for_each_product([&](int64_t xi, int64_t wi, int64_t yi) {
    y[static_cast<size_t>(yi)] += x[static_cast<size_t>(xi)] * w[static_cast<size_t>(wi)];
  });
  store_doubles(args.outputs[0], y);
}

Tensors vjp_conv(const ir::VjpArgs& args) {
  const Tensor& x = args.inputs[0];
  const Tensor& w = args.inputs[1];
  const Tensor& dy = args.grads[0];
  return {conv_input_grad_with(dy, w, args.attrs, x.shape()),
          conv_filter_grad_with(x, dy, args.attrs, w.shape())};
}

}  // namespace

const ir::OpDef kConv = {
    .name = "conv", .infer = infer_conv, .vjp = vjp_conv, .reference = reference_conv};

OpSpan conv_ops() {
  static constexpr const ir::OpDef* kOps[] = {&kConv, &kConvInputGrad, &kConvFilterGrad};
  return kOps;
}

Tensor conv_with(const Tensor& x, const Tensor& w, const ir::Attrs& attrs) {
  ir::Attrs own;
  for (const char* name : {"strides", "pad_low", "pad_high", "lhs_dilation", "rhs_dilation"}) {
    own.set(name, attrs.ints(name));
  }
  own.set("groups", attrs.integer("groups"));
  return ir::emit_one(kConv, {x, w}, own);
}

Tensor conv(const Tensor& x, const Tensor& kernel, const ConvDims& dims) {
  require_defined("conv", x);
  require_defined("conv", kernel);
  const auto spatial = static_cast<size_t>(std::max(x.rank() - 2, 0));
  const auto filled_up = [&](const std::vector<int64_t>& given, int64_t value) {
    return given.empty() ? ir::Ints(spatial, value) : given;
  };
  DType dtype = result_dtype({x, kernel});
  if (!is_floating(dtype)) dtype = DType::float32;
  return conv_with(to_dtype(x, dtype), to_dtype(kernel, dtype),
                   {{"strides", filled_up(dims.strides, 1)},
                    {"pad_low", filled_up(dims.pad_low, 0)},
                    {"pad_high", filled_up(dims.pad_high, 0)},
                    {"lhs_dilation", filled_up(dims.lhs_dilation, 1)},
                    {"rhs_dilation", filled_up(dims.rhs_dilation, 1)},
                    {"groups", dims.groups}});
}

Padding same_padding(int64_t size, int64_t window, int64_t stride, int64_t dilation) {
  const int64_t out = ceil_div(size, stride);
  const int64_t total =
      std::max<int64_t>((out - 1) * stride + (window - 1) * dilation + 1 - size, 0);
  return {total / 2, total - total / 2};
}

}  // namespace antler::ops
