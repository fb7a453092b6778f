// RNN, and the layers that make their own cells: SimpleRNN, LSTM and GRU.
#include "antler/nn/layers/recurrent.h"
#include "antler/nn/by_position.h"

#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/layer_state.h"
#include "nn/layers/classes.h"
#include "nn/layers/recurrent_fields.h"
#include "nn/layers/recurrent_loop.h"
#include "nn/nested_layer.h"

namespace antler {

template <class V>
void fields(V& v, RNNOptions& o) {
  loop_fields(v, o);
  v("cell", o.cell);
}

RNN::RNN(const LayerHandle& cell, RNNOptions options)
    : RNN("RNN", by_position<&RNNOptions::cell>("RNN", std::move(options), cell.layer())) {}
RNN::RNN(const std::vector<LayerHandle>& cells, RNNOptions options)
    : RNN(StackedRNNCells(cells), std::move(options)) {}
RNN::RNN(const RNNOptions& options) : RNN("RNN", options) {}

RNN::RNN(const char* class_name, const RNNOptions& loop)
    : LayerBase(class_name, base_options(loop)),
      loop_(loop),
      cell_(as_rnn_cell(loop.cell)),
      states_(std::make_shared<Variables>()) {
  track_layer("cell", loop_.cell);
  set_supports_masking(true);
}

void RNN::build(const Shape& input_shape) {
  if (input_shape.rank() < 3) {
    throw ValueError(
        "Layer \"{}\" expects inputs [batch, time, ...] of rank 3 or more. Received: shape={}",
        name(), input_shape);
  }
  if (loop_.unroll && input_shape[1] == Shape::kUnknown) {
    throw ValueError(
        "Cannot unroll a RNN if the time dimension is undefined: give it in the `shape` of "
        "Input(). Received: layer \"{}\", inputs shape={}",
        name(), input_shape);
  }
  Shape step{input_shape[0]};
  for (int i = 2; i < input_shape.rank(); ++i) step.push_back(input_shape[i]);
  cell_->ensure_built({step});
  if (!loop_.stateful) return;
  if (input_shape[0] == Shape::kUnknown) {
    throw ValueError(
        "When using `stateful=True` in a RNN, the batch size must be static: give Input() a "
        "`batch_size`. Found an unknown batch size at layer \"{}\": inputs shape={}",
        name(), input_shape);
  }
  for (const Tensor& zero : cell_->initial_state(input_shape[0]).flatten()) {
    Variable state(
        ops::cast(zero, variable_dtype()),
        {.name = "rnn_state", .trainable = false, .aggregation = VariableAggregation::mean});
    const NameScope scope(*this);
    state.set_path(NameScope::path() + "/rnn_state");
    states_->push_back(state);
  }
}

SequenceResult RNN::run(const Tensor& x, const Nest& initial, bool starts_at_zero,
                        const Tensor& mask, bool training) {
  if (!mask.defined() && !loop_.unroll) {
    if (auto result = cell_->run_sequence(x, initial, training, loop_.go_backwards)) {
      return *std::move(result);
    }
  }
  return run_recurrent({.return_sequences = loop_.return_sequences,
                        .reverse = loop_.go_backwards,
                        .unroll = loop_.unroll,
                        .zero_output_for_mask = loop_.zero_output_for_mask,
                        .cell = cell_->begin(x.dim(0), training),
                        .output_state = cell_->output_state(),
                        .output = cell_->output_spec(x.dim(0)),
                        .starts_at_zero = starts_at_zero},
                       x, initial, mask);
}

Nest RNN::call(const Nest& inputs, const CallOptions& options) {
  const Tensor& x = only_sequence(*this, inputs);
  const int64_t batch = x.dim(0);
  const Nest structure = cell_->initial_state(batch);
  const Nest given = options.tensors("initial_state");
  const bool from_variables = given.is_none() && loop_.stateful;
  Tensors initial = given.is_none() ? structure.flatten() : given.flatten();
  if (loop_.stateful && states_->front().shape()[0] != batch) {
    throw ValueError(
        "If an RNN is stateful, the batch size of the input sequences must be the same as the "
        "batch size of the initial state. Expected batch size: {}. Received batch size: {}, at "
        "layer \"{}\".",
        states_->front().shape()[0], batch, name());
  }
  if (from_variables) {
    for (size_t i = 0; i < initial.size(); ++i) initial[i] = (*states_)[i].value();
  }
  if (initial.size() != structure.flatten().size()) {
    throw ValueError("Layer \"{}\" has {} state(s), but `initial_state` has {}.", name(),
                     structure.flatten().size(), initial.size());
  }
  for (Tensor& state : initial) state = ops::cast(state, cell_->compute_dtype());

  Tensor mask = options.mask;
  if (!mask.defined()) {
    const Tensors masks = options.tensors("mask").flatten();
    if (!masks.empty()) mask = masks[0];
  }
  const bool at_zero = given.is_none() && !from_variables;
  const SequenceResult result =
      run(x, structure.pack(initial), at_zero, mask, options.training.value_or(false));

  const Tensors states = result.states.flatten();
  if (loop_.stateful) {
    for (size_t i = 0; i < states.size(); ++i) {
      const Variable& state = (*states_)[i];
      state.assign(ops::cast(ops::stop_gradient(states[i]), state.dtype()));
    }
  }
  Tensor output = result.last;
  if (loop_.return_sequences) {
    output = loop_.go_backwards ? ops::reverse(result.sequence, {1}) : result.sequence;
  }
  output = ops::cast(output, compute_dtype());
  if (!loop_.return_state) return output;
  std::vector<Nest> all{output};
  const Nest last =
      result.states.map([&](const Tensor& t) { return ops::cast(t, compute_dtype()); });
  for (const auto& [key, state] : last.items()) all.push_back(state);
  return Nest(std::move(all));
}

Tensor RNN::compute_mask(const Nest&, const Tensor& mask) {
  return loop_.return_sequences ? mask : Tensor();
}

CallSignature RNN::call_signature() const {
  return {{"sequences"}, {"initial_state", "mask", "training"}};
}

void RNN::reset_state() {
  const ir::TraceSuspension suspension;
  for (const Variable& state : *states_) state.assign(ops::zeros(state.shape(), state.dtype()));
}

Json RNN::get_config() const { return config_of(*this, loop_); }

void reset_states(Layer& layer) {
  if (auto* rnn = dynamic_cast<RNN*>(&layer)) rnn->reset_state();
  for (const LayerPtr& part : layer.sublayers()) reset_states(*part);
}

namespace {

/// The options of a layer or of its cell, from the fields that both have.
template <class Cell, class O>
Cell cell_options(const O& o, const char* name) {
  Cell cell;
  cell.units = o.units;
  cell.activation = o.activation;
  cell.use_bias = o.use_bias;
  cell.kernel_initializer = o.kernel_initializer;
  cell.recurrent_initializer = o.recurrent_initializer;
  cell.bias_initializer = o.bias_initializer;
  cell.kernel_regularizer = o.kernel_regularizer;
  cell.recurrent_regularizer = o.recurrent_regularizer;
  cell.bias_regularizer = o.bias_regularizer;
  cell.kernel_constraint = o.kernel_constraint;
  cell.recurrent_constraint = o.recurrent_constraint;
  cell.bias_constraint = o.bias_constraint;
  cell.dropout = o.dropout;
  cell.recurrent_dropout = o.recurrent_dropout;
  cell.seed = o.seed;
  cell.name = name;
  cell.dtype = o.dtype;
  cell.trainable = o.trainable;
  return cell;
}

LayerPtr make_cell(const SimpleRNNOptions& o) {
  return SimpleRNNCell(cell_options<SimpleRNNCellOptions>(o, "simple_rnn_cell")).share();
}

LayerPtr make_cell(const LSTMOptions& o) {
  auto cell = cell_options<LSTMCellOptions>(o, "lstm_cell");
  cell.recurrent_activation = o.recurrent_activation;
  cell.unit_forget_bias = o.unit_forget_bias;
  cell.implementation = o.implementation;
  return LSTMCell(cell).share();
}

LayerPtr make_cell(const GRUOptions& o) {
  auto cell = cell_options<GRUCellOptions>(o, "gru_cell");
  cell.recurrent_activation = o.recurrent_activation;
  cell.reset_after = o.reset_after;
  cell.implementation = o.implementation;
  return GRUCell(cell).share();
}

template <class O>
RNNOptions loop_with_cell(const O& o) {
  return loop_of<RNNOptions>(o, make_cell(o));
}

/// The options with the current values of the loop, which Bidirectional may have changed.
template <class O>
O with_loop(O o, const RNNOptions& loop) {
  o.zero_output_for_mask = loop.zero_output_for_mask;
  return o;
}

}  // namespace

template <class V>
void fields(V& v, SimpleRNNOptions& o) {
  loop_fields(v, o);
  v.required("units", o.units);
  v("activation", o.activation);
  initializer_fields(v, o);
  layer_penalty_fields(v, o);
  v("dropout", o.dropout);
  v("recurrent_dropout", o.recurrent_dropout);
  v.when_given("seed", o.seed);  // Keras loses it: it does not write the seed
}

template <class V>
void fields(V& v, LSTMOptions& o) {
  loop_fields(v, o);
  v.required("units", o.units);
  v("activation", o.activation);
  v("recurrent_activation", o.recurrent_activation);
  initializer_fields(v, o);
  v("unit_forget_bias", o.unit_forget_bias);
  layer_penalty_fields(v, o);
  dropout_fields(v, o);
  implementation_field(v, o);
  use_cudnn_field(v, o);
}

template <class V>
void fields(V& v, GRUOptions& o) {
  loop_fields(v, o);
  v.required("units", o.units);
  v("activation", o.activation);
  v("recurrent_activation", o.recurrent_activation);
  initializer_fields(v, o);
  layer_penalty_fields(v, o);
  v("reset_after", o.reset_after);
  dropout_fields(v, o);
  implementation_field(v, o);
  use_cudnn_field(v, o);
}

SimpleRNN::SimpleRNN(int64_t units, SimpleRNNOptions options)
    : SimpleRNN(by_position<&SimpleRNNOptions::units>("SimpleRNN", std::move(options), units)) {}
SimpleRNN::SimpleRNN() : SimpleRNN(SimpleRNNOptions{.units = 1, .name = kUnassigned}) {
  set_unassigned();
}
SimpleRNN::SimpleRNN(const SimpleRNNOptions& options)
    : LayerBase("SimpleRNN", loop_with_cell(options)), options_(options) {
  set_input_spec({.ndim = 3});
}
Json SimpleRNN::get_config() const { return config_of(*this, with_loop(options_, loop())); }

LSTM::LSTM(int64_t units, LSTMOptions options)
    : LSTM(by_position<&LSTMOptions::units>("LSTM", std::move(options), units)) {}
LSTM::LSTM() : LSTM(LSTMOptions{.units = 1, .name = kUnassigned}) { set_unassigned(); }
LSTM::LSTM(const LSTMOptions& options)
    : LayerBase("LSTM", loop_with_cell(options)), options_(options) {
  set_input_spec({.ndim = 3});
}
Json LSTM::get_config() const { return config_of(*this, with_loop(options_, loop())); }

GRU::GRU(int64_t units, GRUOptions options)
    : GRU(by_position<&GRUOptions::units>("GRU", std::move(options), units)) {}
GRU::GRU() : GRU(GRUOptions{.units = 1, .name = kUnassigned}) { set_unassigned(); }
GRU::GRU(const GRUOptions& options) : LayerBase("GRU", loop_with_cell(options)), options_(options) {
  set_input_spec({.ndim = 3});
}
Json GRU::get_config() const { return config_of(*this, with_loop(options_, loop())); }

LayerClasses recurrent_layers() {
  static constexpr LayerClass kClasses[] = {
      layer_class<RNN, RNNOptions>(),
      layer_class<SimpleRNN, SimpleRNNOptions>(),
      layer_class<LSTM, LSTMOptions>(),
      layer_class<GRU, GRUOptions>(),
  };
  return kClasses;
}

}  // namespace antler
