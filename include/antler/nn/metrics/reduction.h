#pragma once

#include <memory>
#include <string>
#include <utility>

#include "antler/base/string_like.h"
#include "antler/core/keyword.h"
#include "antler/nn/metric.h"

/// Sums and means. metric.h has Mean.
namespace antler::metrics {

/// Weighted sum of values.
class Sum : public Metric {
 public:
  explicit Sum(const MetricOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Sum, MetricOptions)
  template <StringLike S>
  explicit Sum(const S& name) : Sum(MetricOptions{.name = name}) {}
  /// Values of any shape. `sample_weight` [batch] or of the rank of the values.
  void update_state(const Tensor& values, const Tensor& sample_weight = {});
  using Metric::update_state;
  void update_state(const Tensor& values, const Tensor& unused,
                    const Tensor& sample_weight) override;
  Nest result() const override;
  std::shared_ptr<Metric> share() const override;
  std::shared_ptr<Metric> fresh() const override;

 private:
  Variable total_;
};

/// Weighted mean of a function of (y_true, y_pred).
class MeanMetricWrapper : public Mean {
 public:
  explicit MeanMetricWrapper(Function function, const MetricOptions& options = {});
  /// `MeanMetricWrapper(function, "name")`.
  template <StringLike S>
  MeanMetricWrapper(Function function, const S& name)
      : MeanMetricWrapper(std::move(function), MetricOptions{.name = std::string(name)}) {}
  /// `sample_weight` [batch] or of the rank of the function's values. A mask of y_pred joins the
  /// weights.
  using Metric::update_state;
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight = {}) override;
  Json get_config() const override;
  std::shared_ptr<Metric> share() const override;
  std::shared_ptr<Metric> fresh() const override;
  std::string direction() const override;
  const Function& function() const;

 protected:
  /// For Keras's classes: `config` holds their own options, `mask` says which values count.
  struct Definition;
  explicit MeanMetricWrapper(Definition definition);

 private:
  std::shared_ptr<const Definition> definition_;
};

}  // namespace antler::metrics
