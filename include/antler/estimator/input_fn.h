#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include "antler/core/nest.h"
#include "antler/data/dataset.h"
#include "antler/data/input_context.h"
#include "antler/estimator/mode_keys.h"
#include "antler/estimator/params.h"
#include "antler/estimator/run_config.h"

namespace antler::estimator {

/// The arguments of an input_fn.
struct InputFnArgs {
  Params& params;  ///< a copy; has "batch_size" if an estimator on an accelerator system knows it
  ModeKeys mode;
  const RunConfig& config;
  data::InputContext input_context = {};
};

/// The result of an input_fn: a data set whose elements are batches, [features, labels] or
/// features, or tensors that are used at every step, without end.
class InputData {
 public:
  InputData(data::Dataset dataset)
      : source_(std::move(dataset)) {}        // NOLINT(google-explicit-constructor)
  InputData(Nest features, Nest labels = {})  // NOLINT(google-explicit-constructor)
      : source_(std::pair(std::move(features), std::move(labels))) {}
  InputData(Tensor features)
      : InputData(Nest(std::move(features))) {}  // NOLINT(google-explicit-constructor)
  bool is_dataset() const { return std::holds_alternative<data::Dataset>(source_); }
  const data::Dataset& dataset() const { return std::get<data::Dataset>(source_); }
  const Nest& features() const { return std::get<1>(source_).first; }
  const Nest& labels() const { return std::get<1>(source_).second; }

 private:
  std::variant<data::Dataset, std::pair<Nest, Nest>> source_;
};

/// A function that makes the input of a call: `InputData(const InputFnArgs&)` or, if it needs no
/// arguments, `InputData()`. A TPUEstimator rejects the latter, because an input_fn must take its
/// batch size from params.
class InputFn {
 public:
  InputFn() = default;
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, InputFn> &&
           std::is_invocable_r_v<InputData, F&, const InputFnArgs&>)
      InputFn(F function)  // NOLINT(google-explicit-constructor)
      : function_(std::move(function)), takes_arguments_(true) {}
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, InputFn> && std::is_invocable_r_v<InputData, F&>)
      InputFn(F function)  // NOLINT(google-explicit-constructor)
      : function_([function = std::move(function)](const InputFnArgs&) mutable -> InputData {
          return function();
        }) {}
  bool defined() const { return static_cast<bool>(function_); }
  bool takes_arguments() const { return takes_arguments_; }
  InputData operator()(const InputFnArgs& args) const { return function_(args); }

 private:
  std::function<InputData(const InputFnArgs&)> function_;
  bool takes_arguments_ = false;
};

}  // namespace antler::estimator
