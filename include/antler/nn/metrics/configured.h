#pragma once

#include <memory>
#include <string>
#include <utility>

#include "antler/nn/metric.h"

namespace antler::metrics {

/// A metric with a stored configuration: all options by Keras's names.
class ConfiguredMetric : public Metric {
 public:
  Json get_config() const override;
  std::string direction() const override { return direction_; }

 protected:
  ConfiguredMetric(std::string class_name, std::string name, DType dtype, const Json& config,
                   std::string direction);

 private:
  std::shared_ptr<const Json> config_;
  std::string direction_;
};

/// Implements share() and fresh() for a metric that is constructed from one options struct. The
/// constructor of `Base` gets the arguments after the options.
template <class Derived, class Options, class Base = ConfiguredMetric>
class MetricOf : public Base {
 public:
  std::shared_ptr<Metric> share() const override {
    return std::make_shared<Derived>(static_cast<const Derived&>(*this));
  }
  std::shared_ptr<Metric> fresh() const override {
    Options options = options_;
    options.name = this->name();
    return std::make_shared<Derived>(options);
  }

 protected:
  template <class... Args>
  explicit MetricOf(const Options& options, Args&&... args)
      : Base(std::forward<Args>(args)...), options_(options) {}
  const Options& options() const { return options_; }

 private:
  Options options_;
};

}  // namespace antler::metrics
