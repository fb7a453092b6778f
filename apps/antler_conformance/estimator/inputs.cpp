#include "estimator/inputs.h"

#include <algorithm>

namespace antler::conformance::estimators {
namespace {

/// An array, a dictionary of them, or nothing.
Nest arrays_of(const Scenario& scenario, const Json& value) {
  if (value.is_null()) return {};
  if (!value.is_object()) return scenario.array(value);
  Nest::Items items;
  for (const auto& [key, array] : value.items()) items.emplace_back(key, scenario.array(array));
  return Nest::dict(std::move(items));
}

int64_t batch_size_of(const Json& input, const est::Params* params) {
  const Json& size = member(input, "batch_size");
  if (!size.is_string()) return size.get<int64_t>();
  if (params == nullptr) throw ValueError("This input_fn does not take params.");
  return params->get<int64_t>("batch_size");
}

est::InputData make_input(const Scenario& scenario, const Json& input, const est::Params* params) {
  const Nest features = arrays_of(scenario, member(input, "features"));
  const Nest labels = arrays_of(scenario, member(input, "labels"));
  if (member(input, "returns") == "constant") return {features, labels};
  data::Dataset dataset =
      data::Dataset::from_tensor_slices(labels.is_none() ? features : Nest{features, labels});
  if (const Json& take = member(input, "take"); !take.is_null()) {
    dataset = dataset.take(take.get<int64_t>());
  }
  if (const Json& repeat = member(input, "repeat"); !repeat.is_null()) {
    dataset = dataset.repeat(repeat.get<int64_t>());
  }
  if (member(input, "batch_size").is_null()) return dataset;
  bool drop = false;
  read_member(input, "drop_remainder", drop);
  return dataset.batch(batch_size_of(input, params), {.drop_remainder = drop});
}

}  // namespace

est::InputFn input_fn(Scenario& scenario, const Json& name) {
  if (name.is_null()) return {};
  const auto text = name.get<std::string>();
  const Json& input = scenario.declared("inputs", text);
  const Json& takes = member(input, "takes");
  if (takes.empty()) {
    return [&scenario, &input, text]() -> est::InputData {
      scenario.note({"input_fn", text, Json::object()});
      return make_input(scenario, input, nullptr);
    };
  }
  const auto has = [&takes](const char* parameter) {
    return std::find(takes.begin(), takes.end(), parameter) != takes.end();
  };
  return [&scenario, &input, text, takes_params = has("params"), takes_mode = has("mode"),
          takes_config = has("config")](const est::InputFnArgs& args) -> est::InputData {
    Json seen = Json::object();
    if (takes_params) seen["params"] = params_json(args.params);
    if (takes_mode) seen["mode"] = est::mode_name(args.mode);
    if (takes_config) {
      const auto& folder = args.config.model_dir();
      seen["config.model_dir"] = folder ? Json(scenario.portable(*folder)) : Json(nullptr);
    }
    scenario.note({"input_fn", text, seen});
    for (const auto& [key, value] : member(input, "writes_params").items()) {
      args.params.set(key, params_of({{key, value}}).items()[0].second);
    }
    return make_input(scenario, input, takes_params ? &args.params : nullptr);
  };
}

}  // namespace antler::conformance::estimators
