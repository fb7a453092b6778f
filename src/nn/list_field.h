#pragma once

#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/nn/optional_list.h"
#include "nn/array_config.h"
#include "nn/fields.h"

/// Fields that are lists of numbers or of strings.
namespace antler {

/// Wraps a list for a visitor: `list_field(v, "values", o.values)`.
template <class T>
struct ListField {
  T& value;
};

template <class T>
void write_field(Json& out, const ListField<std::vector<T>>& field) {
  out = field.value;
}
template <class T>
void write_field(Json& out, const ListField<std::optional<std::vector<T>>>& field) {
  out = field.value ? Json(*field.value) : Json(nullptr);
}
template <class T>
void read_field(const Json& in, ListField<std::vector<T>>& field) {
  const Json& list = is_array_config(in) ? in["config"]["value"] : in;
  if (!list.is_array()) throw TypeError("expected a list");
  field.value.clear();
  for (const Json& item : list) read_field(item, field.value.emplace_back());
}
template <class T>
void read_field(const Json& in, ListField<std::optional<std::vector<T>>>& field) {
  field.value.reset();
  if (in.is_null()) return;
  ListField<std::vector<T>> list{field.value.emplace()};
  read_field(in, list);
}

template <class V, class T>
void list_field(V& v, const char* key, T& value) {
  ListField<T> field{value};
  v(key, field);
}

template <class V, class T>
void list_field(V& v, const char* key, OptionalList<T>& value) {
  std::optional<std::vector<T>>& list = value;
  list_field(v, key, list);
}
template <class V, class T>
void list_field(V& v, const char* key, const OptionalList<T>& value) {
  const std::optional<std::vector<T>>& list = value;
  list_field(v, key, list);
}

}  // namespace antler
