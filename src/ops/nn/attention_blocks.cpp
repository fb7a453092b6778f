#include "ops/nn/attention_blocks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "antler/ops/control_flow.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "base/ceil_div.h"

namespace antler::ops {
namespace {

/// The logits of one block fit into the L2 cache, and its rows are enough to amortize reading the
/// keys.
constexpr int64_t kBlockElements = 1 << 18;
constexpr int64_t kFewestRows = 16;
constexpr int64_t kMostRows = 512;

int64_t rows_of_block(int64_t t, int64_t s) {
  const int64_t rows = std::clamp(kBlockElements / std::max<int64_t>(s, 1), kFewestRows, kMostRows);
  return std::min(rows / kFewestRows * kFewestRows, std::max<int64_t>(t, 1));
}

/// [n, t, h, d] -> [n * h, t, d].
Tensor heads_first(const Tensor& x) {
  return reshape(transpose(x, {0, 2, 1, 3}), {x.dim(0) * x.dim(2), x.dim(1), x.dim(3)});
}

Tensor pad_rows(const Tensor& x, int64_t rows) {
  if (rows == 0) return x;
  std::vector<int64_t> low(static_cast<size_t>(x.rank()), 0);
  std::vector<int64_t> high = low;
  high[0] = rows;
  return pad(x, low, high);
}

/// The mask [t or 1, s or 1] of head `i` in [0, n * h), taken from a mask of rank 4.
Tensor mask_of(const Tensor& allowed, const Tensor& i, int64_t heads) {
  const int64_t n = allowed.dim(0);
  const int64_t h = allowed.dim(1);
  const Tensor masks = reshape(allowed, {n * h, allowed.dim(2), allowed.dim(3)});
  if (n * h == 1) return squeeze(masks, 0);
  Tensor index = i;
  if (h == 1) index = floor_divide(i, static_cast<int32_t>(heads));
  if (n == 1) index = mod(i, static_cast<int32_t>(heads));
  return take(masks, index, 0);
}

/// One head: q [t, d], k, v [s, d], `allowed` [t or 1, s or 1] or undefined.
Tensor attend_head(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& allowed,
                   const AttentionForm& form) {
  const int64_t t = q.dim(0);
  const int64_t s = k.dim(0);
  const int64_t rows = rows_of_block(t, s);
  const int64_t blocks = ceil_div(t, rows);
  const int64_t missing = blocks * rows - t;  // padding, whose results are dropped
  const auto by_block = [&](const Tensor& x) {
    return reshape(pad_rows(x, missing), {blocks, rows, x.dim(1)});
  };
  const bool masks_rows = allowed.defined() && allowed.dim(0) == t && t > 1;
  std::vector<Tensor> xs = {by_block(q), arange(0, blocks)};
  if (masks_rows) xs.push_back(by_block(allowed));
  const ScanStep step = [&](const std::vector<Tensor>&, const std::vector<Tensor>& x) {
    Tensor mask = masks_rows ? x[2] : allowed;
    if (form.is_causal) {
      const Tensor row = add(iota(Shape{rows, s}, 0), multiply(x[1], static_cast<int32_t>(rows)));
      const Tensor causal = greater_equal(row, iota(Shape{rows, s}, 1));
      mask = mask.defined() ? logical_and(mask, causal) : causal;
    }
    const Tensor logits = dot_general(x[0], k, {.lhs_contract = {1}, .rhs_contract = {1}});
    return std::pair<std::vector<Tensor>, std::vector<Tensor>>(
        {}, {matmul(attention_weights(logits, {}, mask, form), v)});
  };
  const Tensor result =
      scan(step, {}, std::move(xs), {.length = blocks, .work = ScanWork::in_steps}).ys[0];
  return slice_axis(reshape(result, {blocks * rows, v.dim(1)}), 0, 0, t);
}

}  // namespace

Tensor attention_by_blocks(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& allowed,
                           const AttentionForm& form) {
  const int64_t n = q.dim(0);
  const int64_t heads = q.dim(2);
  Tensor masks = allowed;
  while (masks.defined() && masks.rank() < 4) masks = expand_dims(masks, 0);
  const ScanStep head = [&](const std::vector<Tensor>&, const std::vector<Tensor>& x) {
    const Tensor mask = masks.defined() ? mask_of(masks, x[3], heads) : Tensor();
    return std::pair<std::vector<Tensor>, std::vector<Tensor>>(
        {}, {attend_head(x[0], x[1], x[2], mask, form)});
  };
  const Tensor result =
      scan(head, {}, {heads_first(q), heads_first(k), heads_first(v), arange(0, n * heads)},
           {.length = n * heads, .work = ScanWork::in_steps})
          .ys[0];
  return transpose(reshape(result, {n, heads, q.dim(1), v.dim(3)}), {0, 2, 1, 3});
}

}  // namespace antler::ops
