#include "models/object_spec.h"

#include <algorithm>
#include <cctype>

#include "antler/base/error.h"
#include "antler/nn/registry.h"
#include "antler/training/callbacks/deserialize.h"
#include "base/strings.h"

namespace antler::cli {
namespace {

/// Overrides options in `defaults` ({"class_name", "config"}).
Json with_options(Json defaults, const ObjectSpec& spec) {
  for (const auto& [key, value] : spec.options.items()) {
    if (!defaults["config"].contains(key)) {
      std::vector<std::string> known;
      for (const auto& [name, unused] : defaults["config"].items()) known.push_back(name);
      throw ValueError("'{}' has no option '{}'. Options: {}.", spec.name, key, join(known));
    }
    defaults["config"][key] = value;
  }
  return defaults;
}

}  // namespace

Json parse_value(const std::string& text) {
  Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return value.is_discarded() ? Json(text) : value;
}

ObjectSpec parse_object(const std::string& text) {
  const size_t colon = text.find(':');
  ObjectSpec spec{text.substr(0, colon), Json::object()};
  size_t at = colon == std::string::npos ? text.size() : colon + 1;
  while (at < text.size()) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string option = text.substr(at, end - at);
    const size_t equals = option.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw ValueError("'{}': expected options as name=value, separated by commas. Received: '{}'.",
                       text, option);
    }
    spec.options[option.substr(0, equals)] = parse_value(option.substr(equals + 1));
    at = end + 1;
  }
  return spec;
}

OptimizerPtr make_optimizer(const std::string& text) {
  const ObjectSpec spec = parse_object(text);
  OptimizerPtr optimizer = optimizers::get(spec.name);
  if (spec.options.empty()) return optimizer;
  return optimizers::deserialize(with_options(optimizers::serialize(*optimizer), spec));
}

Loss make_loss(const std::string& text) {
  const ObjectSpec spec = parse_object(text);
  Loss loss = losses::get(spec.name);
  if (spec.options.empty()) return loss;
  return losses::deserialize(with_options(losses::serialize(loss), spec));
}

namespace {

/// "TensorBoard", "tensor_board" and "tensorboard" are the same name.
bool is_same_name(const std::string& a, const std::string& b) {
  const auto plain = [](const std::string& name) {
    std::string letters;
    for (const char c : name) {
      if (c != '_') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return letters;
  };
  return plain(a) == plain(b);
}

}  // namespace

CallbackHandle make_callback(const std::string& text) {
  const ObjectSpec spec = parse_object(text);
  std::vector<std::string> known;
  for (const std::string& name : callbacks::registered_callbacks()) {
    if (is_same_name(name, spec.name)) {
      const Json object = {{"class_name", name}, {"config", spec.options}};
      return callbacks::deserialize(object);
    }
    known.push_back(to_snake_case(name));
  }
  throw ValueError("Unknown callback '{}'. Known callbacks: {}.", spec.name, join(known));
}

}  // namespace antler::cli
