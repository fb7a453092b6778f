#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "antler/core/variable.h"
#include "antler/data/dataset_options.h"
#include "antler/data/fit_data.h"
#include "kinds.h"

namespace antler::conformance {

/// For each parameter server, the shapes of what it holds of a variable: of the variable itself or
/// of its parts.
using Placement = std::function<std::vector<std::vector<Shape>>(const Variable& variable)>;

/// How the strategy of a case changes the run.
struct FitSettings {
  /// Arrays are given as data sets with this policy.
  std::optional<data::AutoShardPolicy> auto_shard = {};
  int64_t workers = 1;
  /// Batch hooks are not called.
  bool epoch_hooks_only = false;
  Placement placement = {};
};

void run_fit(const GoldenCase& golden, Check& check, const FitSettings& settings);

/// The arguments of fit, evaluate and predict that are data.
struct GivenData {
  FitData x = {};
  Nest y = {};
  Nest sample_weight = {};
  std::optional<int64_t> batch_size = {};
};
/// The same data as a data set.
GivenData as_dataset(const Nest& x, const Nest& y, const Nest& sample_weight,
                     std::optional<int64_t> batch_size, data::AutoShardPolicy policy);

/// The variables, with divided ones replaced by their parts.
Variables with_parts(const Variables& variables);
/// Compares the placement of variables with `want`, which maps each path to the shapes by server: a
/// list or an object by server name. Several parts on one server are a list of shapes.
void check_placement(const Placement& placement, const Variables& variables, const Json& want,
                     Check& check);

}  // namespace antler::conformance
