#include "nn/fields.h"

#include "antler/base/error.h"
#include "antler/nn/dtype_policy.h"
#include "antler/nn/initializers.h"
#include "antler/nn/registry.h"
#include "base/strings.h"
#include "nn/unknown_keys.h"

namespace antler {
namespace {

void expect(bool ok, const char* type) {
  if (!ok) throw TypeError("expected {}", type);
}

/// A layer without weights (ReLU, LeakyReLU, ...) as an activation. Its name is its configuration
/// as JSON; write_field() turns the name into an object again.
ActivationFunction activation_of_layer(const Json& object) {
  const LayerPtr layer = deserialize_layer(object);
  const auto call = [layer](const Tensor& x) {
    Tensor y = (*layer)(x);
    if (!layer->weights().empty()) {
      throw NotImplementedError(
          "The layer {} has weights and cannot be the activation of another layer.",
          layer->class_name());
    }
    return y;
  };
  return {object.dump(), call};
}

}  // namespace

Json keras_object(const std::string& module, const std::string& class_name, Json config) {
  Json object = Json::object();
  object["module"] = module;
  object["class_name"] = class_name;
  object["config"] = std::move(config);
  object["registered_name"] = nullptr;
  return object;
}

void write_field(Json& out, bool value) { out = value; }
void write_field(Json& out, int value) { out = value; }
void write_field(Json& out, int64_t value) { out = value; }
void write_field(Json& out, double value) { out = value; }
void write_field(Json& out, const std::string& value) { out = value; }
void write_field(Json& out, const std::vector<int64_t>& value) { out = value; }
void write_field(Json& out, const Shape& value) { out = value.dims(); }
void write_field(Json& out, const Sizes& value) {
  out = value.given() ? Json(value.values()) : Json(nullptr);
}
void write_field(Json& out, const AxisList& value) {
  out = value.single() ? Json(value.values()[0]) : Json(value.values());
}
void write_field(Json& out, const ActivationFunction& value) {
  const std::string& name = value.name();
  if (name.starts_with('{')) {
    out = Json::parse(name);                         // see activation_of_layer()
  } else if (name.find('>') != std::string::npos) {  // registered: as Keras writes functions
    out = {{"module", "builtins"},
           {"class_name", "function"},
           {"config", name},
           {"registered_name", "function"}};
  } else {
    out = name;
  }
}
void write_field(Json& out, const Initializer& value) { out = initializers::serialize(value); }
void write_field(Json& out, const Regularizer& value) { out = regularizers::serialize(value); }
void write_field(Json& out, const Constraint& value) { out = constraints::serialize(value); }

void read_field(const Json& in, bool& value) {
  expect(in.is_boolean(), "a boolean");
  value = in.get<bool>();
}
void read_field(const Json& in, int& value) {
  expect(in.is_number_integer(), "an integer");
  value = in.get<int>();
}
void read_field(const Json& in, int64_t& value) {
  expect(in.is_number_integer(), "an integer");
  value = in.get<int64_t>();
}
void read_field(const Json& in, double& value) {
  expect(in.is_number(), "a number");
  value = in.get<double>();
}
void read_field(const Json& in, std::string& value) {
  expect(in.is_string(), "a string");
  value = in.get<std::string>();
}
void read_field(const Json& in, std::vector<int64_t>& value) {
  if (in.is_number_integer()) {
    value = {in.get<int64_t>()};
    return;
  }
  expect(in.is_array(), "a list of integers");
  value.clear();
  for (const Json& item : in) {
    expect(item.is_number_integer(), "a list of integers");
    value.push_back(item.get<int64_t>());
  }
}
void read_field(const Json& in, Shape& value) {
  std::vector<int64_t> dims;
  read_field(in, dims);
  value = Shape(std::move(dims));
}
void read_field(const Json& in, Sizes& value) {
  std::vector<int64_t> values;
  if (!in.is_null()) read_field(in, values);
  value = in.is_number() ? Sizes(values[0]) : Sizes(std::move(values));
}
void read_field(const Json& in, AxisList& value) {
  std::vector<int64_t> axes;
  read_field(in, axes);
  value = in.is_array() ? AxisList(std::move(axes)) : AxisList(axes[0]);
}
void read_field(const Json& in, ActivationFunction& value) {
  if (in.is_null()) {
    value = {};
  } else if (in.is_string()) {
    value = ActivationFunction(in.get<std::string>());
  } else {
    expect(in.is_object() && in.contains("config"), "the name of an activation, or a layer");
    value = in["config"].is_string() ? ActivationFunction(in["config"].get<std::string>())
                                     : activation_of_layer(in);
  }
}
void read_field(const Json& in, Initializer& value) { value = initializers::deserialize(in); }
void read_field(const Json& in, Regularizer& value) { value = regularizers::deserialize(in); }
void read_field(const Json& in, Constraint& value) { value = constraints::deserialize(in); }

void FieldWriter::dims(const char* key, const std::optional<Shape>& value) {
  write_field(out_[key], value);
  if (!value) return;
  for (Json& item : out_[key]) {
    if (item == -1) item = nullptr;
  }
}

void FieldReader::dims(const char* key, std::optional<Shape>& value) {
  known_.insert(key);
  const auto it = in_.find(key);
  if (it == in_.end()) return;
  Json plain = *it;
  if (plain.is_array()) {
    for (Json& item : plain) {
      if (item.is_null()) item = -1;
    }
  }
  read(key, plain, value);
}

void FieldReader::constant(const char* key, const Json& value) {
  known_.insert(key);
  if (const auto it = in_.find(key); it != in_.end() && *it != value) {
    throw ValueError("{}: `{}` = {} is not supported; expected {}.", class_name_, key, it->dump(),
                     value.dump());
  }
}

void FieldReader::finish() const {
  std::vector<std::string> unknown;
  for (const auto& [key, value] : in_.items()) {
    if (!known_.contains(key)) unknown.push_back("'" + key + "'");
  }
  if (unknown.empty()) return;
  throw UnknownKeysError("Unrecognized keyword arguments passed to {}: {}. Expected some of: '{}'.",
                         class_name_, join(unknown), join(known_, "', '"));
}

void FieldReader::fail(const char* key, const Json& in, const char* what) const {
  throw ValueError("{}: `{}`: {}. Received: {}", class_name_, key, what, in.dump());
}

void FieldReader::fail_missing(const char* key) const {
  throw TypeError("{}: missing required argument `{}`. Received: {}", class_name_, key, in_.dump());
}

void FieldReader::fail_empty(const char* key) const {
  throw ValueError("{}: `{}` must be a positive integer or one per dimension. Received: []",
                   class_name_, key);
}

void FieldReader::dtype(std::optional<std::string>& value) {
  known_.insert("dtype");
  const auto it = in_.find("dtype");
  if (it == in_.end() || it->is_null()) return;
  value = DTypePolicy::deserialize(*it).text();
}

}  // namespace antler
