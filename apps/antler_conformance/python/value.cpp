#include "python/value.h"

#include <algorithm>

#include "antler/base/format.h"
#include "antler/nn/registry.h"
#include "antler/ops/core.h"

namespace antler::conformance::python {
namespace {

[[noreturn]] void refuse(const char* wanted) {
  throw Unwritable{std::string("a value of another type than ") + wanted};
}

/// Appends the numbers of nested lists to `leaves`, and their sizes to `shape`.
void flatten(const Value& value, size_t depth, std::vector<int64_t>& shape, Values& leaves) {
  if (value.get<Sequence>() == nullptr) {
    if (depth != shape.size()) throw Unwritable{"an array of numbers and lists"};
    return leaves.push_back(value);
  }
  const Values items = items_of(value);
  if (shape.size() == depth) {
    if (!leaves.empty()) throw Unwritable{"an array of numbers and lists"};
    shape.push_back(std::ssize(items));
  }
  for (const Value& item : items) flatten(item, depth + 1, shape, leaves);
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

Reader::Reader(const Arguments& arguments, std::vector<std::string> names)
    : arguments_(arguments), names_(std::move(names)) {
  arguments_.only(names_);
  if (arguments_.positional.size() > names_.size())
    throw Unwritable{"a call with too many arguments"};
}

Value Reader::operator[](const char* name) const {
  for (size_t i = 0; i < names_.size(); ++i)
    if (names_[i] == name) return arguments_.at(i, name);
  return {};
}

Value object_of(Json json, decltype(Object::live) live) {
  return {std::make_shared<Object>(Object{std::move(json), std::move(live)})};
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

std::optional<int64_t> to_optional_integer(const Value& value) {
  return value.is_none() ? std::nullopt : std::optional(to_integer(value));
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
  if (const auto* strings = value.get<StringTensor>()) return *strings;
  if (const auto* variable = value.get<Variable>()) return variable->value();
  if (value.is_none()) return {};
  refuse("array");
}

Tensor array_of(const Value& value, std::optional<DType> dtype) {
  if (value.get<Tensor>() != nullptr || value.get<Variable>() != nullptr) {
    const Tensor array = to_tensor(value);
    return dtype ? ops::cast(array, *dtype) : array;
  }
  std::vector<int64_t> shape;
  Values leaves;
  flatten(value, 0, shape, leaves);
  if (!leaves.empty() && leaves[0].get<std::string>() != nullptr) {
    std::vector<std::string> strings;
    for (const Value& leaf : leaves) strings.push_back(to_string(leaf));
    return StringTensor(std::move(strings), Shape(shape));
  }
  bool integers = true;
  bool truths = true;
  std::vector<double> numbers;
  for (const Value& leaf : leaves) {
    integers = integers && leaf.get<int64_t>() != nullptr;
    truths = truths && leaf.get<bool>() != nullptr;
    numbers.push_back(leaf.get<bool>() != nullptr ? static_cast<double>(to_bool(leaf))
                                                  : to_number(leaf));
  }
  int64_t size = 1;
  for (const int64_t dim : shape) size *= dim;
  if (size != std::ssize(numbers)) throw Unwritable{"an array with rows of different lengths"};
  const DType otherwise = truths ? DType::boolean : integers ? DType::int64 : DType::float64;
  return ops::cast(Tensor::of(numbers, Shape(shape)), dtype.value_or(otherwise));
}

std::optional<DType> to_dtype(const Value& value) {
  if (value.is_none()) return std::nullopt;
  const auto* type = value.get<Module>();
  return parse_dtype(type != nullptr ? type->path.substr(3) : to_string(value));
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
  for (const Value& item : items_of(value)) {
    dims.push_back(item.is_none() ? Shape::kUnknown : to_integer(item));
    if (!item.is_none() && dims.back() == Shape::kUnknown)
      throw Unwritable{"a size of -1, which means None"};
  }
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
  if (value.get<Module>() != nullptr) return dtype_name(*to_dtype(value));
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

Value from_nest(const Nest& nest) {
  if (nest.is_none()) return {};
  if (nest.is_tensor()) return {nest.tensor()};
  if (nest.is_dict()) {
    Dictionary dictionary;
    for (const auto& [key, item] : nest.items())
      dictionary.items.emplace_back(key, from_nest(item));
    return {dictionary};
  }
  Values items;
  for (const auto& [key, item] : nest.items()) items.push_back(from_nest(item));
  return list_of(std::move(items));
}

Value from_shape(const Shape& shape) {
  Values dims;
  for (const int64_t dim : shape) dims.push_back(dim < 0 ? Value() : Value{dim});
  return list_of(std::move(dims), true);
}

}  // namespace antler::conformance::python
