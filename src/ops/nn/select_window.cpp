#include <string>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "core/doubles.h"
#include "ops/nn/windows.h"
#include "ops/support.h"

// The gradient of a maximum or minimum over windows, and the gradient of that gradient. Both use
// the first extremum of each window of x; neither has a gradient with respect to x.
namespace antler::ops {
namespace {

/// The position in x of the extremum of each window; -1 for a window of padding only.
std::vector<int64_t> selected_positions(const Tensor& x, const Shape& out, const ir::Attrs& attrs) {
  const bool largest = attrs.string("op") == "max";
  const std::vector<double> values = x.to_doubles();
  std::vector<int64_t> best(static_cast<size_t>(out.num_elements()), -1);
  for_each_window_element(x.shape(), out, attrs, [&](int64_t o, int64_t i, bool first) {
    int64_t& b = best[static_cast<size_t>(o)];
    const double value = values[static_cast<size_t>(i)];
    if (first || (largest ? value > values[static_cast<size_t>(b)]
                          : value < values[static_cast<size_t>(b)])) {
      b = i;
    }
  });
  return best;
}

/// `expected`: the shape of the second operand.
void check_operands(const char* op, const ir::InferArgs& args, const Shape& expected) {
  const std::string& name = args.attrs.string("op");
  if (name != "max" && name != "min") {
    throw ValueError("ops::{}: op must be max or min. Received: {}", op, name);
  }
  if (args.inputs[0].dtype != args.inputs[1].dtype || !(args.inputs[1].shape == expected)) {
    throw ValueError("ops::{}: the second operand must be {}. Received: {}", op,
                     spec_str({args.inputs[0].dtype, expected}), spec_str(args.inputs[1]));
  }
}

std::vector<TensorSpec> infer_select_and_scatter(const ir::InferArgs& args) {
  const TensorSpec& x = args.inputs[0];
  check_operands("select_and_scatter_add", args,
                 window_output_shape("select_and_scatter_add", x.shape, args.attrs));
  return {x};
}

void reference_select_and_scatter(const ir::ReferenceArgs& args) {
  const Tensor& x = args.inputs[0];
  const std::vector<double> dy = args.inputs[1].to_doubles();
  const std::vector<int64_t> at = selected_positions(x, args.inputs[1].shape(), args.attrs);
  std::vector<double> dx(static_cast<size_t>(x.size()), 0.0);
  for (size_t o = 0; o < at.size(); ++o) {
    if (at[o] >= 0) dx[static_cast<size_t>(at[o])] += dy[o];
  }
  store_doubles(args.outputs[0], dx);
}

Tensors vjp_select_and_scatter(const ir::VjpArgs& args) {
  return {{}, select_window_with(args.inputs[0], args.grads[0], args.attrs)};
}

std::vector<TensorSpec> infer_select(const ir::InferArgs& args) {
  const TensorSpec& x = args.inputs[0];
  check_operands("select_window", args, x.shape);
  return {{x.dtype, window_output_shape("select_window", x.shape, args.attrs)}};
}

void reference_select(const ir::ReferenceArgs& args) {
  const Tensor& x = args.inputs[0];
  const std::vector<double> g = args.inputs[1].to_doubles();
  const std::vector<int64_t> at = selected_positions(x, args.outputs[0].shape(), args.attrs);
  std::vector<double> selected(at.size(), 0.0);
  for (size_t o = 0; o < at.size(); ++o) {
    if (at[o] >= 0) selected[o] = g[static_cast<size_t>(at[o])];
  }
  store_doubles(args.outputs[0], selected);
}

Tensors vjp_select(const ir::VjpArgs& args) {
  return {{}, select_and_scatter_add_with(args.inputs[0], args.grads[0], args.attrs)};
}

}  // namespace

const ir::OpDef kSelectAndScatterAdd = {.name = "select_and_scatter_add",
                                        .infer = infer_select_and_scatter,
                                        .vjp = vjp_select_and_scatter,
                                        .reference = reference_select_and_scatter};
const ir::OpDef kSelectWindow = {.name = "select_window",
                                 .infer = infer_select,
                                 .vjp = vjp_select,
                                 .reference = reference_select};

Tensor select_and_scatter_add_with(const Tensor& x, const Tensor& dy, const ir::Attrs& attrs) {
  return ir::emit_one(kSelectAndScatterAdd, {x, dy}, attrs);
}

Tensor select_window_with(const Tensor& x, const Tensor& g, const ir::Attrs& attrs) {
  return ir::emit_one(kSelectWindow, {x, g}, attrs);
}

}  // namespace antler::ops
