#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/core/shape.h"

namespace antler {

/// The options of a lookup layer that decide the layout of its vocabulary: the mask token (under
/// "int" only), then `num_oov_indices` entries for unknown tokens, then the tokens.
template <class Token>
struct TokenRules {
  std::optional<int64_t> max_tokens;
  int64_t num_oov_indices = 1;
  std::optional<Token> mask_token;
  Token oov_token;
  bool invert = false;
  std::string output_mode = "int";
  bool pad_to_max_tokens = false;

  int64_t oov_start() const { return mask_token && output_mode == "int" ? 1 : 0; }
  int64_t token_start() const { return oov_start() + num_oov_indices; }
};

/// A vocabulary that was given, or learned by counting tokens.
template <class Token>
class TokenTable {
 public:
  explicit TokenTable(TokenRules<Token> rules) : rules_(std::move(rules)) {}

  const TokenRules<Token>& rules() const { return rules_; }
  const std::vector<Token>& tokens() const { return tokens_; }
  /// Weights of all indices, [depth()]; empty unless the mode is "tf_idf".
  const std::vector<float>& idf_weights() const { return idf_; }
  /// Whether the vocabulary was given rather than learned.
  bool given() const { return given_; }
  /// Throws RuntimeError if there is no vocabulary yet.
  void require_vocabulary() const {
    if (!tokens_.empty()) return;
    throw RuntimeError(
        "The layer has no vocabulary. Before calling it, either pass a `vocabulary` argument to "
        "the layer, or call `adapt` with some sample data.");
  }
  /// Index of a token; no value for an unknown token.
  std::optional<int64_t> find(const Token& token) const {
    const auto found = index_.find(token);
    if (found == index_.end()) return {};
    return found->second;
  }
  int64_t size() const {
    const int64_t known = rules_.token_start() + std::ssize(tokens_);
    return tokens_.empty() ? std::max(known, expected_) : known;
  }
  /// Announces the size of a vocabulary that is read later.
  void expect(int64_t size) { expected_ = size; }
  /// Length of encoded vectors. Throws RuntimeError while there is no vocabulary.
  int64_t depth() const {
    if (rules_.pad_to_max_tokens) return *rules_.max_tokens;
    if (tokens_.empty() && expected_ == 0) {
      throw RuntimeError(
          "When using `output_mode={}` and `pad_to_max_tokens=False`, you must set the layer's "
          "vocabulary before calling it. Either pass a `vocabulary` argument to the layer, or call "
          "`adapt` with some sample data.",
          rules_.output_mode);
    }
    return size();
  }
  std::vector<Token> vocabulary(bool include_special_tokens) const {
    std::vector<Token> all;
    if (include_special_tokens) all = special_tokens();
    all.insert(all.end(), tokens_.begin(), tokens_.end());
    return all;
  }

  /// Sets the vocabulary, which may begin with all special tokens.
  void set(std::vector<Token> vocabulary, const std::optional<std::vector<double>>& idf) {
    check_idf(idf.has_value());
    if (vocabulary.empty()) throw ValueError("Cannot set an empty vocabulary.");
    const size_t count = vocabulary.size();
    const bool has_special = drop_special_tokens(vocabulary);
    check_tokens(vocabulary);
    take(std::move(vocabulary));
    given_ = true;
    if (!idf) return;
    if (idf->size() != count) {
      throw ValueError(
          "`idf_weights` must be the same length as vocabulary. len(idf_weights) is {}; "
          "len(vocabulary) is {}",
          idf->size(), count);
    }
    set_idf(std::vector<float>(idf->begin(), idf->end()), !has_special);
  }

  /// Sets a vocabulary that was learned elsewhere and begins with the special tokens. The weights
  /// are unchanged.
  void restore(std::vector<Token> vocabulary) {
    if (!drop_special_tokens(vocabulary)) {
      throw ValueError("A saved vocabulary must begin with the special tokens of its layer.");
    }
    check_tokens(vocabulary);
    take(std::move(vocabulary));
  }

  /// Sets the weights of all indices, from a file. Throws ValueError for a wrong number of weights.
  void restore_idf(std::vector<float> idf) {
    if (!tokens_.empty() && idf.size() != static_cast<size_t>(depth())) {
      throw ValueError("`idf_weights`: expected {} numbers, received {}.", depth(), idf.size());
    }
    idf_ = std::move(idf);
  }

  /// Learns from documents of tokens. Each row of an array is a document.
  void learn(const std::vector<Token>& values, const Shape& shape) {
    const int64_t rows = shape.rank() == 0 ? 1 : shape[0];
    const int64_t length = rows == 0 ? 0 : std::ssize(values) / rows;
    std::vector<std::span<const Token>> documents;
    for (int64_t row = 0; row < rows; ++row) {
      documents.emplace_back(values.data() + row * length, static_cast<size_t>(length));
    }
    learn(documents);
  }
  /// Sorts tokens by descending count, and tokens with equal counts in descending order. Throws
  /// ValueError if the vocabulary was given.
  template <class Document>
  void learn(const std::vector<Document>& documents) {
    if (given_) {
      throw ValueError(
          "Cannot adapt a layer after setting a static vocabulary via `vocabulary` argument or "
          "`set_vocabulary()` method.");
    }
    const bool weighs = rules_.output_mode == "tf_idf";
    std::map<Token, int64_t> counts;
    std::map<Token, int64_t> documents_with;
    for (const Document& document : documents) {
      for (const Token& token : document) ++counts[token];
      if (!weighs) continue;
      for (const Token& token : std::set<Token>(document.begin(), document.end())) {
        ++documents_with[token];
      }
    }
    if (counts.empty()) return;
    if (rules_.mask_token) counts.erase(*rules_.mask_token);
    counts.erase(rules_.oov_token);
    std::vector<std::pair<int64_t, Token>> sorted;
    sorted.reserve(counts.size());
    for (const auto& [token, count] : counts) sorted.emplace_back(count, token);
    std::sort(sorted.rbegin(), sorted.rend());
    if (rules_.max_tokens) {
      const int64_t room = std::max<int64_t>(*rules_.max_tokens - rules_.token_start(), 0);
      if (std::ssize(sorted) > room) sorted.resize(static_cast<size_t>(room));
    }
    std::vector<Token> tokens;
    std::vector<float> idf;
    for (auto& [count, token] : sorted) {
      const auto with = static_cast<double>(documents_with[token]);
      idf.push_back(
          static_cast<float>(std::log(1.0 + static_cast<double>(documents.size()) / (1.0 + with))));
      tokens.push_back(std::move(token));
    }
    take(std::move(tokens));
    if (weighs) set_idf(std::move(idf), true);
  }

 private:
  std::vector<Token> special_tokens() const {
    std::vector<Token> special(static_cast<size_t>(rules_.token_start()), rules_.oov_token);
    if (rules_.oov_start() == 1) special[0] = *rules_.mask_token;
    return special;
  }
  /// Removes the special tokens if the vocabulary begins with all of them; returns whether it did.
  bool drop_special_tokens(std::vector<Token>& vocabulary) const {
    const std::vector<Token> special = special_tokens();
    if (vocabulary.size() < special.size() ||
        !std::equal(special.begin(), special.end(), vocabulary.begin())) {
      return false;
    }
    vocabulary.erase(vocabulary.begin(), vocabulary.begin() + std::ssize(special));
    return true;
  }
  void check_idf(bool has_idf) const {
    if (rules_.output_mode == "tf_idf" && !has_idf) {
      throw ValueError("`idf_weights` must be set if output_mode is 'tf_idf'.");
    }
    if (rules_.output_mode != "tf_idf" && has_idf) {
      throw ValueError(
          "`idf_weights` should only be set if output_mode is `'tf_idf'`. Received: output_mode={}",
          rules_.output_mode);
    }
  }
  void check_tokens(const std::vector<Token>& tokens) const {
    const std::set<Token> distinct(tokens.begin(), tokens.end());
    if (distinct.size() != tokens.size()) {
      throw ValueError(
          "The passed vocabulary has at least one repeated term. Please uniquify your dataset.");
    }
    const bool has_mask = rules_.mask_token && distinct.contains(*rules_.mask_token);
    if (has_mask || (rules_.invert && distinct.contains(rules_.oov_token))) {
      throw ValueError(
          "Found reserved {} token at unexpected location in `vocabulary`. Note that passed "
          "`vocabulary` does not need to include the OOV and mask tokens. Either remove all mask "
          "and OOV tokens, or include them only at the start of the vocabulary.",
          has_mask ? "mask" : "OOV");
    }
    const int64_t size = rules_.token_start() + std::ssize(tokens);
    if (rules_.max_tokens && size > *rules_.max_tokens) {
      throw ValueError(
          "Attempted to set a vocabulary larger than the maximum vocab size. Received vocabulary "
          "size is {}; `max_tokens` is {}.",
          size, *rules_.max_tokens);
    }
  }
  void take(std::vector<Token> tokens) {
    tokens_ = std::move(tokens);
    index_.clear();
    for (size_t i = 0; i < tokens_.size(); ++i) {
      index_.emplace(tokens_[i], rules_.token_start() + static_cast<int64_t>(i));
    }
  }
  /// Unknown tokens get the mean weight of the others, padding gets 0.
  void set_idf(std::vector<float> idf, bool pad_front) {
    if (pad_front && !idf.empty()) {
      const double sum = std::accumulate(idf.begin(), idf.end(), 0.0);
      idf.insert(idf.begin(), static_cast<size_t>(rules_.token_start()),
                 static_cast<float>(sum / static_cast<double>(idf.size())));
    }
    if (rules_.pad_to_max_tokens) idf.resize(static_cast<size_t>(*rules_.max_tokens), 0.0F);
    idf_ = std::move(idf);
  }

  TokenRules<Token> rules_;
  bool given_ = false;
  int64_t expected_ = 0;
  std::vector<Token> tokens_;
  std::unordered_map<Token, int64_t> index_;
  std::vector<float> idf_;
};

}  // namespace antler
