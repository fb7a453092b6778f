#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/named_only.h"
#include "antler/nn/compile_types.h"

namespace antler {

/// Field type of `.loss_weights`: nothing; one number for every output; `{1.0, 0.5}`, one per
/// output; or `{{"a", 0.5}}` by output name, where missing outputs have weight 1.
class LossWeights {
 public:
  enum class Kind : uint8_t { none, single, list, dict };
  using Items = std::vector<std::pair<std::string, double>>;

  LossWeights() = default;
  LossWeights(double weight)  // NOLINT(google-explicit-constructor)
      : kind_(Kind::single), items_{{"", weight}} {}
  LossWeights(std::initializer_list<double> weights) : LossWeights(std::vector<double>(weights)) {}
  LossWeights(std::initializer_list<std::pair<std::string, double>> weights)
      : LossWeights(dict(weights)) {}
  LossWeights(const std::vector<double>& weights)  // NOLINT(google-explicit-constructor)
      : kind_(weights.empty() ? Kind::none : Kind::list) {
    for (const double w : weights) items_.emplace_back("", w);
  }
  static LossWeights dict(Items items) {
    LossWeights weights;
    weights.kind_ = Kind::dict;
    weights.items_ = std::move(items);
    return weights;
  }
  /// From Keras's JSON: a number, a list, a dictionary or null. Throws ValueError.
  static LossWeights from_config(const Json& json);
  Json to_config() const;

  Kind kind() const { return kind_; }
  bool given() const { return kind_ != Kind::none; }
  const Items& items() const { return items_; }

 private:
  Kind kind_ = Kind::none;
  Items items_;
};

/// Field type of `.steps_per_execution`: a number, or "auto".
class StepsPerExecutionSpec {
 public:
  StepsPerExecutionSpec() = default;
  template <std::integral I>
  StepsPerExecutionSpec(I steps)  // NOLINT(google-explicit-constructor)
      : steps_(static_cast<int64_t>(steps)) {}
  /// Throws TypeError for a string other than "auto".
  StepsPerExecutionSpec(const char* value)  // NOLINT(google-explicit-constructor)
      : StepsPerExecutionSpec(std::string(value)) {}
  StepsPerExecutionSpec(const std::string& value);  // NOLINT(google-explicit-constructor)

  bool is_auto() const { return auto_; }
  /// At least 1, unless a negative number was given, which fit rejects.
  int64_t steps() const { return steps_ == 0 ? 1 : steps_; }

 private:
  int64_t steps_ = 1;
  bool auto_ = false;
};

/// Field type of `.pss_evaluation_shards`: a number, or "auto".
class EvaluationShards {
 public:
  /// Throws ValueError for a negative number.
  template <std::integral I>
  EvaluationShards(I shards)  // NOLINT(google-explicit-constructor)
      : shards_(check(static_cast<int64_t>(shards))) {}
  /// Throws ValueError for a string other than "auto".
  EvaluationShards(const char* value);  // NOLINT(google-explicit-constructor)
  bool is_auto() const { return auto_; }
  int64_t shards() const { return shards_; }

 private:
  static int64_t check(int64_t shards);
  int64_t shards_ = 0;
  bool auto_ = false;
};

/// Arguments of Model::compile in Keras 3's order, then those that only Keras 2 has.
struct CompileArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  OptimizerSpec optimizer = "rmsprop";  ///< a name, an object, or a configuration
  LossSpec loss = {};             ///< a name, an object, a function; a list or dictionary by output
  LossWeights loss_weights = {};  ///< factors of the outputs' losses
  MetricSpec metrics = {};        ///< names, objects, functions; by output or for all
  /// Metrics that get the sample weights. If this is not given, evaluating with weights warns once;
  /// `std::vector<MetricSpec>{}` silences the warning.
  MetricSpec weighted_metrics = {};
  std::optional<bool> run_eagerly = {};            ///< not given: the global setting
  StepsPerExecutionSpec steps_per_execution = {};  ///< "auto": tuned while training
  std::optional<bool> jit_compile = {};            ///< false: no fusion across ops
  /// Under the policy "mixed_float16" the optimizer is wrapped in a LossScaleOptimizer.
  bool auto_scale_loss = true;
  /// If not 0: with parameter servers, each batch of an evaluation counts exactly once, even if a
  /// worker is lost. Each batch is a shard, whatever number is given. No effect without parameter
  /// servers.
  EvaluationShards pss_evaluation_shards = 0;
};

}  // namespace antler
