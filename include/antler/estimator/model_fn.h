#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include "antler/core/nest.h"
#include "antler/estimator/estimator_spec.h"
#include "antler/estimator/input_fn.h"
#include "antler/estimator/mode_keys.h"

namespace antler::estimator {

/// The arguments of a model_fn. Features and labels are traced tensors with the shape of the
/// current batch.
struct ModelFnArgs {
  const Nest& features;  ///< a tensor or a dictionary
  const Nest& labels;    ///< none in ModeKeys::predict, or without labels
  ModeKeys mode;
  const Params& params;
  const RunConfig& config;
  /// The dtypes and shapes of features and labels according to the data set. The batch size is
  /// unknown unless it is the same for every batch.
  const Nest& features_spec;
  const Nest& labels_spec;
  /// Whether this is not the first trace, but one for a batch of another shape. As with
  /// tf.function, the model_fn is then called again.
  bool is_retrace = false;
};

/// The arguments of a model_fn without labels.
struct FeaturesOnlyArgs {
  const Nest& features;
  ModeKeys mode;
  const Params& params;
  const RunConfig& config;
};

/// A function that builds a model: `EstimatorSpec(const ModelFnArgs&)` or `TPUEstimatorSpec(...)`.
/// If it takes FeaturesOnlyArgs, inputs must not have labels.
class ModelFn {
 public:
  ModelFn() = default;
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, ModelFn> &&
           std::is_invocable_r_v<ModelSpec, F&, const ModelFnArgs&>)
      ModelFn(F function)  // NOLINT(google-explicit-constructor)
      : function_(std::move(function)) {}
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, ModelFn> &&
           std::is_invocable_r_v<ModelSpec, F&, const FeaturesOnlyArgs&>)
      ModelFn(F function)  // NOLINT(google-explicit-constructor)
      : function_([function = std::move(function)](const ModelFnArgs& args) mutable -> ModelSpec {
          return function(FeaturesOnlyArgs{args.features, args.mode, args.params, args.config});
        }),
        takes_labels_(false) {}
  bool defined() const { return static_cast<bool>(function_); }
  bool takes_labels() const { return takes_labels_; }
  ModelSpec operator()(const ModelFnArgs& args) const { return function_(args); }

 private:
  std::function<ModelSpec(const ModelFnArgs&)> function_;
  bool takes_labels_ = true;
};

}  // namespace antler::estimator
