#include "antler/io/example.h"

#include <cstring>

#include "antler/base/error.h"
#include "antler/core/dispatch.h"
#include "io/wire.h"
#include "io/wire_reader.h"

namespace antler::io {
namespace {

constexpr const char* kExampleName = "The example";
// Field numbers of Feature.
constexpr int kBytesList = 1;
constexpr int kFloatList = 2;
constexpr int kInt64List = 3;

WireWriter feature_message(const Feature& feature) {
  WireWriter list;
  int field = kBytesList;
  if (const auto* strings = std::get_if<std::vector<std::string>>(&feature)) {
    for (const std::string& string : *strings) list.bytes(1, string);
  } else if (const auto* floats = std::get_if<std::vector<float>>(&feature)) {
    field = kFloatList;
    if (!floats->empty()) list.packed(1, *floats);
  } else {
    field = kInt64List;
    const auto& integers = std::get<std::vector<int64_t>>(feature);
    if (!integers.empty()) list.packed(1, integers);
  }
  WireWriter message;
  message.message(field, list);
  return message;
}

/// An entry of a map.
WireWriter entry_message(const std::string& name, const WireWriter& value) {
  WireWriter entry;
  entry.bytes(1, name);
  entry.message(2, value);
  return entry;
}

WireWriter features_message(const Example& features) {
  WireWriter message;
  for (const auto& [name, feature] : features) {
    message.message(1, entry_message(name, feature_message(feature)));
  }
  return message;
}

Feature parse_feature(WireReader reader) {
  Feature feature;
  while (reader.next()) {
    if (reader.field() == kBytesList) {
      std::vector<std::string> strings;
      for (WireReader list = reader.message(); list.next();) {
        if (list.field() == 1) strings.push_back(list.string());
      }
      feature = std::move(strings);
    } else if (reader.field() == kFloatList) {
      std::vector<float> floats;
      for (WireReader list = reader.message(); list.next();) {
        if (list.field() == 1) list.append(floats);
      }
      feature = std::move(floats);
    } else if (reader.field() == kInt64List) {
      std::vector<int64_t> integers;
      for (WireReader list = reader.message(); list.next();) {
        if (list.field() == 1) list.append(integers);
      }
      feature = std::move(integers);
    }
  }
  return feature;
}

/// Calls `take(name, value)` for the entries of a map.
template <class Take>
void for_each_entry(WireReader map, const Take& take) {
  while (map.next()) {
    if (map.field() != 1) continue;
    std::string name;
    std::optional<WireReader> value;
    for (WireReader entry = map.message(); entry.next();) {
      if (entry.field() == 1) name = entry.string();
      if (entry.field() == 2) value = entry.message();
    }
    take(name, value.value_or(WireReader({}, kExampleName)));
  }
}

Example parse_features(WireReader reader) {
  Example features;
  for_each_entry(reader, [&](const std::string& name, const WireReader& value) {
    features[name] = parse_feature(value);
  });
  return features;
}

[[noreturn]] void wrong(const std::string& name, const std::string& what) {
  throw ValueError("Feature '{}' of the example: {}.", name, what);
}

/// The wanted shape with its unknown dimension filled in from the number of values.
Shape filled_shape(const std::string& name, const Shape& wanted, int64_t count) {
  std::vector<int64_t> sizes;
  int64_t known = 1;
  int unknown = -1;
  for (const int64_t size : wanted) {
    if (size == Shape::kUnknown) {
      if (unknown >= 0) wrong(name, "its shape has more than one unknown dimension");
      unknown = static_cast<int>(sizes.size());
    } else {
      known *= size;
    }
    sizes.push_back(size);
  }
  const bool fits = unknown >= 0 ? known > 0 && count % known == 0 : count == known;
  if (!fits) {
    wrong(name, format("expected values of shape {}, but received {} values", wanted, count));
  }
  if (unknown >= 0) sizes[static_cast<size_t>(unknown)] = count / known;
  return Shape(sizes);
}

template <class From>
Tensor converted(const std::string& name, const FeatureSpec& spec, const std::vector<From>& from) {
  const Shape shape = filled_shape(name, spec.shape, static_cast<int64_t>(from.size()));
  Tensor result = Tensor::empty(spec.dtype, shape);
  dispatch(spec.dtype, [&]<class T>() {
    T* out = result.mutable_data<T>();
    for (size_t i = 0; i < from.size(); ++i) {
      if constexpr (std::is_same_v<T, bool>) {
        out[i] = from[i] != 0;
      } else if constexpr (std::is_arithmetic_v<T>) {
        out[i] = static_cast<T>(from[i]);
      } else {
        out[i] = static_cast<T>(static_cast<float>(from[i]));
      }
    }
  });
  return result;
}

Tensor raw(const std::string& name, const FeatureSpec& spec, const std::string& bytes) {
  const size_t element = dtype_size(spec.dtype);
  if (bytes.size() % element != 0) {
    wrong(name, format("its {} bytes are not a whole number of {} elements", bytes.size(),
                       dtype_name(spec.dtype)));
  }
  const Shape shape = filled_shape(name, spec.shape, static_cast<int64_t>(bytes.size() / element));
  Tensor result = Tensor::empty(spec.dtype, shape);
  if (!bytes.empty()) std::memcpy(result.mutable_data(), bytes.data(), bytes.size());
  return result;
}

/// Adds the features of a later message, which win.
void merge_later(Example& example, Example later) {
  later.merge(example);
  example = std::move(later);
}

}  // namespace

std::string format_example(const Example& example) {
  WireWriter message;
  message.message(1, features_message(example));
  return message.str();
}

std::string format_sequence_example(const SequenceExample& example) {
  WireWriter lists;
  for (const auto& [name, steps] : example.feature_lists) {
    WireWriter list;
    for (const Feature& step : steps) list.message(1, feature_message(step));
    lists.message(1, entry_message(name, list));
  }
  WireWriter message;
  message.message(1, features_message(example.context));
  message.message(2, lists);
  return message.str();
}

Example parse_example(std::string_view message) {
  Example example;
  for (WireReader reader(message, kExampleName); reader.next();) {
    if (reader.field() == 1) merge_later(example, parse_features(reader.message()));
  }
  return example;
}

SequenceExample parse_sequence_example(std::string_view message) {
  SequenceExample example;
  for (WireReader reader(message, kExampleName); reader.next();) {
    if (reader.field() == 1) merge_later(example.context, parse_features(reader.message()));
    if (reader.field() != 2) continue;
    for_each_entry(reader.message(), [&](const std::string& name, WireReader list) {
      std::vector<Feature> steps;
      while (list.next()) {
        if (list.field() == 1) steps.push_back(parse_feature(list.message()));
      }
      example.feature_lists[name] = std::move(steps);
    });
  }
  return example;
}

Nest decode_example(const Example& example, const FeatureSpecs& specs) {
  Nest::Items items;
  for (const auto& [name, spec] : specs) {
    const auto found = example.find(name);
    const bool absent = found == example.end() ||
                        std::visit([](const auto& v) { return v.empty(); }, found->second);
    if (absent && spec.default_value.defined()) {
      items.emplace_back(name, spec.default_value);
    } else if (found == example.end()) {
      wrong(name, "it is missing, and its spec has no default_value");
    } else if (const auto* floats = std::get_if<std::vector<float>>(&found->second)) {
      items.emplace_back(name, converted(name, spec, *floats));
    } else if (const auto* integers = std::get_if<std::vector<int64_t>>(&found->second)) {
      items.emplace_back(name, converted(name, spec, *integers));
    } else {
      const auto& strings = std::get<std::vector<std::string>>(found->second);
      if (strings.size() != 1) {
        wrong(name, format("expected one string with the bytes of the elements, but received {}",
                           strings.size()));
      }
      items.emplace_back(name, raw(name, spec, strings[0]));
    }
  }
  return Nest::dict(std::move(items));
}

Example encode_example(const Nest& tensors) {
  if (!tensors.is_dict()) throw TypeError("encode_example: `tensors` must be a dictionary.");
  Example example;
  for (const auto& [name, item] : tensors.items()) {
    const std::vector<double> values = item.tensor().to_doubles();
    if (is_floating(item.tensor().dtype())) {
      example[name] = std::vector<float>(values.begin(), values.end());
    } else if (item.tensor().dtype() == DType::int64) {
      example[name] = item.tensor().to_vector<int64_t>();
    } else {
      example[name] = std::vector<int64_t>(values.begin(), values.end());
    }
  }
  return example;
}

}  // namespace antler::io
