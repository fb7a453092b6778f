#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/nn/activation.h"
#include "antler/nn/layer_handle.h"
#include "antler/nn/layer_of.h"

/// Cells: one step of a recurrent layer, which RNN (recurrent.h) repeats along the time axis.
namespace antler {

/// The result of one step.
struct CellResult {
  Tensor output;
  Nest states;
};

/// A cell prepared for a sequence: what all steps share, such as dropout masks and the weights in
/// the compute dtype, has been computed.
struct CellSequence {
  /// The part of a step that does not depend on states, for one step [batch, ...] or for all at
  /// once [time, batch, ...]. Empty if there is none.
  std::function<Tensor(const Tensor& x)> project = {};
  /// The rest of the step: takes the result of `project` and the states.
  std::function<CellResult(const Tensor& x, const Nest& states)> step;
};

/// All steps at once.
struct SequenceResult {
  Tensor sequence;  ///< [batch, time, ...] in the order of time; undefined if not requested
  Tensor last;      ///< output of the last step in the order of execution
  Nest states;
};

/// Base of all cells. A cell is called on {x [batch, features], states} and returns {output,
/// states}. To write a cell, derive from LayerBase<MyCell, RNNCell> and override, as in Keras,
/// `state_size` and a `call` of the inputs and the states:
///
///     std::vector<int64_t> state_size() const override { return {units_}; }
///     std::pair<Tensor, Tensors> call(const Tensor& x, const Tensors& states) override {
///       const Tensor h = ops::tanh(ops::matmul(x, kernel_) + ops::matmul(states[0], recurrent_));
///       return {h, {h}};
///     }
///
/// Override `initial_state` for states of other shapes or structures. A cell that computes parts of
/// all steps at once derives from LayerBase<MyCell, PreparedCell> and overrides `begin`.
class RNNCell : public Layer {
 public:
  /// The size of each state [batch, size].
  virtual std::vector<int64_t> state_size() const;
  /// The states before the first step: a list of [batch, ...]. The cell must be built. The default
  /// is zeros of state_size(). Throws NotImplementedError if neither is overridden.
  virtual Nest initial_state(int64_t batch) const;
  /// One step: the output and the next states.
  virtual std::pair<Tensor, Tensors> call(const Tensor& inputs, const Tensors& states);
  virtual std::pair<Tensor, Tensors> call(const Tensor& inputs, const Tensors& states,
                                          bool training);
  Nest call(const Nest& inputs, const CallOptions& options) override;
  using Layer::call;
  /// The dtype and shape of a step's output. Default: those of the first state.
  virtual TensorSpec output_spec(int64_t batch) const;
  /// Which of the flattened states always equals the output; -1 (the default) for none.
  virtual int output_state() const;
  /// Prepares the cell for a sequence. The default repeats `call`.
  virtual CellSequence begin(int64_t batch, bool training);
  /// Runs all steps at once, or returns nothing if the cell cannot (the default). `x` is [batch,
  /// time, ...]; `reverse` starts at its end.
  virtual std::optional<SequenceResult> run_sequence(const Tensor& x, const Nest& states,
                                                     bool training, bool reverse);

  /// Builds for the shape of x; the shapes of the states follow from it.
  void build(const std::vector<Shape>& input_shapes) override;
  using Layer::build;
  CallSignature call_signature() const override;

 protected:
  using Layer::Layer;
};

/// A cell whose steps are defined by `begin`.
class PreparedCell : public RNNCell {
 public:
  CellSequence begin(int64_t batch, bool training) override = 0;
  Nest call(const Nest& inputs, const CallOptions& options) override;
  using RNNCell::call;

 protected:
  using RNNCell::RNNCell;
};

/// Options of SimpleRNNCell.
struct SimpleRNNCellOptions {
  int64_t units = 0;                       ///< size of the output and of each state
  ActivationFunction activation = "tanh";  ///< of the candidate state
  bool use_bias = true;                    ///< whether to add biases
  Initializer kernel_initializer = "glorot_uniform";
  Initializer recurrent_initializer = "orthogonal";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer recurrent_regularizer = {};
  Regularizer bias_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint recurrent_constraint = {};
  Constraint bias_constraint = {};
  double dropout = 0;            ///< rate for the inputs
  double recurrent_dropout = 0;  ///< rate for the states
  std::optional<int64_t> seed = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// output = activation(x kernel + state recurrent_kernel + bias); the output is the state. Weights:
/// kernel [features, units], recurrent_kernel [units, units], bias [units].
class SimpleRNNCell : public LayerOf<SimpleRNNCell, SimpleRNNCellOptions, PreparedCell> {
 public:
  SimpleRNNCell();  ///< assigned later
  explicit SimpleRNNCell(int64_t units, SimpleRNNCellOptions options = {});
  /// Throws ValueError unless `units` is positive.
  explicit SimpleRNNCell(const SimpleRNNCellOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(SimpleRNNCell, SimpleRNNCellOptions, int64_t)
  void build(const Shape& input_shape) override;
  using RNNCell::build;
  Nest initial_state(int64_t batch) const override;
  int output_state() const override { return 0; }
  CellSequence begin(int64_t batch, bool training) override;

 private:
  std::optional<SeedGenerator> seed_generator_;
  Variable kernel_;
  Variable recurrent_kernel_;
  Variable bias_;
};

/// Options of LSTMCell.
struct LSTMCellOptions {
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
  Constraint kernel_constraint = {};
  Constraint recurrent_constraint = {};
  Constraint bias_constraint = {};
  double dropout = 0;            ///< rate for the inputs
  double recurrent_dropout = 0;  ///< rate for the states; above 0 it means implementation 1
  std::optional<int64_t> seed = {};
  int implementation = 2;  ///< 1: each gate has its own dropout masks
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Long short-term memory (Hochreiter and Schmidhuber 1997). x kernel + h recurrent_kernel + bias
/// has four parts; recurrent_activation gives the gates i, f, o and activation gives g. Then
/// c' = f c + i g, h' = o activation(c'). The states are h and c, the output is h. Weights: kernel
/// [features, 4 units], recurrent_kernel [units, 4 units], bias [4 units].
class LSTMCell : public LayerOf<LSTMCell, LSTMCellOptions, PreparedCell> {
 public:
  LSTMCell();  ///< assigned later
  explicit LSTMCell(int64_t units, LSTMCellOptions options = {});
  /// Throws ValueError unless `units` is positive.
  explicit LSTMCell(const LSTMCellOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(LSTMCell, LSTMCellOptions, int64_t)
  void build(const Shape& input_shape) override;
  using RNNCell::build;
  Nest initial_state(int64_t batch) const override;
  int output_state() const override { return 0; }
  CellSequence begin(int64_t batch, bool training) override;
  std::optional<SequenceResult> run_sequence(const Tensor& x, const Nest& states, bool training,
                                             bool reverse) override;

 private:
  std::optional<SeedGenerator> seed_generator_;
  Variable kernel_;
  Variable recurrent_kernel_;
  Variable bias_;
};

/// Options of GRUCell.
struct GRUCellOptions {
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
  Constraint kernel_constraint = {};
  Constraint recurrent_constraint = {};
  Constraint bias_constraint = {};
  double dropout = 0;            ///< rate for the inputs
  double recurrent_dropout = 0;  ///< rate for the states; above 0 it means implementation 1
  bool reset_after = true;       ///< the reset gate acts after the product with recurrent_kernel
  std::optional<int64_t> seed = {};
  int implementation = 2;  ///< 1: each gate has its own dropout masks
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Gated recurrent unit (Cho et al. 2014): h' = z h + (1 - z) g with the gates z, r
/// (recurrent_activation) and g = activation(x + r (h recurrent_kernel + bias)), or without
/// reset_after g = activation(x + (r h) recurrent_kernel). Weights: kernel [features, 3 units],
/// recurrent_kernel [units, 3 units], bias [2, 3 units] (without reset_after [3 units]).
class GRUCell : public LayerOf<GRUCell, GRUCellOptions, PreparedCell> {
 public:
  GRUCell();  ///< assigned later
  explicit GRUCell(int64_t units, GRUCellOptions options = {});
  /// Throws ValueError unless `units` is positive.
  explicit GRUCell(const GRUCellOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(GRUCell, GRUCellOptions, int64_t)
  void build(const Shape& input_shape) override;
  using RNNCell::build;
  Nest initial_state(int64_t batch) const override;
  int output_state() const override { return 0; }
  CellSequence begin(int64_t batch, bool training) override;
  std::optional<SequenceResult> run_sequence(const Tensor& x, const Nest& states, bool training,
                                             bool reverse) override;

 private:
  std::optional<SeedGenerator> seed_generator_;
  Variable kernel_;
  Variable recurrent_kernel_;
  Variable bias_;
};

/// Options of StackedRNNCells.
struct StackedRNNCellsOptions {
  std::vector<LayerPtr> cells = {};  ///< from the input to the output
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Stacked cells as one cell: each gets the output of the one before. The states are a list with
/// one list per cell, or the list of the only cell.
class StackedRNNCells : public LayerOf<StackedRNNCells, StackedRNNCellsOptions, PreparedCell> {
 public:
  explicit StackedRNNCells(const std::vector<LayerHandle>& cells,
                           StackedRNNCellsOptions options = {});
  /// Throws ValueError without cells, and TypeError if a layer is not a cell.
  explicit StackedRNNCells(const StackedRNNCellsOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(StackedRNNCells, StackedRNNCellsOptions,
                              const std::vector<LayerHandle>&)
  void build(const Shape& input_shape) override;
  using RNNCell::build;
  Nest initial_state(int64_t batch) const override;
  TensorSpec output_spec(int64_t batch) const override;
  int output_state() const override;
  CellSequence begin(int64_t batch, bool training) override;

 private:
  std::vector<std::shared_ptr<RNNCell>> cells_;
};

/// The layer as a cell. Throws TypeError unless it is one.
std::shared_ptr<RNNCell> as_rnn_cell(const LayerPtr& layer);

}  // namespace antler
