#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "antler/base/json.h"
#include "antler/core/tensor.h"

/// Text to numbers as in Keras 2 (keras.preprocessing.text). In models, use TextVectorization.
namespace antler::utils {

inline constexpr const char* kTextFilters = "!\"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n";

/// How text is split into words.
struct WordOptions {
  std::string filters = kTextFilters;  ///< characters to replace by `split`
  bool lower = true;                   ///< convert A to Z to lower case
  std::string split = " ";             ///< separates words
};
std::vector<std::string> text_to_word_sequence(const std::string& text,
                                               const WordOptions& options = {});

/// Hashes each word to a number in [1, n), the same on all machines. The hash is "md5", as in
/// Keras, or by default FarmHash's fingerprint, because Python's default hash differs from run to
/// run. Different words may get the same number. Throws ValueError for n < 2 and an unknown hash.
std::vector<int64_t> hashing_trick(const std::string& text, int64_t n,
                                   const std::optional<std::string>& hash_function = {},
                                   const WordOptions& options = {});
/// hashing_trick() with the default hash.
std::vector<int64_t> one_hot(const std::string& text, int64_t n, const WordOptions& options = {});

/// Arguments of Tokenizer, in Keras's order.
struct TokenizerOptions {
  std::optional<int64_t> num_words = {};      ///< only words with smaller numbers are kept
  std::string filters = kTextFilters;         ///< characters to replace by `split`
  bool lower = true;                          ///< convert A to Z to lower case
  std::string split = " ";                    ///< separates words
  bool char_level = false;                    ///< each character is a word; none is replaced
  std::optional<std::string> oov_token = {};  ///< has number 1 and replaces unknown words
};

/// Numbers words from 1 by their frequency; words of equal frequency by their first occurrence.
class Tokenizer {
 public:
  using Sequences = std::vector<std::vector<int64_t>>;
  explicit Tokenizer(TokenizerOptions options = {}) : options_(std::move(options)) {}

  void fit_on_texts(const std::vector<std::string>& texts);
  /// Counts documents for mode "tfidf", if only sequences and no texts are available.
  void fit_on_sequences(const Sequences& sequences);
  Sequences texts_to_sequences(const std::vector<std::string>& texts) const;
  std::vector<std::string> sequences_to_texts(const Sequences& sequences) const;
  /// float64 [texts, num_words]; mode "binary", "count", "freq" or "tfidf". Throws ValueError for
  /// other modes, and if nothing was fitted.
  Tensor texts_to_matrix(const std::vector<std::string>& texts,
                         const std::string& mode = "binary") const;
  Tensor sequences_to_matrix(const Sequences& sequences, const std::string& mode = "binary") const;

  const std::map<std::string, int64_t>& word_index() const { return word_index_; }
  const std::map<int64_t, std::string>& index_word() const { return index_word_; }
  int64_t document_count() const { return document_count_; }
  /// Words with their counts, in the order of their first occurrence.
  const std::vector<std::pair<std::string, int64_t>>& word_counts() const { return counts_; }

  /// Keras's configuration, in which tables are JSON strings.
  Json get_config() const;
  std::string to_json() const;

 private:
  friend Tokenizer tokenizer_from_json(const std::string& json);
  std::vector<std::string> words_of(const std::string& text) const;

  TokenizerOptions options_;
  int64_t document_count_ = 0;
  std::vector<std::pair<std::string, int64_t>> counts_;
  std::map<std::string, size_t> place_;  ///< index of a word in counts_
  std::map<std::string, int64_t> word_docs_;
  std::map<int64_t, int64_t> index_docs_;
  std::map<std::string, int64_t> word_index_;
  std::map<int64_t, std::string> index_word_;
};

/// The reverse of Tokenizer::to_json(); also reads Keras's JSON. Throws ValueError for invalid
/// JSON.
Tokenizer tokenizer_from_json(const std::string& json);

}  // namespace antler::utils
