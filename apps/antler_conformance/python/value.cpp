#include "python/value.h"

#include <algorithm>

#include "antler/base/format.h"
#include "antler/nn/registry.h"

namespace antler::conformance::python {
namespace {

[[noreturn]] void refuse(const char* wanted) {
  throw Unwritable{std::string("a value of another type than ") + wanted};
}

}  // namespace

Value Arguments::at(size_t index, const std::string& name) const {
  if (index < positional.size()) return positional[index];
  for (const auto& [key, value] : named)
    if (key == name) return value;
  return {};
}

bool Arguments::has(size_t index, const std::string& name) const {
  return index < positional.size() ||
         std::any_of(named.begin(), named.end(), [&](const auto& n) { return n.first == name; });
}

void Arguments::only(const std::vector<std::string>& names) const {
  for (const auto& [key, value] : named) {
    if (std::find(names.begin(), names.end(), key) == names.end())
      throw Unwritable{format("the argument '{}'", key)};
  }
}

Value list_of(Values items, bool tuple) {
  return {Sequence{tuple, std::make_shared<Values>(std::move(items))}};
}

Values items_of(const Value& value) {
  if (const auto* sequence = value.get<Sequence>()) return *sequence->items;
  if (const auto* iterator = value.get<Iterator>()) return *iterator->items;
  refuse("list");
}

int64_t to_integer(const Value& value) {
  if (const auto* number = value.get<int64_t>()) return *number;
  refuse("integer");
}

double to_number(const Value& value) {
  if (const auto* number = value.get<double>()) return *number;
  return static_cast<double>(to_integer(value));
}

bool to_bool(const Value& value) {
  if (const auto* truth = value.get<bool>()) return *truth;
  refuse("bool");
}

std::string to_string(const Value& value) {
  if (const auto* text = value.get<std::string>()) return *text;
  refuse("string");
}

Tensor to_tensor(const Value& value) {
  if (const auto* tensor = value.get<Tensor>()) return *tensor;
  if (const auto* variable = value.get<Variable>()) return variable->value();
  if (value.is_none()) return {};
  refuse("array");
}

Tensors to_tensors(const Value& value) {
  Tensors tensors;
  for (const Value& item : items_of(value)) tensors.push_back(to_tensor(item));
  return tensors;
}

Nest to_nest(const Value& value) {
  if (const auto* dictionary = value.get<Dictionary>()) {
    Nest::Items items;
    for (const auto& [key, item] : dictionary->items) items.emplace_back(key, to_nest(item));
    return Nest::dict(std::move(items));
  }
  if (const auto* sequence = value.get<Sequence>()) {
    std::vector<Nest> list;
    for (const Value& item : *sequence->items) list.push_back(to_nest(item));
    return list;
  }
  return to_tensor(value);
}

Shape to_shape(const Value& value) {
  std::vector<int64_t> dims;
  if (value.get<int64_t>() != nullptr) return Shape{to_integer(value)};
  for (const Value& item : items_of(value))
    dims.push_back(item.is_none() ? Shape::kUnknown : to_integer(item));
  return Shape(dims.begin(), dims.end());
}

LayerPtr to_layer(const Value& value) {
  if (const auto* model = value.get<std::shared_ptr<Model>>()) return (*model)->share();
  if (const auto* object = value.get<std::shared_ptr<Object>>()) {
    if (const auto* layer = std::get_if<LayerPtr>(&(*object)->live)) return *layer;
  }
  refuse("layer");
}

Json to_json(const Value& value) {
  if (value.is_none()) return nullptr;
  if (const auto* truth = value.get<bool>()) return *truth;
  if (const auto* number = value.get<int64_t>()) return *number;
  if (const auto* number = value.get<double>()) return *number;
  if (const auto* text = value.get<std::string>()) return *text;
  if (const auto* object = value.get<std::shared_ptr<Object>>()) return (*object)->json;
  if (const auto* model = value.get<std::shared_ptr<Model>>()) return serialize_layer(**model);
  if (const auto* dictionary = value.get<Dictionary>()) {
    Json json = Json::object();
    for (const auto& [key, item] : dictionary->items) json[key] = to_json(item);
    return json;
  }
  if (const auto* sequence = value.get<Sequence>()) {
    Json json = Json::array();
    for (const Value& item : *sequence->items) json.push_back(to_json(item));
    return json;
  }
  refuse("those in configs");
}

Value from_json(const Json& json) {
  switch (json.type()) {
    case Json::value_t::null:
      return {};
    case Json::value_t::boolean:
      return {json.get<bool>()};
    case Json::value_t::string:
      return {json.get<std::string>()};
    case Json::value_t::number_float:
      return {json.get<double>()};
    case Json::value_t::array: {
      Values items;
      for (const Json& item : json) items.push_back(from_json(item));
      return list_of(std::move(items));
    }
    case Json::value_t::object: {
      Dictionary dictionary;
      for (const auto& [key, item] : json.items())
        dictionary.items.emplace_back(key, from_json(item));
      return {dictionary};
    }
    default:
      return {json.get<int64_t>()};
  }
}

}  // namespace antler::conformance::python
