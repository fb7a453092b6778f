#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/layers/dynamic_embedding.h"

/// Vocabularies of DynamicLookup and DynamicEmbedding in configurations and as texts.
namespace antler {

inline std::vector<std::string> texts_of_vocabulary(const DynamicVocabulary& vocabulary) {
  if (const auto* texts = std::get_if<std::vector<std::string>>(&vocabulary)) return *texts;
  std::vector<std::string> texts;
  for (const int64_t number : std::get<std::vector<int64_t>>(vocabulary)) {
    texts.push_back(std::to_string(number));
  }
  return texts;
}

inline DynamicVocabulary vocabulary_of_texts(const std::vector<std::string>& texts, bool of_texts) {
  if (of_texts) return texts;
  std::vector<int64_t> numbers;
  for (const std::string& text : texts) numbers.push_back(std::stoll(text));
  return numbers;
}

/// Lends a vocabulary to a visitor of fields.
struct DynamicVocabularyField {
  DynamicVocabulary& value;
};

inline void write_field(Json& out, const DynamicVocabularyField& field) {
  std::visit([&](const auto& list) { out = list; }, field.value);
}
inline void read_field(const Json& in, DynamicVocabularyField& field) {
  if (!in.is_array()) throw TypeError("expected a list of texts or integers");
  if (!in.empty() && in[0].is_number_integer()) {
    field.value = in.get<std::vector<int64_t>>();
  } else {
    field.value = in.get<std::vector<std::string>>();
  }
}

}  // namespace antler
