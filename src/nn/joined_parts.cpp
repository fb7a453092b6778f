#include "antler/ops/numpy/manipulation.h"
#include "nn/layer_state.h"

namespace antler {
namespace {

/// Whether `value` can be the rows from number `rows` on of an array of this shape.
bool continues(const Shape& shape, int64_t rows, const Tensor& value) {
  Shape whole = value.shape();
  if (shape.rank() == 0 || whole.rank() != shape.rank() || rows + whole[0] > shape[0]) return false;
  whole[0] = shape[0];
  return whole == shape;
}

}  // namespace

VariableStore joined_parts(const VariableStore& store, const Variables& variables) {
  if (store.size() <= variables.size()) return store;
  VariableStore joined;
  size_t next = 0;
  for (const Variable& variable : variables) {
    Tensors parts;
    int64_t rows = 0;
    while (next < store.size() && continues(variable.shape(), rows, store[next].second)) {
      parts.push_back(store[next++].second);
      rows += parts.back().dim(0);
    }
    if (variable.shape().rank() == 0 && next < store.size()) {
      parts.push_back(store[next++].second);
    } else if (parts.empty() || rows != variable.shape()[0]) {
      return store;
    }
    joined.emplace_back(std::to_string(joined.size()),
                        parts.size() == 1 ? parts[0] : ops::concatenate(parts, 0));
  }
  return next == store.size() ? joined : store;
}

}  // namespace antler
