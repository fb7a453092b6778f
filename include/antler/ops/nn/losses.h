#pragma once

#include <cstdint>
#include <string>

#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/core/tensor.h"

/// Losses of keras.ops.nn, and the CTC decoders.
namespace antler::ops {

/// Options of categorical_crossentropy(), sparse_categorical_crossentropy().
struct CrossentropyOptions {
  bool from_logits = false;  ///< `output` holds logits; else probabilities
  int64_t axis = -1;         ///< of the classes
};
/// Options of binary_crossentropy().
struct BinaryCrossentropyOptions {
  bool from_logits = false;  ///< `output` holds logits; else probabilities
};

/// -sum(target * log p) along `axis`. `output` holds logits, or probabilities, which are normalized
/// and clipped to [1e-7, 1 - 1e-7].
Tensor categorical_crossentropy(const Tensor& target, const Tensor& output,
                                CrossentropyOptions options = {});
ANTLER_KEYWORD_FUNCTION(categorical_crossentropy, CrossentropyOptions, const Tensor&, const Tensor&)
/// As above, but the targets are class indices, which have one dimension less.
Tensor sparse_categorical_crossentropy(const Tensor& target, const Tensor& output,
                                       CrossentropyOptions options = {});
ANTLER_KEYWORD_FUNCTION(sparse_categorical_crossentropy, CrossentropyOptions, const Tensor&,
                        const Tensor&)
Tensor binary_crossentropy(const Tensor& target, const Tensor& output,
                           BinaryCrossentropyOptions options = {});
ANTLER_KEYWORD_FUNCTION(binary_crossentropy, BinaryCrossentropyOptions, const Tensor&,
                        const Tensor&)
/// Peak signal-to-noise ratio in decibels, a scalar. `max_val` is the largest possible value.
Tensor psnr(const Tensor& x, const Tensor& y, double max_val);

/// Connectionist temporal classification (Graves et al. 2006): the negative log-likelihood [batch]
/// of the labels [batch, labels], summed over all alignments with the logits [batch, time,
/// classes]. It is infinite if there is no alignment. Lengths are integers [batch]; undefined means
/// full length. Class `mask_index` is the blank.
Tensor ctc_loss(const Tensor& target, const Tensor& output, const Tensor& target_length = {},
                const Tensor& output_length = {}, int64_t mask_index = 0);
/// The blank of ctc_loss() by name.
struct MaskIndexArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  int64_t mask_index = 0;  ///< the class that is the blank
};
inline Tensor ctc_loss(const Tensor& target, const Tensor& output, const Tensor& target_length,
                       const Tensor& output_length, const MaskIndexArgument& by_name) {
  return ctc_loss(target, output, target_length, output_length, by_name.mask_index);
}
/// Result of ctc_decode().
struct CtcDecoded {
  Tensor labels;  ///< int32 [paths, batch, time], padded with -1
  Tensor scores;  ///< [batch, paths]; from ctc_decode(): minus the sum of the largest logits
};
/// Options of ctc_decode(), in Keras's order.
struct CtcDecodeOptions {
  std::string strategy = "greedy";  ///< or "beam_search": ctc_beam_search()
  int64_t beam_width = 100;         ///< of "beam_search"
  int64_t top_paths = 1;            ///< of "beam_search"
  bool merge_repeated = true;       ///< of "greedy": a class that stays the best counts once
  int64_t mask_index = 0;           ///< the blank
};
/// The strategy "greedy": the best class of each step, with repetitions merged and blanks removed.
/// Throws ValueError for an unknown strategy.
CtcDecoded ctc_decode(const Tensor& inputs, const Tensor& sequence_lengths,
                      CtcDecodeOptions options = {});
ANTLER_KEYWORD_FUNCTION(ctc_decode, CtcDecodeOptions, const Tensor&, const Tensor&)
/// Options of ctc_beam_search().
struct CtcBeamOptions {
  int64_t beam_width = 100;  ///< label sequences kept at each step
  int64_t top_paths = 1;     ///< label sequences returned, best first
  int64_t mask_index = 0;    ///< the blank
};
/// Keras's strategy "beam_search": the most probable label sequences [top_paths, batch, time]. The
/// scores [batch, top_paths] are log probabilities over all alignments in the beam. If there are
/// fewer sequences, the labels are -1 and the score is -infinity. Not differentiable.
CtcDecoded ctc_beam_search(const Tensor& inputs, const Tensor& sequence_lengths,
                           const CtcBeamOptions& options = {});
ANTLER_KEYWORD_FUNCTION(ctc_beam_search, CtcBeamOptions, const Tensor&, const Tensor&)

}  // namespace antler::ops
