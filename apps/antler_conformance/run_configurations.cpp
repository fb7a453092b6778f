// Invalid configs of many classes, each with the exception that Keras's constructor raises.
#include "antler/nn/constraint.h"
#include "antler/nn/initializers.h"
#include "antler/nn/loss.h"
#include "antler/nn/metric.h"
#include "antler/nn/optimizer.h"
#include "antler/nn/optimizers/schedules.h"
#include "antler/nn/registry.h"
#include "antler/nn/regularizer.h"
#include "kinds.h"

namespace antler::conformance {
namespace {

void deserialize(const std::string& kind, const Json& object) {
  if (kind == "loss") {
    losses::deserialize(object);
  } else if (kind == "metric") {
    metrics::deserialize(object);
  } else if (kind == "optimizer") {
    optimizers::deserialize(object);
  } else if (kind == "schedule") {
    optimizers::schedules::deserialize(object);
  } else if (kind == "initializer") {
    initializers::deserialize(object);
  } else if (kind == "regularizer") {
    regularizers::deserialize(object);
  } else if (kind == "constraint") {
    constraints::deserialize(object);
  } else if (kind == "layer") {
    deserialize_layer(object);
  } else {
    throw Unsupported{format("objects of the kind '{}'", kind)};
  }
}

/// One row of the case: a class with a valid config.
class ConfigurationRow {
 public:
  ConfigurationRow(const Json& row, Check& check)
      : kind_(row.at("kind").get<std::string>()),
        class_name_(row.at("class_name").get<std::string>()),
        config_(row.at("config")),
        check_(check) {}

  /// The class name of the exception that Antler throws for `config`; null if it accepts it.
  Json outcome(const Json& config) const {
    const Json object = {{"module", kind_ == "layer" ? "keras.layers" : "keras"},
                         {"class_name", class_name_},
                         {"config", config},
                         {"registered_name", nullptr}};
    try {
      deserialize(kind_, object);
    } catch (const Error& error) {
      return error.class_name();
    }
    return nullptr;
  }

  void missing(const std::string& key, const Json& expected) const {
    Json config = config_;
    config.erase(key);
    compare(format("without '{}'", key), outcome(config), expected,
            /*any_class=*/expected == "Error");
  }

  /// Keras may accept unknown keys, as in Constant.
  void unknown(const Json& expected) const {
    if (expected.is_null()) return;
    Json config = config_;
    config["no_such_option"] = 1;
    compare("with an unknown key", outcome(config), expected, /*any_class=*/expected == "Error");
  }

  /// A value of a wrong type. Which exception Python raises, if any, often depends on where the
  /// value is used first. So the check only requires that Antler rejects what Keras rejects.
  void value(const std::string& key, const Json& value, const Json& expected) const {
    if (expected.is_null()) return;
    Json config = config_;
    config[key] = value;
    compare(format("with '{}' = {}", key, value.dump()), outcome(config), expected,
            /*any_class=*/expected != "ValueError");
  }

  void valid() const { compare("as it is", outcome(config_), nullptr, false); }

 private:
  void compare(const std::string& what, const Json& got, const Json& expected,
               bool any_class) const {
    const bool ok = any_class ? !got.is_null() : got == expected;
    check_.truth(format("{} {}", class_name_, what), ok,
                 format("gave {}, Keras {}", got.dump(), expected.dump()));
  }

  std::string kind_;
  std::string class_name_;
  Json config_;
  Check& check_;
};

}  // namespace

void run_configurations(const GoldenCase& golden, Check& check) {
  for (const Json& json : golden.json.at("rows")) {
    const ConfigurationRow row(json, check);
    row.valid();
    row.unknown(json.at("unknown"));
    const Json& missing = json.at("missing");
    for (const auto& [key, value] : json.at("config").items()) {
      row.missing(key, missing.contains(key) ? missing[key] : Json(nullptr));
    }
    if (!json.contains("values")) continue;
    for (const auto& [key, expected] : json["values"].items()) {
      for (size_t i = 0; i < expected.size(); ++i) {
        row.value(key, golden.json.at("values")[i], expected[i]);
      }
    }
  }
}

}  // namespace antler::conformance
