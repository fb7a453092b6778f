#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/dtype_arg.h"
#include "antler/core/tensor.h"

/// Arrays made ready for training (Keras's keras.utils and keras.preprocessing.sequence).
namespace antler::utils {

/// Class numbers as rows with a 1: float32, the shape of `x` with the classes behind; a last axis
/// of size 1 is dropped. `num_classes` is the largest number + 1 where it is not given. Throws
/// ValueError for a number outside of [-num_classes, num_classes); negative ones count from the
/// end.
Tensor to_categorical(const Tensor& x, std::optional<int64_t> num_classes = {});

/// Class numbers of an order as rows of `num_classes` - 1 numbers, of which the first x are 1
/// (Cheng et al. 2008); otherwise as to_categorical().
Tensor to_ordinal(const Tensor& x, std::optional<int64_t> num_classes = {});

/// `x` divided by its norm of the given order along an axis; what is zero stays. float32, or
/// float64 of float64. An infinite order means the largest magnitude, 0 the number of other values
/// than 0. Throws ValueError for no such axis.
Tensor normalize(const Tensor& x, int64_t axis = -1, double order = 2);

/// Arguments of pad_sequences behind the sequences, Keras's, in its order.
struct PadSequencesOptions {
  std::optional<int64_t> maxlen = {};  ///< not given: the longest
  DTypeArg dtype = DType::int32;
  std::string padding = "pre";     ///< "pre" or "post": where short ones are filled up
  std::string truncating = "pre";  ///< "pre" or "post": where long ones are cut
  double value = 0;                ///< what fills up
};
/// Sequences of different lengths as one array [sequences, maxlen, ...]. Throws ValueError for
/// unknown words, a negative `maxlen`, and steps of different shapes.
Tensor pad_sequences(const std::vector<std::vector<double>>& sequences,
                     const PadSequencesOptions& options = {});
/// The same for integers, which Tokenizer gives.
template <std::integral T>
Tensor pad_sequences(const std::vector<std::vector<T>>& sequences,
                     const PadSequencesOptions& options = {}) {
  std::vector<std::vector<double>> numbers;
  for (const std::vector<T>& sequence : sequences)
    numbers.emplace_back(sequence.begin(), sequence.end());
  return pad_sequences(numbers, options);
}
/// The same for arrays [steps, ...].
Tensor pad_sequences(const Tensors& sequences, const PadSequencesOptions& options = {});

/// Probability to keep a word by its rank in a language (word2vec, under Zipf's law): float64
/// [size].
Tensor make_sampling_table(int64_t size, double sampling_factor = 1e-5);

/// Arguments of skipgrams behind the vocabulary's size, Keras's, in its order.
struct SkipgramsOptions {
  int64_t window_size = 4;        ///< words to either side
  double negative_samples = 1.0;  ///< random pairs per true one
  bool shuffle = true;
  bool categorical = false;  ///< labels {0, 1} and {1, 0} in place of 1 and 0
  std::optional<std::vector<double>> sampling_table = {};  ///< probability to keep a word
  std::optional<uint64_t> seed = {};                       ///< not given: 0
};
struct Skipgrams {
  std::vector<std::pair<int64_t, int64_t>> couples;
  std::vector<int64_t> labels;  ///< empty with `categorical`
  std::vector<std::pair<int64_t, int64_t>> categorical_labels;
};
/// Pairs of words near each other, with label 1, and of a word with a random one, with label 0.
/// Word 0 is none. Throws ValueError for a vocabulary without words, and a sampling table that does
/// not hold a word.
Skipgrams skipgrams(const std::vector<int64_t>& sequence, int64_t vocabulary_size,
                    const SkipgramsOptions& options = {});

}  // namespace antler::utils
