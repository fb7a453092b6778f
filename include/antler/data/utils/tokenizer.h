#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "antler/base/json.h"
#include "antler/core/tensor.h"

/// Words and their numbers, as Keras 2 has them (keras.preprocessing.text). TextVectorization is
/// the way inside of models.
namespace antler::utils {

inline constexpr const char* kTextFilters = "!\"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n";

/// How a text becomes words.
struct WordOptions {
  std::string filters = kTextFilters;  ///< characters that become `split`
  bool lower = true;                   ///< A to Z become small
  std::string split = " ";
};
std::vector<std::string> text_to_word_sequence(const std::string& text,
                                               const WordOptions& options = {});

/// The words as numbers in [1, n), by a hash that is the same everywhere ("md5" is Keras's of that
/// name; not given: FarmHash's fingerprint, as Python's own differs from run to run). Different
/// words may share a number. Throws ValueError for n < 2 and an unknown hash.
std::vector<int64_t> hashing_trick(const std::string& text, int64_t n,
                                   const std::optional<std::string>& hash_function = {},
                                   const WordOptions& options = {});
/// hashing_trick() without a name of a hash.
std::vector<int64_t> one_hot(const std::string& text, int64_t n, const WordOptions& options = {});

/// Arguments of Tokenizer, Keras's, in its order.
struct TokenizerOptions {
  std::optional<int64_t> num_words = {};  ///< only numbers below are given
  std::string filters = kTextFilters;
  bool lower = true;
  std::string split = " ";
  bool char_level = false;                    ///< each character is a word
  std::optional<std::string> oov_token = {};  ///< number 1, stands for unknown words
};

/// Numbers words by how often they come, from 1; among equals, who came first.
class Tokenizer {
 public:
  using Sequences = std::vector<std::vector<int64_t>>;
  explicit Tokenizer(TokenizerOptions options = {}) : options_(std::move(options)) {}

  void fit_on_texts(const std::vector<std::string>& texts);
  /// Counts documents, for "tfidf" without texts.
  void fit_on_sequences(const Sequences& sequences);
  Sequences texts_to_sequences(const std::vector<std::string>& texts) const;
  std::vector<std::string> sequences_to_texts(const Sequences& sequences) const;
  /// float64 [texts, num_words]; mode "binary", "count", "freq" or "tfidf". Throws ValueError for
  /// another, and before anything was fitted.
  Tensor texts_to_matrix(const std::vector<std::string>& texts,
                         const std::string& mode = "binary") const;
  Tensor sequences_to_matrix(const Sequences& sequences, const std::string& mode = "binary") const;

  const std::map<std::string, int64_t>& word_index() const { return word_index_; }
  const std::map<int64_t, std::string>& index_word() const { return index_word_; }
  int64_t document_count() const { return document_count_; }
  /// Words in the order in which they came, with their counts.
  const std::vector<std::pair<std::string, int64_t>>& word_counts() const { return counts_; }

  /// Keras's configuration: the tables are JSON texts in it.
  Json get_config() const;
  std::string to_json() const;

 private:
  friend Tokenizer tokenizer_from_json(const std::string& json);
  std::vector<std::string> words_of(const std::string& text) const;

  TokenizerOptions options_;
  int64_t document_count_ = 0;
  std::vector<std::pair<std::string, int64_t>> counts_;
  std::map<std::string, size_t> place_;  ///< of a word in counts_
  std::map<std::string, int64_t> word_docs_;
  std::map<int64_t, int64_t> index_docs_;
  std::map<std::string, int64_t> word_index_;
  std::map<int64_t, std::string> index_word_;
};

/// The reverse of Tokenizer::to_json(); reads Keras's too. Throws ValueError for anything else.
Tokenizer tokenizer_from_json(const std::string& json);

}  // namespace antler::utils
