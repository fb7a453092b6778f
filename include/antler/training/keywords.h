#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

#include "antler/data/fit_data.h"
#include "antler/training/compile_arguments.h"
#include "antler/training/fit_options.h"

namespace antler {

/// A keyword with its value, `kw::epochs = 5`. `Members` are the fields that it sets, one per
/// options struct.
template <class T, auto... Members>
class KeywordValue {
 public:
  // A template, so that a check whether keywords can be copied does not try to convert them to T.
  template <std::same_as<T> V>
  explicit KeywordValue(V value) : value_(std::move(value)) {}

  template <class Options>
  static constexpr bool is_field_of() {
    return (std::is_same_v<decltype(Members), T Options::*> || ...);
  }
  template <class Options>
  void set(Options& options) {
    const auto assign = [&]<class O, class F>(F O::*member) {
      if constexpr (std::is_same_v<O, Options>) options.*member = std::move(value_);
    };
    (assign(Members), ...);
  }

 private:
  T value_;
};

/// A keyword; assigning to it gives a KeywordValue.
template <class T, auto... Members>
struct Keyword {
  KeywordValue<T, Members...> operator=(
      T value) const {  // NOLINT(misc-unconventional-assign-operator)
    return KeywordValue<T, Members...>(std::move(value));
  }
};

template <class T>
inline constexpr bool kIsKeyword = false;
template <class T, auto... Members>
inline constexpr bool kIsKeyword<KeywordValue<T, Members...>> = true;
template <class T>
concept KeywordArgument = kIsKeyword<T>;

/// The options that the keywords set; the others keep their defaults.
template <class Options, KeywordArgument... K>
Options from_keywords(K&&... keywords) {
  static_assert((K::template is_field_of<Options>() && ...),
                "This function does not have one of the keyword arguments.");
  Options options;
  (keywords.set(options), ...);
  return options;
}

/// The inputs of fit(), evaluate() and predict() by keyword.
struct InputKeyword {
  FitData x;  ///< kw::x
};
/// The targets of fit() and evaluate() by keyword.
struct TargetKeyword {
  Arrays y;  ///< kw::y
};

template <class K, class... Parts>
inline constexpr bool kIsFieldOfAny = (K::template is_field_of<Parts>() || ...);
/// One of each of the structs, with the fields that the keywords set.
template <class... Parts, KeywordArgument... K>
std::tuple<Parts...> split_keywords(K&&... keywords) {
  static_assert((kIsFieldOfAny<K, Parts...> && ...),
                "This function does not have one of the keyword arguments.");
  std::tuple<Parts...> parts;
  const auto set = [&](auto& keyword) {
    std::apply([&](auto&... part) { (keyword.set(part), ...); }, parts);
  };
  (set(keywords), ...);
  return parts;
}
/// Whether the keywords include `x`.
template <class... K>
concept KeywordsWithInput = (K::template is_field_of<InputKeyword>() || ...);

/// Python's keyword arguments of compile, fit, evaluate and predict, in any order:
///
///     model.fit(x, y, kw::validation_data = {x_val, y_val}, kw::epochs = 5);
///
/// An options struct in braces does the same, but its fields must be in the order of declaration.
namespace kw {
// Named like Python's arguments, although constants are named kName elsewhere.
// NOLINTBEGIN(readability-identifier-naming)

inline constexpr Keyword<FitData, &InputKeyword::x> x;
inline constexpr Keyword<Arrays, &TargetKeyword::y> y;
inline constexpr Keyword<OptimizerSpec, &CompileArguments::optimizer> optimizer;
inline constexpr Keyword<LossSpec, &CompileArguments::loss> loss;
inline constexpr Keyword<LossWeights, &CompileArguments::loss_weights> loss_weights;
inline constexpr Keyword<MetricSpec, &CompileArguments::metrics> metrics;
inline constexpr Keyword<MetricSpec, &CompileArguments::weighted_metrics> weighted_metrics;
inline constexpr Keyword<std::optional<bool>, &CompileArguments::run_eagerly> run_eagerly;
inline constexpr Keyword<StepsPerExecutionSpec, &CompileArguments::steps_per_execution>
    steps_per_execution;
inline constexpr Keyword<std::optional<bool>, &CompileArguments::jit_compile> jit_compile;
inline constexpr Keyword<EvaluationShards, &CompileArguments::pss_evaluation_shards>
    pss_evaluation_shards;
inline constexpr Keyword<bool, &CompileArguments::auto_scale_loss> auto_scale_loss;

inline constexpr Keyword<std::optional<int64_t>, &FitOptions::batch_size,
                         &EvaluateOptions::batch_size, &PredictOptions::batch_size>
    batch_size;
inline constexpr Keyword<int64_t, &FitOptions::epochs> epochs;
inline constexpr Keyword<std::optional<int>, &FitOptions::verbose, &EvaluateOptions::verbose,
                         &PredictOptions::verbose>
    verbose;
inline constexpr Keyword<Callbacks, &FitOptions::callbacks, &EvaluateOptions::callbacks,
                         &PredictOptions::callbacks>
    callbacks;
inline constexpr Keyword<double, &FitOptions::validation_split> validation_split;
inline constexpr Keyword<ValidationData, &FitOptions::validation_data> validation_data;
inline constexpr Keyword<ShuffleSpec, &FitOptions::shuffle> shuffle;
inline constexpr Keyword<ClassWeights, &FitOptions::class_weight,
                         &TrainOnBatchOptions::class_weight>
    class_weight;
inline constexpr Keyword<Arrays, &FitOptions::sample_weight, &EvaluateOptions::sample_weight,
                         &TrainOnBatchOptions::sample_weight, &TestOnBatchOptions::sample_weight>
    sample_weight;
inline constexpr Keyword<int64_t, &FitOptions::initial_epoch> initial_epoch;
inline constexpr Keyword<std::optional<int64_t>, &FitOptions::steps_per_epoch> steps_per_epoch;
inline constexpr Keyword<std::optional<int64_t>, &FitOptions::validation_steps> validation_steps;
inline constexpr Keyword<std::optional<int64_t>, &FitOptions::validation_batch_size>
    validation_batch_size;
inline constexpr Keyword<ValidationFrequency, &FitOptions::validation_freq> validation_freq;
inline constexpr Keyword<bool, &EvaluateOptions::return_dict, &TrainOnBatchOptions::return_dict,
                         &TestOnBatchOptions::return_dict>
    return_dict;
inline constexpr Keyword<bool, &TrainOnBatchOptions::reset_metrics,
                         &TestOnBatchOptions::reset_metrics>
    reset_metrics;
inline constexpr Keyword<std::optional<int64_t>, &EvaluateOptions::steps, &PredictOptions::steps>
    steps;

// NOLINTEND(readability-identifier-naming)
}  // namespace kw
}  // namespace antler
