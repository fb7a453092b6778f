#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ir/tracer.h"
#include "antler/ops/control_flow.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/manipulation.h"
#include "ops/control_flow/body.h"
#include "ops/control_flow/scan.h"
#include "ops/support.h"

// scan(carry..., xs..., captures...) {num_carry, num_xs, length, reverse, saves_carry} gives the
// last carry and the stacked ys. With saves_carry, the last num_carry ys are the carries before
// each step, which the gradient needs (scan_vjp.cpp). With in_steps, passes do not move work out of
// the body.
namespace antler::ops {
namespace {

TensorSpec without_first(const TensorSpec& spec) {
  return {spec.dtype, Shape(spec.shape.begin() + 1, spec.shape.end())};
}

TensorSpec with_first(int64_t length, const TensorSpec& spec) {
  std::vector<int64_t> dims = spec.shape.dims();
  dims.insert(dims.begin(), length);
  return {spec.dtype, Shape(std::move(dims))};
}

std::vector<TensorSpec> infer_scan(const ir::InferArgs& args) {
  if (args.regions.size() != 1) throw InternalError("scan needs one region");
  const ir::Graph& body = *args.regions[0];
  const auto num_carry = static_cast<size_t>(args.attrs.integer("num_carry"));
  const auto num_xs = static_cast<size_t>(args.attrs.integer("num_xs"));
  const int64_t length = args.attrs.integer("length");
  std::vector<TensorSpec> inputs(args.inputs.begin(), args.inputs.end());
  for (size_t i = num_carry; i < num_carry + num_xs; ++i) {
    if (inputs[i].shape.rank() < 1 || inputs[i].shape[0] != length) {
      throw ValueError("ops::scan: xs must have length {} along axis 0. Received: {}", length,
                       spec_str(inputs[i]));
    }
    inputs[i] = without_first(inputs[i]);
  }
  require_specs("scan", "operand", region_specs(body, body.inputs), inputs);
  std::vector<TensorSpec> outputs = region_specs(body, body.outputs);
  if (outputs.size() < num_carry) {
    throw ValueError("ops::scan: the step must return {} carries. Received: {}", num_carry,
                     outputs.size());
  }
  require_specs("scan", "carry", args.inputs.first(num_carry), std::span(outputs).first(num_carry));
  for (size_t i = num_carry; i < outputs.size(); ++i) outputs[i] = with_first(length, outputs[i]);
  return outputs;
}

void reference_scan(const ir::ReferenceArgs& args) {
  const auto num_carry = static_cast<size_t>(args.attrs.integer("num_carry"));
  const auto num_xs = static_cast<size_t>(args.attrs.integer("num_xs"));
  const int64_t length = args.attrs.integer("length");
  const bool reverse = args.attrs.flag("reverse");
  Tensors operands(args.inputs.begin(), args.inputs.end());
  for (int64_t i = 0; i < length; ++i) {
    const auto t = static_cast<size_t>(reverse ? length - 1 - i : i);
    for (size_t x = num_carry; x < num_carry + num_xs; ++x) {
      const TensorSpec spec = without_first(args.inputs[x].spec());
      operands[x] = Tensor::empty(spec.dtype, spec.shape);
      const size_t bytes = operands[x].bytes();
      if (bytes == 0) continue;
      std::memcpy(operands[x].mutable_data(),
                  static_cast<const char*>(args.inputs[x].data()) + t * bytes, bytes);
    }
    const Tensors results = run_region(*args.regions[0], operands);
    for (size_t y = 0; y < results.size(); ++y) {
      if (y < num_carry) {
        operands[y] = results[y];
      } else if (results[y].bytes() != 0) {
        std::memcpy(static_cast<char*>(args.outputs[y].mutable_data()) + t * results[y].bytes(),
                    results[y].data(), results[y].bytes());
      }
    }
  }
  for (size_t i = 0; i < num_carry; ++i) copy_elements(operands[i], args.outputs[i]);
}

int64_t length_of(const Tensors& xs, int64_t length) {
  for (const Tensor& x : xs) {
    if (x.rank() < 1 || (length >= 0 && x.dim(0) != length)) {
      throw ValueError(
          "ops::scan: all xs must have the same size along axis 0, which is `length` if given. "
          "Received: x.shape={}, length={}",
          x.shape(), length);
    }
    length = x.dim(0);
  }
  if (length < 0) throw ValueError("ops::scan: `length` is required without xs.");
  return length;
}

/// Runs a step and checks its carries. Returns the carries, then the ys.
Tensors step_checked(const ScanStep& step, const Tensors& carry, const Tensors& x) {
  auto [next, ys] = step(carry, x);
  for (const Tensor& t : next) require_defined("scan", t);
  next = strong(std::move(next));
  require_specs("scan", "carry", specs_of(carry), specs_of(next));
  return joined(next, ys);
}

/// The ys of a loop without steps. Their specs are known only from a trace.
Tensors empty_ys(const ScanStep& step, const Tensors& init, const std::vector<TensorSpec>& xs) {
  const ir::ObserverSuspension unseen;
  const ReadObserverSuspension unread;
  ir::Tracer tracer;
  Tensors carry;
  Tensors x;
  for (const Tensor& t : init) carry.push_back(tracer.input(t.spec()));
  for (const TensorSpec& spec : xs) x.push_back(tracer.input(spec));
  const Tensors outputs = step_checked(step, carry, x);
  Tensors ys;
  for (size_t i = init.size(); i < outputs.size(); ++i) {
    const TensorSpec spec = with_first(0, outputs[i].spec());
    ys.push_back(Tensor::empty(spec.dtype, spec.shape));
  }
  return ys;
}

/// Without a trace, the loop is a C++ loop.
ScanResult run_now(const ScanStep& step, Tensors carry, const Tensors& xs, int64_t length,
                   bool reverse) {
  if (length == 0) {
    std::vector<TensorSpec> specs;
    for (const Tensor& x : xs) specs.push_back(without_first(x.spec()));
    Tensors ys = empty_ys(step, carry, specs);
    return {std::move(carry), std::move(ys)};
  }
  std::vector<Tensors> rows;  // ys by output, then by step
  for (int64_t i = 0; i < length; ++i) {
    const int64_t t = reverse ? length - 1 - i : i;
    Tensors x;
    for (const Tensor& all : xs) x.push_back(squeeze(slice_axis(all, 0, t, t + 1), 0));
    const Tensors outputs = step_checked(step, carry, x);
    const size_t count = carry.size();
    carry.assign(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(count));
    rows.resize(outputs.size() - count, Tensors(static_cast<size_t>(length)));
    for (size_t y = 0; y < rows.size(); ++y) {
      rows[y][static_cast<size_t>(t)] = outputs[count + y];
    }
  }
  Tensors ys;
  for (const Tensors& row : rows) ys.push_back(stack(row, 0));
  return {std::move(carry), std::move(ys)};
}

}  // namespace

const ir::OpDef kScan = {
    .name = "scan", .infer = infer_scan, .vjp = vjp_scan, .reference = reference_scan};

ScanResult scan(const ScanStep& step, std::vector<Tensor> init, std::vector<Tensor> xs,
                ScanOptions options) {
  for (const Tensor& t : init) require_defined("scan", t);
  for (const Tensor& t : xs) require_defined("scan", t);
  const int64_t length = length_of(xs, options.length);
  const bool reverse = options.reverse;
  init = strong(std::move(init));
  if (!must_trace(joined(init, xs))) return run_now(step, std::move(init), xs, length, reverse);

  // Carries are saved only if a tape observes the scan.
  bool saves_carry = false;
  {
    const ir::ObserverSuspension probe;
    saves_carry = probe.hides_any();
  }
  std::vector<Variable> assigned;  // carried too, after `init`
  const size_t own = init.size();
  size_t num_ys = 0;
  const auto body = [&](const Tensors& arguments) {
    const auto own_end = arguments.begin() + static_cast<std::ptrdiff_t>(own);
    const auto carry_end = own_end + static_cast<std::ptrdiff_t>(assigned.size());
    for (size_t i = 0; i < assigned.size(); ++i) assigned[i].assign(arguments[own + i]);
    const Tensors stepped =
        step_checked(step, {arguments.begin(), own_end}, {carry_end, arguments.end()});
    const auto ys = stepped.begin() + static_cast<std::ptrdiff_t>(own);
    num_ys = stepped.size() - own;
    Tensors outputs(stepped.begin(), ys);
    for (const Variable& v : assigned) outputs.push_back(v.value());
    outputs.insert(outputs.end(), ys, stepped.end());
    if (saves_carry) outputs.insert(outputs.end(), arguments.begin(), carry_end);
    return outputs;
  };
  const auto trace = [&] {
    std::vector<TensorSpec> specs = specs_of(init);
    for (const Tensor& x : xs) specs.push_back(without_first(x.spec()));
    return trace_body("scan", specs, body);
  };
  Body traced = trace();
  if (!traced.assigned.empty()) {  // as in while_loop(), trace again with the variables as carries
    assigned = traced.assigned;
    for (const Variable& v : assigned) init.push_back(v.value());
    traced = trace();
  }
  traced.graph.outputs.resize(traced.num_outputs);
  ir::Attrs attrs = {{"num_carry", static_cast<int64_t>(init.size())},
                     {"num_xs", static_cast<int64_t>(xs.size())},
                     {"length", length},
                     {"reverse", reverse},
                     {"saves_carry", saves_carry}};
  if (options.work == ScanWork::in_steps) attrs.set("in_steps", true);
  Tensors outputs = ir::emit(kScan, joined(joined(init, xs), traced.captures), attrs,
                             {std::make_shared<const ir::Graph>(std::move(traced.graph))});
  for (size_t i = 0; i < assigned.size(); ++i) assigned[i].assign(outputs[own + i]);
  const auto ys = outputs.begin() + static_cast<std::ptrdiff_t>(init.size());
  return {{outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(own)},
          {ys, ys + static_cast<std::ptrdiff_t>(num_ys)}};
}

std::vector<Tensor> fori_loop(
    int64_t low, int64_t high,
    const std::function<std::vector<Tensor>(const Tensor& i, const std::vector<Tensor>&)>& body,
    std::vector<Tensor> values) {
  if (high <= low) return values;
  const ScanStep step = [&](const Tensors& carry, const Tensors& x) {
    return std::pair<Tensors, Tensors>(body(x[0], carry), {});
  };
  return scan(step, std::move(values), {arange(low, high)}).carry;
}

}  // namespace antler::ops
