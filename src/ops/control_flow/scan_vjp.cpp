#include <utility>
#include <vector>

#include "antler/core/dtype.h"
#include "antler/ops/control_flow.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/vjp.h"
#include "ops/control_flow/body.h"
#include "ops/control_flow/scan.h"

// With (c', y) = body(c, x, k), the gradient runs from the last step to the first:
//     carried:  dc (gradient of the carry), dk (sum of the gradients of the captures)
//     read:     c (carry before the step), x, dy
//     written:  dx
// Each step computes the intermediate values of the body again, so only the carries of the forward
// loop are stored.
namespace antler::ops {
namespace {

Tensors first(std::span<const Tensor> all, size_t count) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
}

ScanWork work_of(const ir::VjpArgs& args) {
  return args.attrs.has("in_steps") ? ScanWork::in_steps : ScanWork::anywhere;
}

/// The carry before each step, stacked.
Tensors saved_carries(const ir::VjpArgs& args, size_t num_carry, size_t num_xs) {
  if (args.attrs.has("saves_carry") && args.attrs.flag("saves_carry")) {
    return {args.outputs.end() - static_cast<std::ptrdiff_t>(num_carry), args.outputs.end()};
  }
  const Tensors captures(args.inputs.begin() + static_cast<std::ptrdiff_t>(num_carry + num_xs),
                         args.inputs.end());
  const ScanStep step = [&](const Tensors& carry, const Tensors& x) {
    const Tensors outputs = inline_graph(*args.regions[0], joined(joined(carry, x), captures));
    return std::pair<Tensors, Tensors>(first(outputs, num_carry), carry);
  };
  const Tensors xs(args.inputs.begin() + static_cast<std::ptrdiff_t>(num_carry),
                   args.inputs.begin() + static_cast<std::ptrdiff_t>(num_carry + num_xs));
  return scan(step, first(args.inputs, num_carry), xs,
              {.length = args.attrs.integer("length"),
               .reverse = args.attrs.flag("reverse"),
               .work = work_of(args)})
      .ys;
}

}  // namespace

Tensors vjp_scan(const ir::VjpArgs& args) {
  const auto num_carry = static_cast<size_t>(args.attrs.integer("num_carry"));
  const auto num_xs = static_cast<size_t>(args.attrs.integer("num_xs"));
  const size_t num_read = num_carry + num_xs;
  const Tensors captures(args.inputs.begin() + static_cast<std::ptrdiff_t>(num_read),
                         args.inputs.end());

  // Indices of the differentiable inputs, by group.
  std::vector<size_t> carries;
  std::vector<size_t> rows;
  std::vector<size_t> shared;
  for (size_t i = 0; i < args.inputs.size(); ++i) {
    if (!is_floating(args.inputs[i].dtype())) continue;
    (i < num_carry ? carries : i < num_read ? rows : shared).push_back(i);
  }
  Tensors init;
  for (size_t i : carries) {
    init.push_back(args.grads[i].defined() ? args.grads[i] : zeros_like(args.outputs[i]));
  }
  for (size_t i : shared) init.push_back(zeros_like(args.inputs[i]));

  Tensors read =
      joined(saved_carries(args, num_carry, num_xs), args.inputs.subspan(num_carry, num_xs));
  std::vector<size_t> with_grad;  // ys whose gradient is read
  for (size_t i = num_carry; i < args.grads.size(); ++i) {
    if (!args.grads[i].defined()) continue;
    with_grad.push_back(i);
    read.push_back(args.grads[i]);
  }

  std::vector<char> flows(args.inputs.size(), 0);
  const ScanStep step = [&](const Tensors& carried, const Tensors& x) {
    Tensors of_outputs(args.grads.size());
    for (size_t c = 0; c < carries.size(); ++c) of_outputs[carries[c]] = carried[c];
    for (size_t y = 0; y < with_grad.size(); ++y) of_outputs[with_grad[y]] = x[num_read + y];
    const Tensors inputs = joined(first(x, num_read), captures);
    const Tensors grads = vjp_of_graph(*args.regions[0], inputs, of_outputs);
    for (size_t i = 0; i < grads.size(); ++i) {
      if (grads[i].defined()) flows[i] = 1;
    }
    const auto or_zeros = [&](size_t i) {
      return grads[i].defined() ? grads[i] : zeros_like(inputs[i]);
    };
    Tensors next;
    for (size_t i : carries) next.push_back(or_zeros(i));
    for (size_t s = 0; s < shared.size(); ++s) {
      const Tensor& sum = carried[carries.size() + s];
      const Tensor& grad = grads[shared[s]];
      next.push_back(grad.defined() ? add(sum, grad) : sum);
    }
    Tensors ys;
    for (size_t i : rows) ys.push_back(or_zeros(i));
    return std::pair<Tensors, Tensors>(std::move(next), std::move(ys));
  };
  const ScanResult result = scan(step, std::move(init), std::move(read),
                                 {.length = args.attrs.integer("length"),
                                  .reverse = !args.attrs.flag("reverse"),
                                  .work = work_of(args)});

  Tensors grads(args.inputs.size());
  for (size_t c = 0; c < carries.size(); ++c) grads[carries[c]] = result.carry[c];
  for (size_t s = 0; s < shared.size(); ++s) {
    if (flows[shared[s]] != 0) grads[shared[s]] = result.carry[carries.size() + s];
  }
  for (size_t r = 0; r < rows.size(); ++r) {
    if (flows[rows[r]] != 0) grads[rows[r]] = result.ys[r];
  }
  return grads;
}

}  // namespace antler::ops
