#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/layers/dynamic_embedding.h"

/// Vocabularies of DynamicLookup and DynamicEmbedding in configurations and as strings.
namespace antler {

inline bool holds_strings(const DynamicVocabulary& vocabulary) {
  return std::holds_alternative<std::vector<std::string>>(vocabulary);
}

inline std::vector<std::string> to_strings(const DynamicVocabulary& vocabulary) {
  if (holds_strings(vocabulary)) return std::get<std::vector<std::string>>(vocabulary);
  std::vector<std::string> strings;
  for (const int64_t number : std::get<std::vector<int64_t>>(vocabulary)) {
    strings.push_back(std::to_string(number));
  }
  return strings;
}

/// The inverse: converts to integers unless `as_strings`.
inline DynamicVocabulary from_strings(const std::vector<std::string>& strings, bool as_strings) {
  if (as_strings) return strings;
  std::vector<int64_t> numbers;
  for (const std::string& string : strings) numbers.push_back(std::stoll(string));
  return numbers;
}

/// Passes a vocabulary to a visitor of fields.
struct DynamicVocabularyField {
  DynamicVocabulary& value;
};

inline void write_field(Json& out, const DynamicVocabularyField& field) {
  std::visit([&](const auto& list) { out = list; }, field.value);
}
inline void read_field(const Json& in, DynamicVocabularyField& field) {
  if (!in.is_array()) throw TypeError("expected a list of strings or integers");
  if (!in.empty() && in[0].is_number_integer()) {
    field.value = in.get<std::vector<int64_t>>();
  } else {
    field.value = in.get<std::vector<std::string>>();
  }
}

}  // namespace antler
