#include "antler/core/string_handles.h"
#include "antler/ops/ops.h"
#include "estimator/objects.h"

namespace antler::conformance::estimators {
namespace {

bool is_string_dtype(const Json& placeholder) { return placeholder.at("dtype") == "string"; }

TensorSpec spec_of(const Json& placeholder) {
  std::vector<int64_t> sizes;
  for (const Json& size : placeholder.at("shape")) {
    sizes.push_back(size.is_null() ? Shape::kUnknown : size.get<int64_t>());
  }
  const DType dtype = is_string_dtype(placeholder)
                          ? kStringDType
                          : parse_dtype(placeholder.at("dtype").get<std::string>());
  return {dtype, Shape(sizes)};
}

/// One placeholder, or a dictionary of them, as spec tensors.
Nest placeholders_of(const Json& described) {
  if (described.contains("dtype")) return Tensor::spec_only(spec_of(described));
  Nest::Items items;
  for (const auto& [key, placeholder] : described.items()) {
    items.emplace_back(key, Tensor::spec_only(spec_of(placeholder)));
  }
  return Nest::dict(std::move(items));
}

est::FeatureSpec feature_spec_of(const Json& features) {
  est::FeatureSpec spec;
  for (const auto& [key, feature] : features.items()) {
    const TensorSpec parsed = spec_of(feature);
    spec[key] = {.shape = parsed.shape, .dtype = parsed.dtype};
  }
  return spec;
}

est::ServingInputReceiver custom_receiver(const Json& described) {
  est::ServingInputReceiver receiver;
  read_member(described, "unnamed", receiver.is_unnamed);
  for (const auto& [key, placeholder] : described.at("receiver_tensors").items()) {
    receiver.receiver_tensors.emplace_back(
        key, est::ServingPlaceholder{.spec = spec_of(placeholder),
                                     .is_string = is_string_dtype(placeholder)});
  }
  const Json& features = described.at("features");
  receiver.features = [features](const Nest& tensors) -> Nest {
    Nest::Items items;
    for (const auto& [key, feature] : features.items()) {
      const Tensor from = tensors.is_tensor()
                              ? tensors.tensor()
                              : tensors.at(feature.at("from").get<std::string>()).tensor();
      const bool scaled = feature.contains("factor");
      items.emplace_back(key, scaled ? from * number(feature["factor"]) : from);
    }
    return Nest::dict(std::move(items));
  };
  for (const auto& [name, tensors] : member(described, "alternatives").items()) {
    for (const auto& [key, tensor] : tensors.items()) {
      receiver.receiver_tensors_alternatives[name][key] =
          tensor.at("feature").template get<std::string>();
    }
  }
  return receiver;
}

}  // namespace

est::ServingInputReceiverFn receiver_fn(Scenario& scenario, const Json& name) {
  if (name.is_null()) return {};
  const Json& described = scenario.declared("receivers", name.get<std::string>());
  const auto kind = described.at("kind").get<std::string>();
  std::optional<int64_t> batch_size;
  read_member(described, "default_batch_size", batch_size);
  if (kind == "custom") return [&described] { return custom_receiver(described); };
  const Json& features = described.at("features");
  if (kind == "parsing") {
    return est::build_parsing_serving_input_receiver_fn(feature_spec_of(features), batch_size);
  }
  if (kind == "raw") {
    return est::build_raw_serving_input_receiver_fn(placeholders_of(features), batch_size);
  }
  if (kind == "supervised") {
    return est::build_raw_supervised_input_receiver_fn(
        placeholders_of(features), placeholders_of(described.at("labels")), batch_size);
  }
  throw Unsupported{"the receiver '" + kind + "'"};
}

std::map<std::string, std::string> assets_of(Scenario& scenario, const Json& assets) {
  std::map<std::string, std::string> files;
  for (const auto& [destination, text] : assets.items()) {
    files[destination] = scenario.file_with(text.get<std::string>());
  }
  return files;
}

}  // namespace antler::conformance::estimators
