#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/nn/layer_of.h"
#include "antler/nn/layers/adaptable.h"
#include "antler/nn/optional_list.h"

/// Layers that turn tokens into indices of a vocabulary. The first index is that of the mask token
/// (with "int" only), followed by the indices of unknown tokens, then the vocabulary in its order.
namespace antler {

/// The vocabulary of a lookup layer.
template <class Token>
class TokenTable;

namespace ops {
class HostFunction;
}

/// The argument of get_vocabulary() by name.
struct VocabularyArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  bool include_special_tokens = true;  ///< the mask and out-of-vocabulary tokens, too
};

/// Base of layers with a vocabulary. Copies share it.
template <class Token>
class VocabularyLayer : public Layer, public Adaptable, public HasVocabulary {
 public:
  void set_vocabulary(const std::vector<Token>& vocabulary,
                      const std::optional<std::vector<double>>& idf_weights = {});
  std::vector<Token> get_vocabulary(bool include_special_tokens = true) const;
  std::vector<Token> get_vocabulary(const VocabularyArgument& by_name) const {
    return get_vocabulary(by_name.include_special_tokens);
  }
  int64_t vocabulary_size() const;
  void expect_vocabulary(int64_t size) override;
  void restore_vocabulary(const std::vector<std::string>& tokens) override;
  /// With "tf_idf": the weights of all indices as `idf_weights`, as in Keras.
  VariableStore save_own_variables() const override;
  void load_own_variables(const VariableStore& store) override;

 protected:
  VocabularyLayer(std::string class_name, const LayerOptions& options);
  /// Adds a learned vocabulary, so that a layer made from the configuration has it.
  void write_vocabulary(Json& config) const;
  /// Encodes indices in the output mode. Indices out of range are not counted.
  Tensor encode(const Tensor& indices) const;
  /// The counts of all indices, multiplied by their "tf_idf" weights.
  Tensor weigh(const Tensor& counts) const;
  std::shared_ptr<TokenTable<Token>> table_;
};
extern template class VocabularyLayer<int64_t>;
extern template class VocabularyLayer<std::string>;

/// Options of IntegerLookup.
struct IntegerLookupOptions {
  std::optional<int64_t> max_tokens = {};  ///< > 1; maximum size, with special tokens
  int64_t num_oov_indices = 1;  ///< 0: unknown tokens are errors; above 1: index is token modulo it
  std::optional<int64_t> mask_token = {};  ///< becomes 0
  int64_t oov_token = -1;                  ///< stands for unknown tokens
  OptionalList<int64_t> vocabulary = {};   ///< not given: from adapt()
  std::string vocabulary_dtype = "int64";  ///< the only dtype
  OptionalList<double> idf_weights = {};   ///< of the vocabulary, with "tf_idf"
  bool invert = false;                     ///< map indices to tokens
  std::string output_mode = "int";         ///< or "one_hot", "multi_hot", "count", "tf_idf"
  bool sparse = false;                     ///< accepted; the output is dense
  bool pad_to_max_tokens = false;          ///< encoded vectors have length max_tokens
  std::string oov_method = "floormod";     ///< or "farmhash"
  IntegerList salt = {};                   ///< one or two numbers, with "farmhash": SipHash
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Indices of integers: int64 [...], or [batch, depth] when encoded; float32 under "tf_idf".
class IntegerLookup
    : public LayerOf<IntegerLookup, IntegerLookupOptions, VocabularyLayer<int64_t>> {
 public:
  explicit IntegerLookup(const IntegerLookupOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(IntegerLookup, IntegerLookupOptions)
  void adapt(const Tensor& data) override;
  using Adaptable::adapt;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;

 private:
  Tensor find(const Tensor& x) const;
  Tensor token_of(const Tensor& x) const;
  Tensor place_unknown(const Tensor& x) const;
};

/// Options of StringLookup.
struct StringLookupOptions {
  /// Maximum size of the vocabulary, including special tokens; not given: no limit.
  std::optional<int64_t> max_tokens = {};
  int64_t num_oov_indices = 1;                 ///< above 1: index is hash modulo it
  std::optional<std::string> mask_token = {};  ///< becomes 0
  std::string oov_token = "[UNK]";             ///< stands for unknown strings
  OptionalList<std::string> vocabulary = {};   ///< not given: from adapt()
  OptionalList<double> idf_weights = {};       ///< for "tf_idf", with a given vocabulary
  bool invert = false;                         ///< map indices to strings
  std::string output_mode = "int";  ///< "int", "one_hot", "multi_hot", "count" or "tf_idf"
  /// Outputs have `max_tokens` columns, even if there are fewer tokens.
  bool pad_to_max_tokens = false;
  bool sparse = false;             ///< accepted; the output is dense
  std::string encoding = "utf-8";  ///< the only encoding
  IntegerList salt = {};           ///< one or two numbers: SipHash instead of FarmHash
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Indices of strings; with `invert`, strings of indices. Inside models strings are handles
/// (string_handles()).
class StringLookup
    : public LayerOf<StringLookup, StringLookupOptions, VocabularyLayer<std::string>>,
      public TakesStrings,
      public GivesStrings {
 public:
  explicit StringLookup(const StringLookupOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(StringLookup, StringLookupOptions)
  /// Learns from documents: the rows of [documents, ...], or the elements of a vector.
  using Adaptable::adapt;
  void adapt(const StringTensor& data) override;
  void adapt(std::initializer_list<const char*> data) { adapt(StringTensor(data)); }
  /// The same for handles.
  void adapt(const Tensor& data) override;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Tensor call_strings(const StringTensor& input) override;
  StringTensor call_to_strings(const Tensor& input) override;
  Tensor operator()(const StringTensor& input) { return call_strings(input); }
  Tensor operator()(std::initializer_list<const char*> input) { return call_strings(input); }
  using Layer::operator();
  Json get_config() const override;

 private:
  std::shared_ptr<const ops::HostFunction> map_;  ///< handles to indices, or the reverse
};

/// Type of `.ngrams`: nothing, n for all lengths up to n, or a list of lengths.
class Ngrams {
 public:
  Ngrams() = default;
  Ngrams(int64_t longest) : widths_{longest} {}  // NOLINT(google-explicit-constructor)
  Ngrams(int longest) : widths_{longest} {}      // NOLINT(google-explicit-constructor)
  Ngrams(std::initializer_list<int64_t> widths) : widths_(widths), list_(true) {}
  Ngrams(std::vector<int64_t> widths)  // NOLINT(google-explicit-constructor)
      : widths_(std::move(widths)), list_(true) {}
  bool given() const { return list_ || !widths_.empty(); }
  bool is_list() const { return list_; }
  const std::vector<int64_t>& numbers() const { return widths_; }
  /// All lengths.
  std::vector<int64_t> widths() const;

 private:
  std::vector<int64_t> widths_;
  bool list_ = false;
};

/// Options of TextVectorization.
struct TextVectorizationOptions {
  /// Maximum size of the vocabulary, including special tokens; not given: no limit.
  std::optional<int64_t> max_tokens = {};
  /// "lower_and_strip_punctuation", "lower", "strip_punctuation", or nothing
  std::optional<std::string> standardize = "lower_and_strip_punctuation";
  std::optional<std::string> split = "whitespace";  ///< or "character", or nothing
  Ngrams ngrams = {};               ///< n: runs of up to n words; a list: of these lengths
  std::string output_mode = "int";  ///< "int", "multi_hot", "count" or "tf_idf"
  std::optional<int64_t> output_sequence_length = {};  ///< truncates and pads rows, under "int"
  /// Outputs have `max_tokens` columns, even if there are fewer tokens.
  bool pad_to_max_tokens = false;
  OptionalList<std::string> vocabulary = {};  ///< not given: from adapt()
  OptionalList<double> idf_weights = {};      ///< for "tf_idf", with a given vocabulary
  bool sparse = false;                        ///< accepted; the output is dense
  bool ragged = false;                        ///< not supported
  std::string encoding = "utf-8";             ///< the only encoding
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Indices of the words of strings [batch] or [batch, 1]: int64 [batch, words], padded with 0, or
/// encoded vectors [batch, depth]. Without `split` the strings are tokens, and the last dimension
/// holds the tokens of a sample: a vector of strings is a single sample. Inside models strings are
/// handles (string_handles()), and indices need an `output_sequence_length`, because shapes must
/// not depend on the strings.
class TextVectorization
    : public LayerOf<TextVectorization, TextVectorizationOptions, VocabularyLayer<std::string>>,
      public TakesStrings {
 public:
  /// Throws ValueError for unknown names and options that exclude each other.
  explicit TextVectorization(const TextVectorizationOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(TextVectorization, TextVectorizationOptions)
  using Adaptable::adapt;
  void adapt(const StringTensor& data) override;
  void adapt(std::initializer_list<const char*> data) { adapt(StringTensor(data)); }
  /// The same for handles.
  void adapt(const Tensor& data) override;
  /// Throws ValueError where the length of the result would depend on the strings.
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Tensor call_strings(const StringTensor& input) override;
  Tensor operator()(const StringTensor& input) { return call_strings(input); }
  Tensor operator()(std::initializer_list<const char*> input) { return call_strings(input); }
  using Layer::operator();
  Json get_config() const override;

 private:
  std::shared_ptr<const ops::HostFunction> map_;  ///< handles to indices or counts
};

}  // namespace antler
