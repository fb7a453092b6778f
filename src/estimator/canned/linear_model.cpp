#include <algorithm>

#include "antler/base/error.h"
#include "antler/estimator/graph.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "estimator/canned/models.h"
#include "nn/feature_columns/column.h"

namespace antler::estimator {
namespace {

Variable zero_weights(const std::string& name, const Shape& shape) {
  return get_variable(name, {.shape = shape, .initializer = "zeros"});
}

/// The contribution of a column to the logits.
Tensor weighted_sum(const Nest& features, const FeatureColumn& column, int64_t units) {
  const feature_column::FeatureColumnImpl& impl = column.impl();
  const std::string name = column.name() + "/weights";
  if (impl.num_buckets() == 0) {
    if (impl.table() != nullptr) {
      throw ValueError(
          "A linear model takes categorical columns as they are. Received: the embedding column "
          "'{}'",
          column.name());
    }
    return ops::matmul(impl.dense(features, {}), zero_weights(name, {impl.size(), units}));
  }
  const feature_column::Categories found = impl.categories(features);
  const Tensor is_id = ops::greater_equal(found.ids, Tensor(0));
  // Any valid id of the example replaces a missing one, so that no other row gets a gradient.
  const Tensor substitute = ops::maximum(ops::max(found.ids, {1}, {.keepdims = true}), Tensor(0));
  const Tensor rows = ops::take(zero_weights(name, {impl.num_buckets(), units}),
                                ops::where(is_id, found.ids, substitute), 0);  // [batch, n, units]
  Tensor factors = ops::cast(is_id, DType::float32);
  if (found.weights.defined()) factors = factors * found.weights;
  return ops::sum(rows * ops::expand_dims(factors, -1), 1);
}

}  // namespace

std::vector<FeatureColumn> checked_columns(std::vector<FeatureColumn> columns) {
  if (columns.empty()) throw ValueError("feature_columns must not be empty.");
  std::ranges::stable_sort(columns, {}, [](const FeatureColumn& c) { return c.name(); });
  for (size_t i = 1; i < columns.size(); ++i) {
    if (columns[i].name() == columns[i - 1].name())
      throw ValueError("Duplicate feature column name found for columns: '{}'.", columns[i].name());
  }
  return columns;
}

Tensor linear_logits(const Nest& features, const std::vector<FeatureColumn>& columns,
                     int64_t units) {
  const NamedScope scope("linear/linear_model");
  Tensor logits;
  for (const FeatureColumn& column : columns) {
    const Tensor part = weighted_sum(features, column, units);
    logits = logits.defined() ? logits + part : part;
  }
  return logits + zero_weights("bias_weights", {units}).value();
}

}  // namespace antler::estimator
