#include "runtime/cpu/gemm/dot_layout.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace antler::runtime {
namespace {

using ir::Ints;

/// Sizes and strides of some dimensions, in the given order.
struct Dims {
  Ints sizes;
  Ints strides;

  Dims(const Shape& shape, const Ints& which) {
    const Ints all = shape.strides();
    for (const int64_t d : which) {
      sizes.push_back(shape[static_cast<int>(d)]);
      strides.push_back(all[static_cast<size_t>(d)]);
    }
  }
  int64_t count() const {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  }
  /// The stride of the dimensions merged into one; nullopt if they cannot be merged.
  std::optional<int64_t> stride() const {
    int64_t outer = 0;  // stride of the previous dimension, 0: none
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] == 1) continue;
      if (outer != 0 && outer != strides[i] * sizes[i]) return std::nullopt;
      outer = strides[i];
    }
    return outer == 0 ? 1 : outer;
  }
  Ints offsets() const {
    Ints result = {0};
    for (size_t i = 0; i < sizes.size(); ++i) {
      Ints next;
      for (const int64_t base : result) {
        for (int64_t j = 0; j < sizes[i]; ++j) next.push_back(base + j * strides[i]);
      }
      result = std::move(next);
    }
    return result;
  }
};

DotOperand operand(const Shape& shape, const Ints& batch, const Ints& free, const Ints& contract) {
  const Dims b(shape, batch);
  const Dims f(shape, free);
  const Dims c(shape, contract);
  DotOperand result;
  const auto free_stride = f.stride();
  const auto contract_stride = c.stride();
  if (free_stride && contract_stride) {
    result.free_stride = *free_stride;
    result.contract_stride = *contract_stride;
    result.batch = b.offsets();
    return result;
  }
  result.copied = true;
  for (const Dims* dims : {&b, &f, &c}) {
    result.copy_shape.insert(result.copy_shape.end(), dims->sizes.begin(), dims->sizes.end());
    result.copy_strides.insert(result.copy_strides.end(), dims->strides.begin(),
                               dims->strides.end());
  }
  result.free_stride = c.count();
  result.contract_stride = 1;
  result.batch.resize(static_cast<size_t>(b.count()));
  for (size_t i = 0; i < result.batch.size(); ++i) {
    result.batch[i] = static_cast<int64_t>(i) * f.count() * c.count();
  }
  return result;
}

Ints free_dims(const Shape& shape, const Ints& contract, const Ints& batch) {
  Ints result;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (std::count(contract.begin(), contract.end(), d) == 0 &&
        std::count(batch.begin(), batch.end(), d) == 0) {
      result.push_back(d);
    }
  }
  return result;
}

/// Both lists, permuted so that `keys` is in ascending order.
std::pair<Ints, Ints> sorted_by(const Ints& keys, const Ints& lhs, const Ints& rhs) {
  std::vector<size_t> order(keys.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  std::pair<Ints, Ints> result;
  for (const size_t i : order) {
    result.first.push_back(lhs[i]);
    result.second.push_back(rhs[i]);
  }
  return result;
}

}  // namespace

DotLayout dot_layout(const Shape& lhs, const Shape& rhs, const ir::Attrs& attrs) {
  const Ints& lhs_contract = attrs.ints("lhs_contract");
  const Ints& rhs_contract = attrs.ints("rhs_contract");
  const Ints& lhs_batch = attrs.ints("lhs_batch");
  const Ints& rhs_batch = attrs.ints("rhs_batch");
  const Ints lhs_free = free_dims(lhs, lhs_contract, lhs_batch);
  const Ints rhs_free = free_dims(rhs, rhs_contract, rhs_batch);
  DotLayout best;
  int best_copies = 3;
  for (const Ints* keys : {&lhs_contract, &rhs_contract}) {
    const auto [l, r] = sorted_by(*keys, lhs_contract, rhs_contract);
    DotLayout layout;
    layout.lhs = operand(lhs, lhs_batch, lhs_free, l);
    layout.rhs = operand(rhs, rhs_batch, rhs_free, r);
    const int copies = int{layout.lhs.copied} + int{layout.rhs.copied};
    if (copies < best_copies) {
      best = std::move(layout);
      best_copies = copies;
    }
  }
  best.batches = Dims(lhs, lhs_batch).count();
  best.m = Dims(lhs, lhs_free).count();
  best.n = Dims(rhs, rhs_free).count();
  best.k = Dims(lhs, lhs_contract).count();
  return best;
}

}  // namespace antler::runtime
