#pragma once

#include <cstdint>

#include "antler/core/tensor.h"

/// Losses of keras.ops.nn, and the decoders that go with ctc_loss().
namespace antler::ops {

/// -sum(target * log p) along `axis`; `output` holds probabilities (clipped to [1e-7, 1 - 1e-7]
/// after being normalised) or logits.
Tensor categorical_crossentropy(const Tensor& target, const Tensor& output,
                                bool from_logits = false, int64_t axis = -1);
/// As above with integer targets of one rank less.
Tensor sparse_categorical_crossentropy(const Tensor& target, const Tensor& output,
                                       bool from_logits = false, int64_t axis = -1);
Tensor binary_crossentropy(const Tensor& target, const Tensor& output, bool from_logits = false);
/// Peak signal-to-noise ratio of arrays whose largest value is `max_val`, in decibels, [].
Tensor psnr(const Tensor& x, const Tensor& y, double max_val);

/// -log of the probability of the labels [batch, labels] under the logits [batch, time, classes],
/// summed over all alignments (Graves et al. 2006): [batch]; infinite where there is none. Lengths
/// are integers [batch], all of it where undefined; class `mask_index` is the blank.
Tensor ctc_loss(const Tensor& target, const Tensor& output, const Tensor& target_length = {},
                const Tensor& output_length = {}, int64_t mask_index = 0);
struct CtcDecoded {
  Tensor labels;  ///< int32 [paths, batch, time], -1 behind the last one
  Tensor scores;  ///< [batch, paths]; of ctc_decode() minus the sum of the largest values
};
/// The best class of each step, repetitions merged and blanks left out: Keras's strategy "greedy".
CtcDecoded ctc_decode(const Tensor& inputs, const Tensor& sequence_lengths,
                      bool merge_repeated = true, int64_t mask_index = 0);
struct CtcBeamOptions {
  int64_t beam_width = 100;  ///< label sequences that are kept at each step
  int64_t top_paths = 1;     ///< how many of them are given back, best first
  int64_t mask_index = 0;    ///< the blank
};
/// The most probable label sequences, each with the probability of all its alignments that the beam
/// held: Keras's strategy "beam_search". labels [top_paths, batch, time]; scores [batch,
/// top_paths], logarithms. Where there are fewer sequences, labels are -1 and the score is
/// -infinity. Not differentiable.
CtcDecoded ctc_beam_search(const Tensor& inputs, const Tensor& sequence_lengths,
                           const CtcBeamOptions& options = {});

}  // namespace antler::ops
