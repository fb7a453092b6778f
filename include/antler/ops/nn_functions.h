#pragma once

#include <cstdint>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/ops/axes.h"

/// Functions of keras.ops.nn that are formulas of others.
namespace antler::ops {

/// Vectors along `axes` divided by their norm of an order of 1 at least: for order 2, x *
/// min(rsqrt(sum(x^2)), 1 / epsilon). Vectors of zeros stay. Throws ValueError for orders below 1.
Tensor normalize(const Tensor& x, const Axes& axes = {-1}, int64_t order = 2,
                 double epsilon = 1e-7);
/// x / sqrt(mean(x^2) + epsilon) * scale over `axes`, in float32 at least; `scale` is optional.
Tensor rms_normalization(const Tensor& x, const Tensor& scale = {}, const Axes& axes = {-1},
                         double epsilon = 1e-7);
/// 1 where a class occurs among the indices of a sample (axis 1, or 0 of a vector); classes are a
/// new last axis. Indices outside count nowhere.
Tensor multi_hot(const Tensor& indices, int64_t classes, DType dtype = DType::float32);
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
