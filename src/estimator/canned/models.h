#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "antler/estimator/model_fn.h"
#include "antler/nn/activation.h"
#include "antler/nn/feature_column.h"

/// The models of the canned estimators: logits [batch, units] of a dictionary of features.
namespace antler::estimator {

using feature_column::FeatureColumn;

/// Throws ValueError if there are no columns or if two have the same name. Returns them sorted by
/// name.
std::vector<FeatureColumn> checked_columns(std::vector<FeatureColumn> columns);

/// A weight per category or number, "<scope>/linear_model/<column>/weights", and a bias.
Tensor linear_logits(const Nest& features, const std::vector<FeatureColumn>& columns,
                     int64_t units);

struct DNNModel {
  std::vector<int64_t> hidden_units;
  std::vector<FeatureColumn> columns;  ///< dense
  ActivationFunction activation_fn;
  std::optional<double> dropout;
  bool batch_norm = false;
};
/// Throws ValueError for columns that are not dense.
void check_dense(const std::vector<FeatureColumn>& columns);
Tensor dnn_logits(const Nest& features, const DNNModel& model, int64_t units, ModeKeys mode);

}  // namespace antler::estimator
