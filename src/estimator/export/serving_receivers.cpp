#include <set>

#include "antler/base/error.h"
#include "antler/core/string_handles.h"
#include "antler/estimator/serving.h"
#include "base/strings.h"

namespace antler::estimator {
namespace {

using Placeholders = std::vector<std::pair<std::string, ServingPlaceholder>>;

/// The placeholder for a feature. It takes any number of rows, unless the batch size is given.
ServingPlaceholder placeholder_for(const Tensor& feature, std::optional<int64_t> batch_size) {
  if (!feature.defined()) throw ValueError("A feature of a serving input has no spec.");
  std::vector<int64_t> dims = feature.shape().dims();
  if (!dims.empty()) dims[0] = batch_size.value_or(Shape::kUnknown);
  return {{feature.dtype(), Shape(dims)}, feature.dtype() == kStringDType};
}

/// Placeholders by key; a single tensor gets the key `single_key`.
Placeholders placeholders_for(const Nest& nest, const std::string& single_key,
                              std::optional<int64_t> batch_size) {
  Placeholders placeholders;
  if (nest.is_tensor()) {
    placeholders.emplace_back(single_key, placeholder_for(nest.tensor(), batch_size));
    return placeholders;
  }
  if (!nest.is_dict()) throw ValueError("Features must be a tensor or a dictionary of tensors.");
  for (const auto& [key, value] : nest.items()) {
    placeholders.emplace_back(key, placeholder_for(value.tensor(), batch_size));
  }
  return placeholders;
}

/// The part of the received tensors that corresponds to these placeholders.
Nest received_part(const Nest& received, const Nest& like, const std::string& single_key) {
  if (like.is_tensor()) return received.at(single_key);
  Nest::Items items;
  for (const auto& [key, value] : like.items()) items.emplace_back(key, received.at(key));
  return Nest::dict(std::move(items));
}

}  // namespace

ServingInputReceiverFn build_parsing_serving_input_receiver_fn(
    const FeatureSpec& feature_spec, std::optional<int64_t> default_batch_size) {
  return [feature_spec, default_batch_size] {
    const Shape shape{default_batch_size.value_or(Shape::kUnknown)};
    return ServingInputReceiver{
        .receiver_tensors = {{"examples", {{kStringDType, shape}, /*is_string=*/true}}},
        .parses = feature_spec};
  };
}

ServingInputReceiverFn build_raw_serving_input_receiver_fn(
    const Nest& features, std::optional<int64_t> default_batch_size) {
  return [features, default_batch_size] {
    return ServingInputReceiver{
        .receiver_tensors = placeholders_for(features, "input", default_batch_size),
        .is_unnamed = features.is_tensor()};
  };
}

ServingInputReceiverFn build_raw_supervised_input_receiver_fn(
    const Nest& features, const Nest& labels, std::optional<int64_t> default_batch_size) {
  constexpr const char* kFeature = "feature";
  constexpr const char* kLabel = "label";
  return [features, labels, default_batch_size] {
    ServingInputReceiver receiver{
        .receiver_tensors = placeholders_for(features, kFeature, default_batch_size),
        .has_labels = true};
    std::set<std::string> keys;
    for (const auto& [key, placeholder] : receiver.receiver_tensors) keys.insert(key);
    std::vector<std::string> both;
    for (const auto& [key, placeholder] : placeholders_for(labels, kLabel, default_batch_size)) {
      if (keys.contains(key)) both.push_back(key);
      receiver.receiver_tensors.emplace_back(key, placeholder);
    }
    if (!both.empty()) {
      throw ValueError("Features and labels must have distinct keys. Found overlapping keys: {}",
                       join(both, ", "));
    }
    receiver.features = [features, labels](const Nest& received) {
      return Nest(std::vector<Nest>{received_part(received, features, kFeature),
                                    received_part(received, labels, kLabel)});
    };
    return receiver;
  };
}

}  // namespace antler::estimator
