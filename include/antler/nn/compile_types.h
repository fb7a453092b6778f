#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/nn/loss.h"
#include "antler/nn/metric.h"
#include "antler/nn/optimizer.h"

/// Argument types of `Model::compile`: objects or Keras names, for one output or for several.
namespace antler {

/// Field type of `.optimizer`: a Keras name ("adam"), an optimizer, or nothing.
class OptimizerSpec {
 public:
  OptimizerSpec() = default;
  OptimizerSpec(const char* name) : name_(name) {}  // NOLINT(google-explicit-constructor)
  OptimizerSpec(std::string name)
      : name_(std::move(name)) {}  // NOLINT(google-explicit-constructor)
  OptimizerSpec(const Optimizer& optimizer)
      : optimizer_(optimizer.share()) {}  // NOLINT(google-explicit-constructor)
  OptimizerSpec(OptimizerPtr optimizer)
      : optimizer_(std::move(optimizer)) {}  // NOLINT(google-explicit-constructor)

  /// From Keras's JSON: a name, {"class_name", "config"}, or null. Throws ValueError for anything
  /// else.
  static OptimizerSpec from_config(const Json& json);
  Json to_config() const;

  bool given() const { return optimizer_ != nullptr || !name_.empty(); }
  /// The optimizer; for a name, a new one with default options. Throws ValueError for an unknown
  /// name.
  OptimizerPtr resolve() const {
    return optimizer_ != nullptr ? optimizer_ : optimizers::get(name_);
  }

 private:
  std::string name_;
  OptimizerPtr optimizer_;
};

/// Field type of `.loss`: nothing, a Keras name ("mse"), a Loss, or a function. For several
/// outputs: a list of these, `{"mse", "mae"}`, or a dictionary by output name, `{{"out_a", "mse"},
/// {"out_b", "mae"}}`. (Write a list of lists as a std::vector<LossSpec>.)
class LossSpec {
  /// An element of a list in braces. It cannot be in braces itself.
  struct Element;

 public:
  enum class Kind : uint8_t { none, single, list, dict };
  using Items = std::vector<std::pair<std::string, LossSpec>>;

  LossSpec() = default;
  LossSpec(const char* name)
      : kind_(Kind::single), name_(name) {}  // NOLINT(google-explicit-constructor)
  LossSpec(std::string name)
      : kind_(Kind::single), name_(std::move(name)) {}  // NOLINT(google-explicit-constructor)
  LossSpec(Loss loss)                                   // NOLINT(google-explicit-constructor)
      : kind_(loss.defined() ? Kind::single : Kind::none), loss_(std::move(loss)) {}
  template <std::derived_from<LossImpl> L>
  LossSpec(L loss) : LossSpec(Loss(std::move(loss))) {}  // NOLINT(google-explicit-constructor)
  template <IsLossFunction F>
  LossSpec(F function)
      : LossSpec(Loss(std::move(function))) {}    // NOLINT(google-explicit-constructor)
  LossSpec(std::vector<LossSpec> list);           // NOLINT(google-explicit-constructor)
  LossSpec(std::initializer_list<Element> list);  // NOLINT(google-explicit-constructor)
  LossSpec(std::initializer_list<std::pair<std::string, LossSpec>> items) : LossSpec(dict(items)) {}
  static LossSpec dict(Items items);
  /// From Keras's JSON: a name, {"class_name", "config"}, a list or a dictionary of these, or null.
  /// A null element means no loss for that output. Throws ValueError for anything else.
  static LossSpec from_config(const Json& json);
  /// Throws ValueError for a function, because it has no name in Keras.
  Json to_config() const;

  Kind kind() const { return kind_; }
  bool given() const { return kind_ != Kind::none; }
  /// The elements of a list, with empty names, or of a dictionary.
  const Items& items() const { return items_; }
  /// The loss, if the spec is for a single output. Throws ValueError for an unknown name.
  Loss resolve() const;
  /// The name as typed; empty where an object was given.
  const std::string& name() const { return name_; }

 private:
  Kind kind_ = Kind::none;
  std::string name_;
  Loss loss_;
  Items items_;
};

/// The loss of one output.
struct LossSpec::Element {
  template <std::convertible_to<LossSpec> L>
  Element(L&& value) : loss(std::forward<L>(value)) {}  // NOLINT(google-explicit-constructor)
  LossSpec loss;
};

/// Field type of `.metrics`: nothing, or Keras names ("accuracy"), metrics, functions and losses.
/// `{"accuracy", metrics::AUC()}` is a list; `{{"mae"}, {"accuracy", "ce"}}` has one list per
/// output; `MetricSpec::dict({{"out_a", "mae"}, ...})` is a dictionary by output name.
class MetricSpec {
 public:
  enum class Kind : uint8_t { none, single, list, dict };
  using Items = std::vector<std::pair<std::string, MetricSpec>>;

  MetricSpec() = default;
  MetricSpec(const char* name)
      : kind_(Kind::single), name_(name) {}  // NOLINT(google-explicit-constructor)
  MetricSpec(std::string name)
      : kind_(Kind::single), name_(std::move(name)) {}  // NOLINT(google-explicit-constructor)
  MetricSpec(const Metric& metric)
      : kind_(Kind::single), metric_(metric.share()) {}  // NOLINT(google-explicit-constructor)
  MetricSpec(MetricPtr metric)                           // NOLINT(google-explicit-constructor)
      : kind_(metric != nullptr ? Kind::single : Kind::none), metric_(std::move(metric)) {}
  /// The mean of the values of a loss, under its name.
  MetricSpec(const Loss& loss);  // NOLINT(google-explicit-constructor)
  template <IsLossFunction F>
  MetricSpec(F function)  // NOLINT(google-explicit-constructor)
      : MetricSpec(metrics::from_function("<lambda>", std::move(function))) {}
  MetricSpec(std::vector<MetricSpec> list);  // NOLINT(google-explicit-constructor)
  template <std::same_as<std::vector<MetricPtr>> V>
  MetricSpec(const V& list)  // NOLINT(google-explicit-constructor)
      : MetricSpec(std::vector<MetricSpec>(list.begin(), list.end())) {}
  MetricSpec(std::initializer_list<MetricSpec> list);  // NOLINT(google-explicit-constructor)
  static MetricSpec dict(Items items);
  /// Like LossSpec::from_config(). An empty list counts as given.
  static MetricSpec from_config(const Json& json);
  Json to_config() const;

  Kind kind() const { return kind_; }
  bool given() const { return kind_ != Kind::none; }
  const Items& items() const { return items_; }
  /// True for "accuracy", "acc", "crossentropy" and "ce", which need the shapes of a batch.
  bool is_resolved_by_shape() const;
  /// The metric, if the spec is for a single one; created if a name was given. Throws ValueError
  /// for an unknown name.
  MetricPtr resolve() const;
  /// The same for all names; the shapes of target and prediction select the metric if necessary.
  MetricPtr resolve(const Shape& y_true, const Shape& y_pred) const;
  /// The name as typed; empty where an object was given.
  const std::string& name() const { return name_; }
  /// The object; null if a name was given.
  const MetricPtr& metric() const { return metric_; }

 private:
  Kind kind_ = Kind::none;
  std::string name_;
  MetricPtr metric_;
  Items items_;
};

}  // namespace antler
