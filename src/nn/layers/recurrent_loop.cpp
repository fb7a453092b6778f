#include "nn/layers/recurrent_loop.h"

#include <utility>

#include "antler/base/error.h"
#include "antler/ops/control_flow.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"

namespace antler {

namespace {

/// Selects by the mask of one step, [batch] or [batch, 1...], which is reshaped to broadcast to a
/// value [batch, ...].
Tensor select(const Tensor& mask, const Tensor& if_kept, const Tensor& otherwise) {
  Tensor m = mask;
  while (m.rank() < if_kept.rank()) m = ops::expand_dims(m, -1);
  return ops::where(m, if_kept, otherwise);
}

/// scan() as an unrolled loop.
ops::ScanResult unrolled(const ops::ScanStep& step, Tensors carry, const Tensors& xs,
                         bool reverse) {
  const int64_t length = xs[0].dim(0);
  std::vector<Tensors> parts;
  for (const Tensor& x : xs) parts.push_back(ops::unstack(x, 0));
  std::vector<Tensors> rows;
  for (int64_t i = 0; i < length; ++i) {
    const auto t = static_cast<size_t>(reverse ? length - 1 - i : i);
    Tensors now;
    for (const Tensors& part : parts) now.push_back(part[t]);
    auto [next, ys] = step(carry, now);
    carry = std::move(next);
    rows.resize(ys.size(), Tensors(static_cast<size_t>(length)));
    for (size_t y = 0; y < ys.size(); ++y) rows[y][t] = ys[y];
  }
  Tensors stacked;
  for (const Tensors& row : rows) stacked.push_back(ops::stack(row, 0));
  return {std::move(carry), std::move(stacked)};
}

}  // namespace

SequenceResult run_recurrent(const RecurrentLoop& loop, const Tensor& x, const Nest& initial,
                             const Tensor& mask) {
  const bool masked = mask.defined();
  const bool zeroed = masked && loop.zero_output_for_mask;
  // Keras zeroes the outputs after an unrolled loop and does not reverse the mask. In a reverse
  // loop, an output is therefore zeroed by the mask of the mirrored step.
  const bool zeroed_after = zeroed && loop.unroll && loop.reverse;
  // The last output is a carry unless it equals a state. The initial output is zero, but initial
  // states may not be; and if outputs are zeroed, masked steps still keep their states.
  const bool zeroed_now = zeroed && !zeroed_after;
  const bool is_state = loop.output_state >= 0 && (!masked || (!zeroed_now && loop.starts_at_zero));
  const bool carries_output = !is_state && ((masked && !zeroed_now) || !loop.return_sequences);

  Tensors carry = initial.flatten();
  const size_t num_states = carry.size();
  if (carries_output) carry.push_back(ops::zeros(loop.output.shape, loop.output.dtype));
  Tensor steps = ops::swapaxes(x, 0, 1);
  Tensors xs{loop.cell.project ? loop.cell.project(steps) : steps};
  if (masked) xs.push_back(ops::swapaxes(ops::cast(mask, DType::boolean), 0, 1));

  const ops::ScanStep step = [&](const Tensors& before, const Tensors& now) {
    const Tensors old(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(num_states));
    const CellResult result = loop.cell.step(now[0], initial.pack(old));
    Tensors next = result.states.flatten();
    Tensor output = result.output;
    if (masked) {
      for (size_t i = 0; i < next.size(); ++i) next[i] = select(now[1], next[i], old[i]);
      if (zeroed_now) {
        output = select(now[1], output, ops::zeros_like(output));
      } else {
        output = is_state ? next[static_cast<size_t>(loop.output_state)]
                          : select(now[1], output, before.back());
      }
    }
    if (carries_output) next.push_back(output);
    Tensors ys;
    if (loop.return_sequences) ys.push_back(output);
    return std::pair<Tensors, Tensors>(std::move(next), std::move(ys));
  };
  ops::ScanResult result = loop.unroll
                               ? unrolled(step, std::move(carry), xs, loop.reverse)
                               : ops::scan(step, std::move(carry), xs, {.reverse = loop.reverse});

  SequenceResult all;
  const auto states_end = result.carry.begin() + static_cast<std::ptrdiff_t>(num_states);
  all.states = initial.pack(Tensors(result.carry.begin(), states_end));
  if (loop.return_sequences) all.sequence = ops::swapaxes(result.ys[0], 0, 1);
  if (carries_output) {
    all.last = result.carry.back();
  } else if (is_state) {
    all.last = result.carry[static_cast<size_t>(loop.output_state)];
  }
  if (zeroed_after) {
    const auto zero = [](const Tensor& keep, const Tensor& x) {
      return x.defined() ? select(keep, x, ops::zeros_like(x)) : x;
    };
    const Tensor keep = ops::cast(mask, DType::boolean);
    all.sequence = zero(ops::reverse(keep, {1}), all.sequence);
    all.last = zero(ops::squeeze(ops::slice_axis(keep, 1, 0, 1), 1), all.last);
  }
  return all;
}

const Tensor& only_sequence(const Layer& layer, const Nest& inputs) {
  if (inputs.is_tensor()) return inputs.tensor();
  if (inputs.size() == 1) return inputs.at(0).tensor();
  throw ValueError(
      "Layer \"{}\" expects one sequence, but it was called on {} inputs. States are given as "
      "`initial_state`.",
      layer.name(), inputs.size());
}

}  // namespace antler
