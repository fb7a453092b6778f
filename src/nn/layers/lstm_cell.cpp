#include <utility>

#include "antler/nn/by_position.h"
#include "antler/nn/layers/rnn_cells.h"
#include "antler/ops/nn/recurrent.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/layers/classes.h"
#include "nn/layers/gates.h"
#include "nn/layers/recurrent_fields.h"
#include "nn/layers/weight_fields.h"

namespace antler {

namespace {

constexpr int kLstmGates = 4;  // i, f, c, o

}  // namespace

template <class V>
void fields(V& v, LSTMCellOptions& o) {
  v.required("units", o.units);
  v("activation", o.activation);
  v("recurrent_activation", o.recurrent_activation);
  initializer_fields(v, o);
  v("unit_forget_bias", o.unit_forget_bias);
  penalty_fields(v, o);
  dropout_fields(v, o);
  implementation_field(v, o);
}

LSTMCell::LSTMCell(int64_t units, LSTMCellOptions options)
    : LSTMCell(by_position<&LSTMCellOptions::units>("LSTMCell", std::move(options), units)) {}

LSTMCell::LSTMCell() : LSTMCell(LSTMCellOptions{.units = 1, .name = kUnassigned}) {
  set_unassigned();
}
LSTMCell::LSTMCell(const LSTMCellOptions& options) : LayerOf(checked_gate_options(options)) {
  if (options_.dropout > 0 || options_.recurrent_dropout > 0) {
    seed_generator_ = track("seed_generator", SeedGenerator(options_.seed));
  }
}

void LSTMCell::build(const Shape& input_shape) {
  const int64_t columns = kLstmGates * options_.units;
  kernel_ = add_weight(kernel_weight(options_, {input_shape.back(), columns}));
  recurrent_kernel_ = add_weight(recurrent_kernel_weight(options_, {options_.units, columns}));
  if (options_.use_bias) {
    WeightOptions bias = bias_weight(options_, {columns});
    if (options_.unit_forget_bias) bias.initializer = forget_bias(options_.bias_initializer);
    bias_ = add_weight(bias);
  }
}

Nest LSTMCell::initial_state(int64_t batch) const {
  const Tensor zeros = ops::zeros({batch, options_.units}, compute_dtype());
  return Nest{zeros, zeros};
}

CellSequence LSTMCell::begin(int64_t batch, bool training) {
  const Tensor kernel = value_of(kernel_);
  const Tensor recurrent = value_of(recurrent_kernel_);
  const Tensor bias = options_.use_bias ? value_of(bias_) : Tensor();
  const int64_t units = options_.units;
  CellDropout dropout;
  if (training && seed_generator_) {
    dropout = CellDropout::draw(options_, *seed_generator_, batch, kernel.dim(0), compute_dtype(),
                                kLstmGates);
  }
  const auto project = [=](const Tensor& x) {
    return gate_product(x, kernel, bias, dropout.inputs, units, kLstmGates);
  };
  const auto step = [=, activation = options_.activation, gate = options_.recurrent_activation](
                        const Tensor& x, const Nest& states) {
    const Tensor z =
        x + gate_product(states[0].tensor(), recurrent, {}, dropout.state, units, kLstmGates);
    const Tensors parts = ops::split(z, kLstmGates, -1);
    const Tensor c = gate(parts[1]) * states[1].tensor() + gate(parts[0]) * activation(parts[2]);
    const Tensor h = gate(parts[3]) * activation(c);
    return CellResult{h, Nest{h, c}};
  };
  return {.project = project, .step = step};
}

std::optional<SequenceResult> LSTMCell::run_sequence(const Tensor& x, const Nest& states,
                                                     bool training, bool reverse) {
  if (!suits_fused_op(options_, training)) return {};
  Tensor input = x;
  if (training && options_.dropout > 0) {
    const GateDropout dropout(*seed_generator_, options_.dropout, {x.dim(0), 1, x.dim(2)},
                              compute_dtype(), 1);
    input = dropout(x);
  }
  const ops::LstmResult result = ops::lstm(
      input, states[0].tensor(), states[1].tensor(), value_of(kernel_), value_of(recurrent_kernel_),
      options_.use_bias ? value_of(bias_) : Tensor(), {.reverse = reverse});
  return SequenceResult{result.sequence, result.h, Nest{result.h, result.c}};
}

LayerClasses lstm_cell_layers() { return layer_classes<LSTMCell>(); }

}  // namespace antler
