#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/core/dtype_arg.h"
#include "antler/core/keyword.h"
#include "antler/nn/metrics/reduction.h"

/// Means of the losses of the same names (nn/losses/probabilistic.h).
namespace antler::metrics {

/// Options of BinaryCrossentropy.
struct BinaryCrossentropyOptions {
  std::string name = {};
  DTypeArg dtype = default_float();
  bool from_logits = false;    ///< predictions are logits, not probabilities
  double label_smoothing = 0;  ///< in [0, 1]
};
/// The mean of binary_crossentropy() over all samples.
struct BinaryCrossentropy : MeanMetricWrapper {
  explicit BinaryCrossentropy(const BinaryCrossentropyOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(BinaryCrossentropy, BinaryCrossentropyOptions)
  template <StringLike S>
  explicit BinaryCrossentropy(const S& name)
      : BinaryCrossentropy(BinaryCrossentropyOptions{.name = name}) {}
};

/// Options of CategoricalCrossentropy.
struct CategoricalCrossentropyOptions {
  std::string name = {};
  DTypeArg dtype = default_float();
  bool from_logits = false;    ///< predictions are logits, not probabilities
  double label_smoothing = 0;  ///< in [0, 1]
  int64_t axis = -1;           ///< of the classes
};
/// The mean of categorical_crossentropy() over all samples.
struct CategoricalCrossentropy : MeanMetricWrapper {
  explicit CategoricalCrossentropy(const CategoricalCrossentropyOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(CategoricalCrossentropy, CategoricalCrossentropyOptions)
  template <StringLike S>
  explicit CategoricalCrossentropy(const S& name)
      : CategoricalCrossentropy(CategoricalCrossentropyOptions{.name = name}) {}
};

/// Options of SparseCategoricalCrossentropy.
struct SparseCategoricalCrossentropyOptions {
  std::string name = {};
  DTypeArg dtype = default_float();
  bool from_logits = false;                  ///< predictions are logits, not probabilities
  std::optional<int64_t> ignore_class = {};  ///< targets to ignore
  int64_t axis = -1;                         ///< of the classes
};
/// The mean of sparse_categorical_crossentropy() over all samples.
struct SparseCategoricalCrossentropy : MeanMetricWrapper {
  explicit SparseCategoricalCrossentropy(const SparseCategoricalCrossentropyOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(SparseCategoricalCrossentropy, SparseCategoricalCrossentropyOptions)
};

/// The mean of kl_divergence() over all samples.
struct KLDivergence : MeanMetricWrapper {
  explicit KLDivergence(const MetricOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(KLDivergence, MetricOptions)
  template <StringLike S>
  explicit KLDivergence(const S& name) : KLDivergence(MetricOptions{.name = name}) {}
};
/// The mean of poisson() over all samples.
struct Poisson : MeanMetricWrapper {
  explicit Poisson(const MetricOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Poisson, MetricOptions)
  template <StringLike S>
  explicit Poisson(const S& name) : Poisson(MetricOptions{.name = name}) {}
};

}  // namespace antler::metrics
