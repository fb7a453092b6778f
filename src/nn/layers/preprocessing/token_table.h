#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "antler/base/error.h"

namespace antler {

/// What a vocabulary looks like from outside: first the mask token (under "int" only), then
/// `num_oov_indices` places for unknown tokens, then the tokens.
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

/// A vocabulary: given, or learned by counting.
template <class Token>
class TokenTable {
 public:
  explicit TokenTable(TokenRules<Token> rules) : rules_(std::move(rules)) {}

  const std::vector<Token>& tokens() const { return tokens_; }
  /// Weights of all indices, [depth()]; empty unless the mode is "tf_idf".
  const std::vector<float>& idf_weights() const { return idf_; }
  bool given() const { return given_; }
  /// Index of a token; nothing for an unknown one.
  std::optional<int64_t> find(const Token& token) const {
    const auto found = index_.find(token);
    if (found == index_.end()) return {};
    return found->second;
  }
  int64_t size() const {
    const int64_t known = rules_.token_start() + static_cast<int64_t>(tokens_.size());
    return tokens_.empty() ? std::max(known, expected_) : known;
  }
  /// The size that a vocabulary which is read later will have.
  void expect(int64_t size) { expected_ = size; }
  /// Length of encoded vectors. Throws RuntimeError where there is no vocabulary yet.
  int64_t depth() const {
    if (rules_.pad_to_max_tokens) return *rules_.max_tokens;
    if (tokens_.empty() && expected_ == 0) {
      throw RuntimeError("When using `output_mode=" + rules_.output_mode +
                         "` and `pad_to_max_tokens=False`, you must set the layer's vocabulary "
                         "before calling it. Either pass a `vocabulary` argument to the layer, or "
                         "call `adapt` with some sample data.");
    }
    return size();
  }
  std::vector<Token> vocabulary(bool include_special_tokens) const {
    std::vector<Token> all;
    if (include_special_tokens) {
      all.assign(static_cast<size_t>(rules_.token_start()), rules_.oov_token);
      if (rules_.oov_start() == 1) all[0] = *rules_.mask_token;
    }
    all.insert(all.end(), tokens_.begin(), tokens_.end());
    return all;
  }

  /// Special tokens may stand in front, all of them or none.
  void set(std::vector<Token> vocabulary, const std::optional<std::vector<double>>& idf) {
    check_idf(idf.has_value());
    if (vocabulary.empty()) throw ValueError("Cannot set an empty vocabulary.");
    const std::vector<Token> special = special_tokens();
    const bool has_special = vocabulary.size() >= special.size() &&
                             std::equal(special.begin(), special.end(), vocabulary.begin());
    const size_t count = vocabulary.size();
    std::vector<Token> tokens = std::move(vocabulary);
    if (has_special) tokens.erase(tokens.begin(), tokens.begin() + std::ssize(special));
    check_tokens(tokens);
    take(std::move(tokens));
    given_ = true;
    if (!idf) return;
    if (idf->size() != count) {
      throw ValueError("`idf_weights` must be the same length as vocabulary. len(idf_weights) is " +
                       std::to_string(idf->size()) + "; len(vocabulary) is " +
                       std::to_string(count));
    }
    set_idf(std::vector<float>(idf->begin(), idf->end()), !has_special);
  }

  /// A vocabulary that was learned elsewhere, special tokens in front. Weights stay as they are.
  void restore(std::vector<Token> vocabulary) {
    const std::vector<Token> special = special_tokens();
    if (vocabulary.size() < special.size() ||
        !std::equal(special.begin(), special.end(), vocabulary.begin())) {
      throw ValueError("A saved vocabulary must begin with the special tokens of its layer.");
    }
    vocabulary.erase(vocabulary.begin(), vocabulary.begin() + std::ssize(special));
    check_tokens(vocabulary);
    take(std::move(vocabulary));
  }

  /// The weights of a file, of all indices. Throws ValueError where their number is another.
  void restore_idf(std::vector<float> idf) {
    if (!tokens_.empty() && idf.size() != static_cast<size_t>(depth())) {
      throw ValueError("`idf_weights`: expected " + std::to_string(depth()) +
                       " numbers, received " + std::to_string(idf.size()) + ".");
    }
    idf_ = std::move(idf);
  }

  void forget() {
    if (given_) {
      throw ValueError(
          "Cannot adapt a layer after setting a static vocabulary via `vocabulary` argument or "
          "`set_vocabulary()` method.");
    }
    counts_.clear();
    documents_with_.clear();
    documents_ = 0;
  }
  void count_document(const std::vector<Token>& document) {
    for (const Token& token : document) ++counts_[token];
    ++documents_;
    if (rules_.output_mode != "tf_idf") return;
    for (const Token& token : std::set<Token>(document.begin(), document.end())) {
      ++documents_with_[token];
    }
  }
  /// Tokens by falling count, among equals by falling token.
  void learn() {
    if (counts_.empty()) return;
    if (rules_.mask_token) counts_.erase(*rules_.mask_token);
    counts_.erase(rules_.oov_token);
    std::vector<std::pair<int64_t, Token>> sorted;
    for (const auto& [token, count] : counts_) sorted.emplace_back(count, token);
    std::sort(sorted.rbegin(), sorted.rend());
    if (rules_.max_tokens) {
      const int64_t room = std::max<int64_t>(*rules_.max_tokens - rules_.token_start(), 0);
      if (std::ssize(sorted) > room) sorted.resize(static_cast<size_t>(room));
    }
    std::vector<Token> tokens;
    for (auto& [count, token] : sorted) tokens.push_back(std::move(token));
    if (rules_.output_mode == "tf_idf") {
      std::vector<float> idf;
      for (const Token& token : tokens) {
        const auto with = static_cast<double>(documents_with_[token]);
        idf.push_back(
            static_cast<float>(std::log(1.0 + static_cast<double>(documents_) / (1.0 + with))));
      }
      take(std::move(tokens));
      set_idf(std::move(idf), true);
    } else {
      take(std::move(tokens));
    }
    counts_.clear();
    documents_with_.clear();
    documents_ = 0;
  }

 private:
  std::vector<Token> special_tokens() const {
    std::vector<Token> special(static_cast<size_t>(rules_.token_start()), rules_.oov_token);
    if (rules_.oov_start() == 1) special[0] = *rules_.mask_token;
    return special;
  }
  void check_idf(bool has_idf) const {
    if (rules_.output_mode == "tf_idf" && !has_idf) {
      throw ValueError("`idf_weights` must be set if output_mode is 'tf_idf'.");
    }
    if (rules_.output_mode != "tf_idf" && has_idf) {
      throw ValueError(
          "`idf_weights` should only be set if output_mode is `'tf_idf'`. Received: output_mode=" +
          rules_.output_mode);
    }
  }
  void check_tokens(const std::vector<Token>& tokens) const {
    const std::set<Token> distinct(tokens.begin(), tokens.end());
    if (distinct.size() != tokens.size()) {
      throw ValueError(
          "The passed vocabulary has at least one repeated term. Please uniquify your dataset.");
    }
    const char* const advice =
        " at unexpected location in `vocabulary`. Note that passed `vocabulary` does not need to "
        "include the OOV and mask tokens. Either remove all mask and OOV tokens, or include them "
        "only at the start of the vocabulary.";
    if (rules_.mask_token && distinct.contains(*rules_.mask_token)) {
      throw ValueError(std::string("Found reserved mask token") + advice);
    }
    if (rules_.invert && distinct.contains(rules_.oov_token)) {
      throw ValueError(std::string("Found reserved OOV token") + advice);
    }
    const int64_t size = rules_.token_start() + std::ssize(tokens);
    if (rules_.max_tokens && size > *rules_.max_tokens) {
      throw ValueError(
          "Attempted to set a vocabulary larger than the maximum vocab size. Received vocabulary "
          "size is " +
          std::to_string(size) + "; `max_tokens` is " + std::to_string(*rules_.max_tokens) + ".");
    }
  }
  void take(std::vector<Token> tokens) {
    tokens_ = std::move(tokens);
    index_.clear();
    for (size_t i = 0; i < tokens_.size(); ++i) {
      index_.emplace(tokens_[i], rules_.token_start() + static_cast<int64_t>(i));
    }
  }
  /// Unknown tokens weigh the mean of the others; what pads weighs nothing.
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
  std::map<Token, int64_t> counts_;
  std::map<Token, int64_t> documents_with_;
  int64_t documents_ = 0;
};

}  // namespace antler
