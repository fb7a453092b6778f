#include "runtime/kernel_cost.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "ops/nn/conv_geometry.h"

namespace antler::runtime {

using compiler::Plan;
using compiler::PlanKernel;

int64_t kernel_bytes(const Plan& plan, const PlanKernel& kernel) {
  std::vector<ir::ValueId> values = kernel.buffers;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  int64_t bytes = 0;
  for (const ir::ValueId v : values) {
    const TensorSpec& spec = plan.graph.spec(v);
    bytes += spec.shape.num_elements() * static_cast<int64_t>(dtype_size(spec.dtype));
  }
  return bytes;
}

int64_t kernel_flops(const Plan& plan, const PlanKernel& kernel) {
  if (kernel.kind != PlanKernel::Kind::library) return 0;
  const ir::Node& node = plan.graph.nodes[static_cast<size_t>(kernel.node)];
  const auto shape = [&](ir::ValueId v) -> const Shape& { return plan.graph.spec(v).shape; };
  const std::string_view op = node.op->name;
  if (op == "dot_general") {
    int64_t sums = 1;
    for (const int64_t axis : node.attrs.ints("lhs_contract")) {
      sums *= shape(node.inputs[0])[static_cast<int>(axis)];
    }
    return 2 * shape(node.outputs[0]).num_elements() * sums;
  }
  // Each element of y meets all of the kernel but its output channels, and of the taps those that
  // do not fall into holes of x; the gradients are sums over the same triples.
  const auto convolution = [&](const Shape& y, const Shape& w) {
    const int64_t channels = w.back();
    if (channels == 0) return int64_t{0};
    int64_t flops = 2 * y.num_elements() * (w.num_elements() / channels);
    for (const int64_t holes : node.attrs.ints("lhs_dilation")) flops /= holes;
    return flops;
  };
  if (op == "conv") return convolution(shape(node.outputs[0]), shape(node.inputs[1]));
  if (op == "conv_relu_pool") {
    const Shape& w = shape(node.inputs[1]);
    return convolution(ops::conv_output_shape("conv", shape(node.inputs[0]), w, node.attrs), w);
  }
  if (op == "conv_pool_filter_grad") {
    const Shape& w = shape(node.outputs[0]);
    return convolution(ops::conv_output_shape("conv", shape(node.inputs[0]), w, node.attrs), w);
  }
  if (op == "conv_input_grad") return convolution(shape(node.inputs[0]), shape(node.inputs[1]));
  if (op == "conv_filter_grad") return convolution(shape(node.inputs[1]), shape(node.outputs[0]));
  return 0;
}

}  // namespace antler::runtime
