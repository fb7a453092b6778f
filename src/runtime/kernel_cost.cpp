#include "runtime/kernel_cost.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "compiler/kernels.h"
#include "ops/nn/conv_geometry.h"

namespace antler::runtime {

using compiler::Plan;
using compiler::PlanKernel;

int64_t kernel_bytes(const Plan& plan, const PlanKernel& kernel) {
  std::vector<ir::ValueId> values = kernel.buffers;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  int64_t bytes = 0;
  for (const ir::ValueId v : values) bytes += compiler::bytes_of(plan.graph, v);
  return bytes;
}

int64_t kernel_flops(const Plan& plan, const PlanKernel& kernel) {
  if (kernel.kind != PlanKernel::Kind::library) return 0;
  const ir::Node& node = plan.graph.nodes[static_cast<size_t>(kernel.node)];
  const auto shape = [&](ir::ValueId v) -> const Shape& { return plan.graph.spec(v).shape; };
  const std::string_view op = node.op->name;
  if (op == "dot_general") {
    int64_t depth = 1;
    for (const int64_t axis : node.attrs.ints("lhs_contract")) {
      depth *= shape(node.inputs[0])[static_cast<int>(axis)];
    }
    return 2 * shape(node.outputs[0]).num_elements() * depth;
  }
  // Each element of y takes one multiply-add for each tap and input channel, except for taps on the
  // zeros of a dilated input. Both gradients take the same number.
  const auto convolution = [&](const Shape& y, const Shape& w) {
    const int64_t channels = w.back();
    if (channels == 0) return int64_t{0};
    int64_t flops = 2 * y.num_elements() * (w.num_elements() / channels);
    for (const int64_t dilation : node.attrs.ints("lhs_dilation")) flops /= dilation;
    return flops;
  };
  if (op == "conv") return convolution(shape(node.outputs[0]), shape(node.inputs[1]));
  if (op == "conv_relu_pool" || op == "conv_pool_filter_grad") {
    const Shape& w = shape(op == "conv_relu_pool" ? node.inputs[1] : node.outputs[0]);
    return convolution(ops::conv_output_shape("conv", shape(node.inputs[0]), w, node.attrs), w);
  }
  if (op == "conv_input_grad") return convolution(shape(node.inputs[0]), shape(node.inputs[1]));
  if (op == "conv_filter_grad") return convolution(shape(node.inputs[1]), shape(node.outputs[0]));
  return 0;
}

}  // namespace antler::runtime
