#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/core/dtype_arg.h"
#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/core/tensor.h"

/// Arrays prepared for training (keras.utils and keras.preprocessing.sequence).
namespace antler::utils {

/// One-hot rows of class numbers: float32 of the shape of `x`, without a last axis of size 1, and a
/// new last axis for the classes. `num_classes` defaults to the largest number + 1. Negative
/// numbers count from the end. Throws IndexError for a number outside of [-num_classes,
/// num_classes).
Tensor to_categorical(const Tensor& x, std::optional<int64_t> num_classes = {});
/// The argument of to_categorical() by name.
struct ToCategoricalArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::optional<int64_t> num_classes = {};  ///< default: the largest number + 1
};
// A template, so that `{}` and `{10}` select the overload by position.
template <class Arguments = ToCategoricalArgument>
Tensor to_categorical(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return to_categorical(x, by_name.num_classes);
}

/// Rows of `num_classes` - 1 numbers for ordinal classes: for class x the first x are 1 (Cheng et
/// al. 2008). Otherwise like to_categorical().
Tensor to_ordinal(const Tensor& x, std::optional<int64_t> num_classes = {});

/// `x` divided by its norm of the given order along an axis; zero vectors stay. The result is
/// float64 if `x` is, else float32. The norm of infinite order is the largest magnitude, that of
/// order 0 the number of nonzero values. Throws ValueError if there is no such axis.
Tensor normalize(const Tensor& x, int64_t axis = -1, double order = 2);
/// The arguments of normalize() by name.
struct NormalizeArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  int64_t axis = -1;  ///< of the vectors
  double order = 2;   ///< of the norm
};
inline Tensor normalize(const Tensor& x, const NormalizeArguments& by_name) {
  return normalize(x, by_name.axis, by_name.order);
}
ANTLER_KEYWORD_FUNCTION(normalize, NormalizeArguments, const Tensor&)

/// Arguments of pad_sequences after the sequences, in Keras's order.
struct PadSequencesOptions {
  std::optional<int64_t> maxlen = {};  ///< not given: the longest length
  DTypeArg dtype = DType::int32;
  std::string padding = "pre";     ///< "pre" or "post": where short sequences are padded
  std::string truncating = "pre";  ///< "pre" or "post": where long sequences are cut
  double value = 0;                ///< of the padding
};
/// Sequences of different lengths as one array [sequences, maxlen, ...]. Throws ValueError for
/// invalid options and for steps of different shapes.
Tensor pad_sequences(const std::vector<std::vector<double>>& sequences,
                     const PadSequencesOptions& options = {});
/// The same for integers, as returned by Tokenizer.
template <std::integral T>
Tensor pad_sequences(const std::vector<std::vector<T>>& sequences,
                     const PadSequencesOptions& options = {}) {
  std::vector<std::vector<double>> numbers;
  numbers.reserve(sequences.size());
  for (const std::vector<T>& sequence : sequences)
    numbers.emplace_back(sequence.begin(), sequence.end());
  return pad_sequences(numbers, options);
}
/// The same for numbers in braces: `pad_sequences({{1, 2}, {3}})`.
Tensor pad_sequences(std::initializer_list<std::initializer_list<double>> sequences,
                     const PadSequencesOptions& options = {});
/// The same for arrays [steps, ...].
Tensor pad_sequences(const Tensors& sequences, const PadSequencesOptions& options = {});
template <class Sequences, class... K>
requires KeywordArguments<K...> Tensor pad_sequences(const Sequences& sequences, K... keywords) {
  return pad_sequences(sequences, from_keywords<PadSequencesOptions>(std::move(keywords)...));
}
ANTLER_KEYWORD_FUNCTION(pad_sequences, PadSequencesOptions,
                        std::initializer_list<std::initializer_list<double>>)

/// float64 [size]: the probability of keeping a word, by its frequency rank (word2vec, assuming
/// Zipf's law).
Tensor make_sampling_table(int64_t size, double sampling_factor = 1e-5);

/// Arguments of skipgrams after the vocabulary size, in Keras's order.
struct SkipgramsOptions {
  int64_t window_size = 4;        ///< words on either side
  double negative_samples = 1.0;  ///< random pairs per true pair; none unless positive
  bool shuffle = true;            ///< pairs in a random order
  bool categorical = false;       ///< labels {0, 1} and {1, 0} instead of 1 and 0
  std::optional<std::vector<double>> sampling_table = {};  ///< probability of keeping a word
  std::optional<uint64_t> seed = {};                       ///< not given: 0
};
/// Result of skipgrams().
struct Skipgrams {
  std::vector<std::pair<int64_t, int64_t>> couples;
  std::vector<int64_t> labels;  ///< empty with `categorical`
  std::vector<std::pair<int64_t, int64_t>> categorical_labels;
};
/// Pairs of nearby words with label 1, and pairs of a word and a random word with label 0. Word 0
/// is padding and is skipped. Throws ValueError for a vocabulary without words, and for a sampling
/// table that lacks a word.
Skipgrams skipgrams(const std::vector<int64_t>& sequence, int64_t vocabulary_size,
                    const SkipgramsOptions& options = {});
ANTLER_KEYWORD_FUNCTION(skipgrams, SkipgramsOptions, const std::vector<int64_t>&, int64_t)

}  // namespace antler::utils
