#include <charconv>
#include <limits>

#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "nn/layers/preprocessing/lookup_options.h"

namespace antler {

namespace {

std::vector<std::string> parse_tokens(const std::vector<std::string>& strings, const std::string&) {
  return strings;
}

std::vector<int64_t> parse_tokens(const std::vector<std::string>& strings, int64_t) {
  std::vector<int64_t> numbers;
  for (const std::string& string : strings) {
    const char* const end = string.data() + string.size();
    const auto [stop, error] = std::from_chars(string.data(), end, numbers.emplace_back());
    if (error != std::errc() || stop != end) {
      throw ValueError("IntegerLookup: expected a vocabulary of integers. Received: '{}'.", string);
    }
  }
  return numbers;
}

}  // namespace

int64_t index_of(const std::string& string, const TokenTable<std::string>& table,
                 const std::vector<int64_t>& salt) {
  table.require_vocabulary();
  const TokenRules<std::string>& rules = table.rules();
  if (rules.mask_token && string == *rules.mask_token) {
    return rules.output_mode == "int" ? 0 : std::numeric_limits<int64_t>::max();
  }
  if (const auto found = table.find(string)) return *found;
  const auto places = static_cast<uint64_t>(rules.num_oov_indices);
  if (places == 0) {
    throw ValueError(
        "When `num_oov_indices=0` all inputs should be in vocabulary, found OOV values ['{}'], "
        "consider setting `num_oov_indices=1`.",
        string);
  }
  const uint64_t place = places == 1 ? 0 : salted_hash(string, salt) % places;
  return rules.oov_start() + static_cast<int64_t>(place);
}

template <class Token>
VocabularyLayer<Token>::VocabularyLayer(std::string class_name, const LayerOptions& options)
    : Layer(std::move(class_name), options) {
  set_autocast(false);
}

template <class Token>
void VocabularyLayer<Token>::set_vocabulary(const std::vector<Token>& vocabulary,
                                            const std::optional<std::vector<double>>& idf_weights) {
  table_->set(vocabulary, idf_weights);
}

template <class Token>
std::vector<Token> VocabularyLayer<Token>::get_vocabulary(bool include_special_tokens) const {
  return table_->vocabulary(include_special_tokens);
}

template <class Token>
int64_t VocabularyLayer<Token>::vocabulary_size() const {
  return table_->size();
}

template <class Token>
void VocabularyLayer<Token>::expect_vocabulary(int64_t size) {
  table_->expect(size);
}

template <class Token>
void VocabularyLayer<Token>::restore_vocabulary(const std::vector<std::string>& tokens) {
  table_->restore(parse_tokens(tokens, Token()));
}

template <class Token>
VariableStore VocabularyLayer<Token>::save_own_variables() const {
  if (table_->idf_weights().empty()) return {};
  return {{"idf_weights", Tensor::of(table_->idf_weights())}};
}

template <class Token>
void VocabularyLayer<Token>::load_own_variables(const VariableStore& store) {
  for (const auto& [name, value] : store) {
    if (name != "idf_weights") {
      throw ValueError("A lookup layer only has the variable `idf_weights`. Received: {}", name);
    }
    table_->restore_idf(ops::cast(value, DType::float32).template to_vector<float>());
  }
}

template <class Token>
void VocabularyLayer<Token>::write_vocabulary(Json& config) const {
  const std::vector<Token>& tokens = table_->tokens();
  if (tokens.empty()) return;
  config["vocabulary_size"] = table_->size();
  if (table_->given()) return;
  config["vocabulary"] = tokens;
  if (table_->rules().output_mode != "tf_idf") return;
  const auto begin = table_->idf_weights().begin() + table_->rules().token_start();
  config["idf_weights"] = std::vector<double>(begin, begin + std::ssize(tokens));
}

template <class Token>
Tensor VocabularyLayer<Token>::encode(const Tensor& indices) const {
  const std::string& mode = table_->rules().output_mode;
  if (mode == "int") return indices;
  if (mode != "tf_idf") return encode_categories(indices, mode, table_->depth(), DType::int64);
  return weigh(encode_categories(indices, "count", table_->depth(), DType::int64));
}

template <class Token>
Tensor VocabularyLayer<Token>::weigh(const Tensor& counts) const {
  std::vector<float> idf = table_->idf_weights();
  idf.resize(static_cast<size_t>(table_->depth()), 0.0F);  // empty until a file was read
  return ops::cast(counts, DType::float32) * Tensor::of(idf);
}

template class VocabularyLayer<int64_t>;
template class VocabularyLayer<std::string>;

}  // namespace antler
