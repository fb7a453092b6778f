#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/nn/metrics/reduction.h"

/// Means of the losses of the same names (nn/losses/probabilistic.h).
namespace antler::metrics {

struct BinaryCrossentropyOptions {
  std::string name = {};
  DType dtype = default_float();
  bool from_logits = false;
  double label_smoothing = 0;
};
struct BinaryCrossentropy : MeanMetricWrapper {
  explicit BinaryCrossentropy(const BinaryCrossentropyOptions& options = {});
  template <StringLike S>
  explicit BinaryCrossentropy(const S& name)
      : BinaryCrossentropy(BinaryCrossentropyOptions{.name = name}) {}
};

struct CategoricalCrossentropyOptions {
  std::string name = {};
  DType dtype = default_float();
  bool from_logits = false;
  double label_smoothing = 0;
  int64_t axis = -1;
};
struct CategoricalCrossentropy : MeanMetricWrapper {
  explicit CategoricalCrossentropy(const CategoricalCrossentropyOptions& options = {});
  template <StringLike S>
  explicit CategoricalCrossentropy(const S& name)
      : CategoricalCrossentropy(CategoricalCrossentropyOptions{.name = name}) {}
};

struct SparseCategoricalCrossentropyOptions {
  std::string name = {};
  DType dtype = default_float();
  bool from_logits = false;
  std::optional<int64_t> ignore_class = {};  ///< targets that count for nothing
  int64_t axis = -1;
};
struct SparseCategoricalCrossentropy : MeanMetricWrapper {
  explicit SparseCategoricalCrossentropy(const SparseCategoricalCrossentropyOptions& options = {});
};

struct KLDivergence : MeanMetricWrapper {
  explicit KLDivergence(const MetricOptions& options = {});
  template <StringLike S>
  explicit KLDivergence(const S& name) : KLDivergence(MetricOptions{.name = name}) {}
};
struct Poisson : MeanMetricWrapper {
  explicit Poisson(const MetricOptions& options = {});
  template <StringLike S>
  explicit Poisson(const S& name) : Poisson(MetricOptions{.name = name}) {}
};

}  // namespace antler::metrics
