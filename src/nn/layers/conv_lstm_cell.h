#pragma once

#include <optional>

#include "antler/nn/layers/conv_lstm.h"
#include "antler/nn/layers/rnn_cells.h"

namespace antler {

/// The cell of the ConvLSTM layers. The states h and c have the shape of the output.
class ConvLSTMCell : public LayerBase<ConvLSTMCell, PreparedCell> {
 public:
  /// `options` must have been checked and their sizes expanded.
  ConvLSTMCell(int rank, const ConvLSTMOptions& options);
  void build(const Shape& input_shape) override;
  using RNNCell::build;
  Nest initial_state(int64_t batch) const override;
  int output_state() const override { return 0; }
  CellSequence begin(int64_t batch, bool training) override;

 private:
  /// The shape [batch, ...] of the input's convolution, with the channels last.
  Shape state_shape(int64_t batch) const;

  int rank_;
  ConvLSTMOptions options_;
  bool channels_first_;
  std::optional<SeedGenerator> seed_generator_;
  std::vector<int64_t> spatial_;  ///< of the input
  int64_t channels_ = 0;
  Variable kernel_;
  Variable recurrent_kernel_;
  Variable bias_;
};

}  // namespace antler
