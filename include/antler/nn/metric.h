#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "antler/base/json.h"
#include "antler/base/string_like.h"
#include "antler/core/nest.h"
#include "antler/core/variable.h"

namespace antler {

struct MetricState;

/// Options that every metric class ends with.
struct MetricOptions {
  std::string name = {};  ///< not given: the class's name in Keras, mostly snake case
  DType dtype = default_float();
};

/// Base of all metrics: variables that accumulate, and a result. A handle: copies share the
/// variables.
///
/// To write one, derive from `MetricBase<MyMetric>`, create the variables in the constructor, and
/// give `update_state` and `result`; also `fresh`, if one object is to measure several outputs.
class Metric {
 public:
  using Handle = std::shared_ptr<Metric>;
  virtual ~Metric() = default;
  const std::string& name() const;
  void set_name(const std::string& name);
  /// The name as given: that of the configuration. compile() may put the name of an output before
  /// name(), or "weighted_".
  const std::string& given_name() const;
  /// Sets name(), but not given_name().
  void set_log_name(const std::string& name);
  /// Keras's class name ("BinaryAccuracy").
  const std::string& class_name() const;
  DType dtype() const;

  /// Accumulates one batch. `sample_weight` optional. Metrics of values, as Mean, take them as
  /// `y_true` alone.
  virtual void update_state(const Tensor& y_true, const Tensor& y_pred = {},
                            const Tensor& sample_weight = {}) = 0;
  /// The current value: a scalar, or a dictionary whose keys join the logs.
  virtual Nest result() const = 0;
  /// Sets all variables back to their start values.
  virtual void reset_state();
  Variables variables() const;
  virtual Json get_config() const;
  /// A heap copy of the most derived type that shares the state; MetricBase provides it.
  virtual std::shared_ptr<Metric> share() const = 0;
  /// share(): where a MetricPtr is asked for, a metric is given by value.
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator std::shared_ptr<Metric>() const { return share(); }
  /// A new metric of the same configuration: each output of a model after the first gets its own.
  /// Throws NotImplementedError in the base.
  virtual std::shared_ptr<Metric> fresh() const;
  /// "up" if larger is better, "down", or "" where unknown.
  virtual std::string direction() const { return ""; }

 protected:
  Metric(std::string class_name, std::string name, DType dtype = default_float());
  /// The class name is that of the type; `name` empty: the same in snake case.
  Metric(const std::type_info& type, const std::string& name, DType dtype);
  template <class T = void>
  Metric() {
    static_assert(
        !std::is_void_v<T>,
        "A metric of your own derives from MetricBase: class MyMetric : public "
        "MetricBase<MyMetric> { explicit MyMetric(const std::string& name = \"my_metric\") "
        ": MetricBase(name), total_(add_variable(\"total\", {})) {} ... };");
  }
  template <StringLike S>
  explicit Metric(const S& /*name*/) : Metric() {}
  Metric(const Metric&) = default;
  Metric& operator=(const Metric&) = default;
  /// A variable with an initial value, to which reset_state() resets it.
  Variable add_variable(const std::string& name, const Shape& shape, double initial = 0.0,
                        DType dtype = default_float());

 private:
  std::shared_ptr<MetricState> state_;
};
using MetricPtr = std::shared_ptr<Metric>;

/// Gives a concrete metric the ability to be shared by value. `Base` is Metric or a class derived
/// from it. Without a class name, the metric has that of `Derived`.
template <class Derived, class Base = Metric>
class MetricBase : public Base {
 public:
  using Base::Base;
  MetricBase() requires(!std::same_as<Base, Metric>) = default;
  MetricBase() requires std::same_as<Base, Metric> : MetricBase(std::string()) {}
  // A template, or a name in quotes would choose Metric's constructor that explains MetricBase.
  template <StringLike S>
  explicit MetricBase(const S& name,
                      DType dtype = default_float()) requires std::same_as<Base, Metric>
      : Base(typeid(Derived), std::string(name), dtype) {}
  std::shared_ptr<Metric> share() const override {
    return std::make_shared<Derived>(static_cast<const Derived&>(*this));
  }
};

namespace metrics {
/// A function of (y_true, y_pred) that gives values per sample (or per sample and step, ...).
using Function = std::function<Tensor(const Tensor& y_true, const Tensor& y_pred)>;

/// Weighted mean of values: total / count, 0 when nothing was seen.
class Mean : public Metric {
 public:
  explicit Mean(const MetricOptions& options = {});
  template <StringLike S>
  explicit Mean(const S& name) : Mean(MetricOptions{.name = name}) {}
  /// Values of any shape; their mean joins the running mean. `sample_weight` [batch] or of the rank
  /// of the values.
  void update_state(const Tensor& values, const Tensor& sample_weight = {});
  void update_state(const Tensor& values, const Tensor& unused,
                    const Tensor& sample_weight) override;
  Nest result() const override;
  std::shared_ptr<Metric> share() const override;
  std::shared_ptr<Metric> fresh() const override;

 protected:
  Mean(std::string class_name, const std::string& name, DType dtype);
  /// total / count.
  Tensor mean() const;

 private:
  Variable total_;
  Variable count_;
};

/// The metric of a Keras class name ("AUC"), function name ("mse", keeps the name as typed) or
/// alias; not "accuracy", which the training loop resolves by shape. Throws ValueError.
MetricPtr get(const std::string& name);
/// "accuracy" / "crossentropy" and their short forms, by the shapes of a batch (Keras's rule); name
/// kept as typed.
MetricPtr get_by_shape(const std::string& name, const Shape& y_true, const Shape& y_pred);
bool is_resolved_by_shape(const std::string& name);
/// Mean over the batch of a function of (y_true, y_pred).
MetricPtr from_function(const std::string& name, Function function);
/// {"class_name", "config"} of a metric, as Keras writes it; and back. Throws ValueError for an
/// unknown class.
Json serialize(const Metric& metric);
MetricPtr deserialize(const Json& json);
}  // namespace metrics
}  // namespace antler
