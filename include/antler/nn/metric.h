#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "antler/base/json.h"
#include "antler/base/string_like.h"
#include "antler/core/dtype_arg.h"
#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/core/nest.h"
#include "antler/core/shape.h"
#include "antler/core/variable.h"
#include "antler/nn/by_position.h"
#include "antler/nn/initializer.h"

namespace antler {

struct MetricState;

/// The options that all metric classes have.
struct MetricOptions {
  std::string name = {};  ///< not given: the class's name in Keras, mostly snake case
  DTypeArg dtype = default_float();
};

/// Options of Metric::add_variable, in Keras's order.
struct MetricVariableOptions {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Shape shape = {};                    ///< {}: a scalar
  Initializer initializer = "zeros";   ///< gives the value to which reset_state() resets it
  std::optional<DTypeArg> dtype = {};  ///< not given: the metric's dtype
  std::string name = "variable";
};

/// The optional arguments of update_state().
struct UpdateOptions {
  Tensor y_pred = {};         ///< not given for metrics of plain values
  Tensor sample_weight = {};  ///< not given: 1
};

/// Base of all metrics: variables that accumulate, and a result. A handle: copies share the
/// variables.
///
/// To write a metric, derive from `MetricBase<MyMetric>`, create the variables in the constructor,
/// and override `update_state` and `result`. Override `fresh`, too, if one object is to be used for
/// several outputs.
class Metric {
 public:
  using Handle = std::shared_ptr<Metric>;
  virtual ~Metric() = default;
  const std::string& name() const;
  void set_name(const std::string& name);
  /// The name as given, which the configuration holds. compile() may prefix name() with the name of
  /// an output or with "weighted_".
  const std::string& given_name() const;
  /// Sets name(), but not given_name().
  void set_log_name(const std::string& name);
  /// Keras's class name ("BinaryAccuracy").
  const std::string& class_name() const;
  DType dtype() const;

  /// Accumulates one batch. `sample_weight` is optional. Metrics of plain values, such as Mean,
  /// take them as `y_true`.
  virtual void update_state(const Tensor& y_true, const Tensor& y_pred = {},
                            const Tensor& sample_weight = {}) = 0;
  /// `update_state(y_true, y_pred, kw::sample_weight = weights)`.
  template <class... K>
  requires KeywordArguments<K...>
  void update_state(const Tensor& y_true, const Tensor& y_pred, K... keywords) {
    const auto options = by_position<&UpdateOptions::y_pred>(
        "update_state", from_keywords<UpdateOptions>(std::move(keywords)...), y_pred);
    update_state(y_true, options.y_pred, options.sample_weight);
  }
  /// The same for metrics of plain values.
  template <class... K>
  requires KeywordArguments<K...>
  void update_state(const Tensor& values, K... keywords) {
    const auto options = from_keywords<UpdateOptions>(std::move(keywords)...);
    update_state(values, options.y_pred, options.sample_weight);
  }
  /// The current value: a scalar, or a dictionary whose entries are added to the logs.
  virtual Nest result() const = 0;
  /// update_state(), then result().
  Nest operator()(const Tensor& y_true, const Tensor& y_pred = {},
                  const Tensor& sample_weight = {}) {
    update_state(y_true, y_pred, sample_weight);
    return result();
  }
  /// Sets all variables back to their start values.
  virtual void reset_state();
  Variables variables() const;
  virtual Json get_config() const;
  /// A copy of the most derived type on the heap, which shares the state; MetricBase implements it.
  virtual std::shared_ptr<Metric> share() const = 0;
  /// Calls share(), so that a metric can be passed by value where a MetricPtr is expected.
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator std::shared_ptr<Metric>() const { return share(); }
  /// A new metric with the same configuration; every output of a model but the first gets one. The
  /// base throws NotImplementedError.
  virtual std::shared_ptr<Metric> fresh() const;
  /// "up" if larger values are better, "down" if smaller ones are, "" if unknown.
  virtual std::string direction() const { return ""; }

 protected:
  Metric(std::string class_name, std::string name, DType dtype = default_float());
  /// The class name is the name of the type. `name` defaults to the same in snake case.
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
  /// The same with an initializer: `add_variable("total", {}, "zeros")`.
  Variable add_variable(const std::string& name, const Shape& shape, Initializer initializer) {
    return add_variable({.shape = shape, .initializer = std::move(initializer), .name = name});
  }
  /// The same by name: `add_variable({.shape = {}, .initializer = "zeros", .name = "total"})`.
  Variable add_variable(const MetricVariableOptions& options);
  /// The same under Keras's other name, that of a layer's function.
  Variable add_weight(const MetricVariableOptions& options) { return add_variable(options); }
  template <class... K>
  requires KeywordArguments<K...> Variable add_variable(K... keywords) {
    return add_variable(from_keywords<MetricVariableOptions>(std::move(keywords)...));
  }
  template <class... K>
  requires KeywordArguments<K...> Variable add_weight(K... keywords) {
    return add_variable(from_keywords<MetricVariableOptions>(std::move(keywords)...));
  }
  /// A metric that this one uses: its variables are among variables(), and reset_state() resets it.
  template <std::derived_from<Metric> M>
  M track(M metric) {
    keep_metric(metric.share());
    return metric;
  }

 private:
  void keep_metric(std::shared_ptr<Metric> metric);
  Variable keep_variable(const std::string& name, const Tensor& initial);
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
  // A template, so that a string literal does not select the deliberately failing constructor of
  // Metric.
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
  ANTLER_KEYWORD_CONSTRUCTOR(Mean, MetricOptions)
  template <StringLike S>
  explicit Mean(const S& name) : Mean(MetricOptions{.name = name}) {}
  /// Values of any shape; their mean joins the running mean. `sample_weight` [batch] or of the rank
  /// of the values.
  void update_state(const Tensor& values, const Tensor& sample_weight = {});
  using Metric::update_state;
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

/// The metric with this Keras class name ("AUC"), function name ("mse"; the metric keeps it as
/// typed) or alias. Throws ValueError for unknown names and for "accuracy", which needs shapes.
MetricPtr get(const std::string& name);
/// The metric that "accuracy", "crossentropy" or a short form means for a batch of these shapes
/// (Keras's rule). It keeps the name as typed.
MetricPtr get_by_shape(const std::string& name, const Shape& y_true, const Shape& y_pred);
bool is_resolved_by_shape(const std::string& name);
/// Mean over the batch of a function of (y_true, y_pred).
MetricPtr from_function(const std::string& name, Function function);
/// Converts to Keras's form, {"class_name", "config"}, and back. deserialize() throws ValueError
/// for an unknown class.
Json serialize(const Metric& metric);
MetricPtr deserialize(const Json& json);
}  // namespace metrics
}  // namespace antler
