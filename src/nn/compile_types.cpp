#include "antler/nn/compile_types.h"

#include <functional>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/object_factory.h"

namespace antler {
namespace {

/// Whether this is a function as Keras writes it.
bool is_function(const Json& json) {
  return json.value("class_name", "") == "function" && json.contains("config") &&
         json["config"].is_string();
}

/// Whether a loss or function of the program has this name. It is looked up while the configuration
/// is read, because custom objects may be known only then.
bool is_own_loss(const std::string& name) {
  return get_registered_object(name).as<Loss>() != nullptr;
}

bool is_object(const Json& json) { return json.contains("class_name") && json.contains("config"); }

[[noreturn]] void throw_unknown_form(const char* what, const Json& json) {
  throw ValueError(
      "Could not interpret {} identifier: {}. Expected a name, a configuration with `class_name` "
      "and `config`, a list or a dictionary of these, or null.",
      what, json.dump());
}

/// The items of a tuple, which Keras writes as an object; other values are returned unchanged.
const Json& unwrapped(const Json& json) {
  if (json.is_object() && json.value("class_name", "") == "__tuple__") return json.at("items");
  return json;
}

template <class Spec>
Spec spec_from_config(const Json& json, const char* what,
                      const std::function<Spec(const Json&)>& object,
                      const std::function<Spec(const std::string&)>& named) {
  const Json& value = unwrapped(json);
  if (value.is_null()) return {};
  if (value.is_string()) return named(value.get<std::string>());
  if (value.is_array()) {
    std::vector<Spec> list;
    for (const Json& item : value)
      list.push_back(spec_from_config<Spec>(item, what, object, named));
    return list;
  }
  if (!value.is_object()) throw_unknown_form(what, value);
  if (is_function(value)) return named(value["config"].get<std::string>());
  if (is_object(value)) return object(value);
  typename Spec::Items items;
  for (const auto& [name, item] : value.items()) {
    items.emplace_back(name, spec_from_config<Spec>(item, what, object, named));
  }
  return Spec::dict(std::move(items));
}

template <class Spec>
Json spec_to_config(const Spec& spec, const std::function<Json(const Spec&)>& single) {
  switch (spec.kind()) {
    case Spec::Kind::none:
      return nullptr;
    case Spec::Kind::single:
      return single(spec);
    case Spec::Kind::list: {
      Json list = Json::array();
      for (const auto& [name, item] : spec.items()) list.push_back(spec_to_config(item, single));
      return list;
    }
    case Spec::Kind::dict:
      break;
  }
  Json dict = Json::object();
  for (const auto& [name, item] : spec.items()) dict[name] = spec_to_config(item, single);
  return dict;
}

}  // namespace

OptimizerSpec OptimizerSpec::from_config(const Json& json) {
  if (json.is_null()) return {};
  if (json.is_string() && !json.get_ref<const std::string&>().empty())
    return json.get<std::string>();
  if (!json.is_object() || !is_object(json)) throw_unknown_form("optimizer", json);
  return optimizers::deserialize(json);
}

Json OptimizerSpec::to_config() const {
  if (!given()) return nullptr;
  return optimizer_ != nullptr ? optimizers::serialize(*optimizer_) : Json(name_);
}

LossSpec LossSpec::from_config(const Json& json) {
  return spec_from_config<LossSpec>(
      json, "loss", [](const Json& object) { return LossSpec(losses::deserialize(object)); },
      [](const std::string& name) {
        LossSpec spec(name);
        if (is_own_loss(name)) spec.loss_ = losses::get(name);
        return spec;
      });
}

Json LossSpec::to_config() const {
  return spec_to_config<LossSpec>(*this, [](const LossSpec& spec) -> Json {
    if (!spec.name().empty()) return spec.name();
    const Loss loss = spec.resolve();
    if (loss.impl().class_name() == "LossFunctionWrapper") {
      throw ValueError(
          "The loss '{}' is a function, which has no configuration and cannot be saved.",
          loss.name());
    }
    return losses::serialize(loss);
  });
}

MetricSpec MetricSpec::from_config(const Json& json) {
  return spec_from_config<MetricSpec>(
      json, "metric", [](const Json& object) { return MetricSpec(metrics::deserialize(object)); },
      [](const std::string& name) {
        MetricSpec spec(name);
        if (is_own_loss(name)) spec.metric_ = metrics::get(name);
        return spec;
      });
}

Json MetricSpec::to_config() const {
  return spec_to_config<MetricSpec>(*this, [](const MetricSpec& spec) -> Json {
    return spec.name().empty() ? metrics::serialize(*spec.metric()) : Json(spec.name());
  });
}

LossSpec::LossSpec(std::vector<LossSpec> list) : kind_(Kind::list) {
  for (LossSpec& item : list) items_.emplace_back(std::string(), std::move(item));
}

LossSpec::LossSpec(std::initializer_list<Element> list) : kind_(Kind::list) {
  for (const Element& item : list) items_.emplace_back(std::string(), item.loss);
}

LossSpec LossSpec::dict(Items items) {
  LossSpec spec;
  spec.kind_ = Kind::dict;
  spec.items_ = std::move(items);
  return spec;
}

Loss LossSpec::resolve() const {
  if (kind_ != Kind::single) {
    throw ValueError(
        "LossSpec: only a single loss can be resolved. Received a list, a dictionary or nothing.");
  }
  return loss_.defined() ? loss_ : losses::get(name_);
}

MetricSpec::MetricSpec(const Loss& loss)
    : MetricSpec(
          metrics::from_function(loss.name(), [loss](const Tensor& y_true, const Tensor& y_pred) {
            return loss.call(y_true, y_pred);
          })) {}

MetricSpec::MetricSpec(std::vector<MetricSpec> list) : kind_(Kind::list) {
  for (MetricSpec& item : list) items_.emplace_back(std::string(), std::move(item));
}

MetricSpec::MetricSpec(std::initializer_list<MetricSpec> list)
    : MetricSpec(std::vector<MetricSpec>(list)) {}

MetricSpec MetricSpec::dict(Items items) {
  MetricSpec spec;
  spec.kind_ = Kind::dict;
  spec.items_ = std::move(items);
  return spec;
}

bool MetricSpec::is_resolved_by_shape() const {
  return kind_ == Kind::single && metric_ == nullptr && metrics::is_resolved_by_shape(name_);
}

MetricPtr MetricSpec::resolve() const {
  if (kind_ != Kind::single) {
    throw ValueError(
        "MetricSpec: only a single metric can be resolved. Received a list, a dictionary or "
        "nothing.");
  }
  return metric_ != nullptr ? metric_ : metrics::get(name_);
}

MetricPtr MetricSpec::resolve(const Shape& y_true, const Shape& y_pred) const {
  return is_resolved_by_shape() ? metrics::get_by_shape(name_, y_true, y_pred) : resolve();
}

}  // namespace antler
