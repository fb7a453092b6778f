#pragma once

#include <memory>
#include <optional>
#include <string>

#include "antler/core/dtype_arg.h"
#include "antler/core/keyword.h"
#include "antler/core/optional_shape.h"
#include "antler/nn/metrics/configured.h"

/// Two metrics of Keras 2.
namespace antler::metrics {

/// Options of MeanTensor.
struct MeanTensorOptions {
  std::string name = {};
  DTypeArg dtype = default_float();
  OptionalShape shape = {};  ///< not given: that of the first values
};
/// Weighted mean of each element over the updates.
class MeanTensor : public MetricOf<MeanTensor, MeanTensorOptions> {
 public:
  explicit MeanTensor(const MeanTensorOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(MeanTensor, MeanTensorOptions)
  /// `values` must have the same shape in every update; `sample_weight` broadcasts to it.
  void update_state(const Tensor& values, const Tensor& sample_weight = {});
  using Metric::update_state;
  void update_state(const Tensor& values, const Tensor& unused,
                    const Tensor& sample_weight) override;
  /// Throws ValueError before the first update, unless a shape was given.
  Nest result() const override;

 private:
  struct Sums {
    Variable total;
    Variable count;
  };
  void create(const Shape& shape);
  std::shared_ptr<Sums> sums_;  ///< shared by copies
};

/// Options of MeanRelativeError.
struct MeanRelativeErrorOptions {
  Tensor normalizer = {};  ///< what errors are divided by; broadcasts to y_true
  std::string name = {};
  DTypeArg dtype = default_float();
};
/// Weighted mean of |y_true - y_pred| / normalizer; terms whose normalizer is 0 count as 0.
class MeanRelativeError : public MetricOf<MeanRelativeError, MeanRelativeErrorOptions> {
 public:
  explicit MeanRelativeError(const Tensor& normalizer, MeanRelativeErrorOptions options = {});
  explicit MeanRelativeError(const MeanRelativeErrorOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(MeanRelativeError, MeanRelativeErrorOptions, const Tensor&)
  using Metric::update_state;
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight = {}) override;
  Nest result() const override;

 private:
  Variable total_;
  Variable count_;
};

}  // namespace antler::metrics
