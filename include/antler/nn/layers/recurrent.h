#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/nn/activation.h"
#include "antler/nn/layer.h"
#include "antler/nn/layer_handle.h"
#include "antler/nn/layers/rnn_cells.h"

/// Recurrent layers: a cell repeated along the time axis of [batch, time, ...].
///
/// Options of a call: `mask` [batch, time], `training`, and `initial_state`, the states to start
/// from, as in `lstm(x, {.initial_state = {h, c}})`.
///
/// Steps where the mask is false keep the states, and repeat the previous output (or give zeros
/// with zero_output_for_mask). Steps run in a compiled loop unless `unroll` is set, so compile time
/// does not depend on the number of steps.
namespace antler {

/// Options of RNN.
struct RNNOptions {
  bool return_sequences = false;  ///< return the outputs of all steps [batch, time, ...]
  bool return_state = false;      ///< return a list: the output, then the last states
  bool go_backwards = false;      ///< process, and return, the steps in reverse order
  bool stateful = false;          ///< start from the last states of the previous call
  bool unroll = false;            ///< unroll the loop
  /// The output of masked steps: zeros, or else the output of the previous step.
  bool zero_output_for_mask = false;
  LayerPtr cell = nullptr;  ///< set by RNN(cell)
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Repeats a cell along the time axis: [batch, time, ...] -> [batch, ...], the last output.
class RNN : public LayerBase<RNN> {
 public:
  explicit RNN(const LayerHandle& cell, RNNOptions options = {});
  /// Several cells: StackedRNNCells(cells).
  explicit RNN(const std::vector<LayerHandle>& cells, RNNOptions options = {});
  /// Throws ValueError unless `cell` is an RNNCell.
  explicit RNN(const RNNOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(RNN, RNNOptions, const LayerHandle&)
  ANTLER_KEYWORD_CONSTRUCTOR(RNN, RNNOptions, const std::vector<LayerHandle>&)

  /// Throws ValueError where a size must be known: the batch if stateful, the steps if unrolled.
  void build(const Shape& input_shape) override;
  using Layer::build;
  Nest call(const Nest& inputs, const CallOptions& options) override;
  Tensor compute_mask(const Nest& inputs, const Tensor& mask = {}) override;
  CallSignature call_signature() const override;
  Json get_config() const override;

  const RNNCell& cell() const { return *cell_; }
  bool return_sequences() const { return loop_.return_sequences; }
  bool return_state() const { return loop_.return_state; }
  bool go_backwards() const { return loop_.go_backwards; }
  bool stateful() const { return loop_.stateful; }
  /// Where a stateful layer keeps its states; empty before it is built.
  const Variables& states() const { return *states_; }
  /// Sets the states of a stateful layer to zero. Keras 2 has the name reset_states().
  void reset_state();
  void reset_states() { reset_state(); }

 protected:
  /// For layers that make their own cell. `loop.cell` is the cell.
  RNN(const char* class_name, const RNNOptions& loop);
  const RNNOptions& loop() const { return loop_; }

 private:
  friend class Bidirectional;
  SequenceResult run(const Tensor& x, const Nest& initial, bool starts_at_zero, const Tensor& mask,
                     bool training);

  RNNOptions loop_;
  std::shared_ptr<RNNCell> cell_;
  std::shared_ptr<Variables> states_;  // made by build(); shared by all copies
};

/// Sets the states of all stateful recurrent layers to zero, in `layer` and inside it.
void reset_states(Layer& layer);

/// Options of SimpleRNN: those of the cell and of the loop.
struct SimpleRNNOptions {
  int64_t units = 0;                       ///< size of the output and of each state
  ActivationFunction activation = "tanh";  ///< of the candidate state
  bool use_bias = true;                    ///< whether to add biases
  Initializer kernel_initializer = "glorot_uniform";
  Initializer recurrent_initializer = "orthogonal";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer recurrent_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint recurrent_constraint = {};
  Constraint bias_constraint = {};
  double dropout = 0;             ///< rate for the inputs
  double recurrent_dropout = 0;   ///< rate for the states
  bool return_sequences = false;  ///< return the outputs of all steps
  bool return_state = false;      ///< also return the last states
  bool go_backwards = false;      ///< process the steps in reverse order
  bool stateful = false;          ///< start from the last states of the previous call
  bool unroll = false;            ///< unroll the loop
  std::optional<int64_t> seed = {};
  /// The output of masked steps: zeros, or else the output of the previous step.
  bool zero_output_for_mask = false;
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
};

/// A recurrent layer of a SimpleRNNCell: [batch, time, features] -> [batch, units].
class SimpleRNN : public LayerBase<SimpleRNN, RNN> {
 public:
  SimpleRNN();  ///< assigned later
  explicit SimpleRNN(int64_t units, SimpleRNNOptions options = {});
  explicit SimpleRNN(const SimpleRNNOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(SimpleRNN, SimpleRNNOptions, int64_t)
  Json get_config() const override;

 private:
  SimpleRNNOptions options_;
};

/// Options of LSTM: those of the cell and of the loop.
struct LSTMOptions {
  int64_t units = 0;                                    ///< size of the output and of each state
  ActivationFunction activation = "tanh";               ///< of the candidate state
  ActivationFunction recurrent_activation = "sigmoid";  ///< of the gates
  bool use_bias = true;                                 ///< whether to add biases
  Initializer kernel_initializer = "glorot_uniform";
  Initializer recurrent_initializer = "orthogonal";
  Initializer bias_initializer = "zeros";
  bool unit_forget_bias = true;  ///< the bias of the forget gate starts at 1
  Regularizer kernel_regularizer = {};
  Regularizer recurrent_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint recurrent_constraint = {};
  Constraint bias_constraint = {};
  double dropout = 0;            ///< rate for the inputs
  double recurrent_dropout = 0;  ///< rate for the states
  std::optional<int64_t> seed = {};
  bool return_sequences = false;       ///< return the outputs of all steps
  bool return_state = false;           ///< also return the last states
  bool go_backwards = false;           ///< process the steps in reverse order
  bool stateful = false;               ///< start from the last states of the previous call
  bool unroll = false;                 ///< unroll the loop
  std::optional<bool> use_cudnn = {};  ///< accepted, has no effect
  int implementation = 2;              ///< 1: each gate has its own dropout masks
  /// The output of masked steps: zeros, or else the output of the previous step.
  bool zero_output_for_mask = false;
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
};

/// A recurrent layer of an LSTMCell: [batch, time, features] -> [batch, units].
class LSTM : public LayerBase<LSTM, RNN> {
 public:
  LSTM();  ///< assigned later
  explicit LSTM(int64_t units, LSTMOptions options = {});
  explicit LSTM(const LSTMOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(LSTM, LSTMOptions, int64_t)
  Json get_config() const override;

 private:
  LSTMOptions options_;
};

/// Options of GRU: those of the cell and of the loop.
struct GRUOptions {
  int64_t units = 0;                                    ///< size of the output and of each state
  ActivationFunction activation = "tanh";               ///< of the candidate state
  ActivationFunction recurrent_activation = "sigmoid";  ///< of the gates
  bool use_bias = true;                                 ///< whether to add biases
  Initializer kernel_initializer = "glorot_uniform";
  Initializer recurrent_initializer = "orthogonal";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer recurrent_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint recurrent_constraint = {};
  Constraint bias_constraint = {};
  double dropout = 0;            ///< rate for the inputs
  double recurrent_dropout = 0;  ///< rate for the states
  std::optional<int64_t> seed = {};
  bool return_sequences = false;       ///< return the outputs of all steps
  bool return_state = false;           ///< also return the last states
  bool go_backwards = false;           ///< process the steps in reverse order
  bool stateful = false;               ///< start from the last states of the previous call
  bool unroll = false;                 ///< unroll the loop
  bool reset_after = true;             ///< apply the reset gate after the product
  std::optional<bool> use_cudnn = {};  ///< accepted, has no effect
  int implementation = 2;              ///< 1: each gate has its own dropout masks
  /// The output of masked steps: zeros, or else the output of the previous step.
  bool zero_output_for_mask = false;
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
};

/// A recurrent layer of a GRUCell: [batch, time, features] -> [batch, units].
class GRU : public LayerBase<GRU, RNN> {
 public:
  GRU();  ///< assigned later
  explicit GRU(int64_t units, GRUOptions options = {});
  explicit GRU(const GRUOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(GRU, GRUOptions, int64_t)
  Json get_config() const override;

 private:
  GRUOptions options_;
};

}  // namespace antler
