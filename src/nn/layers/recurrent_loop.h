#pragma once

#include <functional>

#include "antler/nn/layers/rnn_cells.h"

namespace antler {

/// How run_recurrent() runs the steps.
struct RecurrentLoop {
  bool return_sequences = false;
  bool reverse = false;  ///< from the last step to the first
  bool unroll = false;
  bool zero_output_for_mask = false;
  /// CellSequence, output_state() and output_spec() of the cell.
  CellSequence cell;
  int output_state = -1;
  TensorSpec output;
  bool starts_at_zero = false;  ///< all initial states are known to be zero
};

/// Runs a cell over x [batch, time, ...]. `mask` [batch, time] may be undefined.
SequenceResult run_recurrent(const RecurrentLoop& loop, const Tensor& x, const Nest& initial,
                             const Tensor& mask);

/// The input of a recurrent layer. Throws ValueError unless there is exactly one.
const Tensor& only_sequence(const Layer& layer, const Nest& inputs);

}  // namespace antler
