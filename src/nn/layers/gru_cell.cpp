#include <utility>

#include "antler/nn/by_position.h"
#include "antler/nn/layers/rnn_cells.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/recurrent.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "nn/layers/classes.h"
#include "nn/layers/gates.h"
#include "nn/layers/recurrent_fields.h"
#include "nn/layers/weight_fields.h"

namespace antler {

namespace {

constexpr int kGruGates = 3;  // z, r, h

}  // namespace

template <class V>
void fields(V& v, GRUCellOptions& o) {
  v.required("units", o.units);
  v("activation", o.activation);
  v("recurrent_activation", o.recurrent_activation);
  initializer_fields(v, o);
  penalty_fields(v, o);
  v("reset_after", o.reset_after);
  dropout_fields(v, o);
  implementation_field(v, o);
}

GRUCell::GRUCell(int64_t units, GRUCellOptions options)
    : GRUCell(by_position<&GRUCellOptions::units>("GRUCell", std::move(options), units)) {}

GRUCell::GRUCell() : GRUCell(GRUCellOptions{.units = 1, .name = kUnassigned}) { set_unassigned(); }
GRUCell::GRUCell(const GRUCellOptions& options) : LayerOf(checked_gate_options(options)) {
  if (options_.dropout > 0 || options_.recurrent_dropout > 0) {
    seed_generator_ = track("seed_generator", SeedGenerator(options_.seed));
  }
}

void GRUCell::build(const Shape& input_shape) {
  const int64_t columns = kGruGates * options_.units;
  kernel_ = add_weight(kernel_weight(options_, {input_shape.back(), columns}));
  recurrent_kernel_ = add_weight(recurrent_kernel_weight(options_, {options_.units, columns}));
  if (options_.use_bias) {
    const Shape shape = options_.reset_after ? Shape{2, columns} : Shape{columns};
    bias_ = add_weight(bias_weight(options_, shape));
  }
}

Nest GRUCell::initial_state(int64_t batch) const {
  return Nest{ops::zeros({batch, options_.units}, compute_dtype())};
}

CellSequence GRUCell::begin(int64_t batch, bool training) {
  const Tensor kernel = value_of(kernel_);
  const Tensor recurrent = value_of(recurrent_kernel_);
  const int64_t units = options_.units;
  const bool reset_after = options_.reset_after;
  Tensor input_bias = options_.use_bias ? value_of(bias_) : Tensor();
  Tensor recurrent_bias;
  if (input_bias.defined() && reset_after) {
    const Tensors rows = ops::unstack(input_bias, 0);
    input_bias = rows[0];
    recurrent_bias = rows[1];
  }
  CellDropout dropout;
  if (training && seed_generator_) {
    dropout = CellDropout::draw(options_, *seed_generator_, batch, kernel.dim(0), compute_dtype(),
                                kGruGates);
  }
  const auto project = [=](const Tensor& x) {
    return gate_product(x, kernel, input_bias, dropout.inputs, units, kGruGates);
  };
  // Without reset_after, the recurrent kernel of the candidate multiplies r * h, after the gates.
  const Tensor gates_kernel = reset_after ? Tensor() : gate_columns(recurrent, units, 0, 2);
  const Tensor state_kernel = reset_after ? Tensor() : gate_columns(recurrent, units, 2);
  const auto step = [=, activation = options_.activation, gate = options_.recurrent_activation](
                        const Tensor& x, const Nest& states) {
    const Tensor& h = states[0].tensor();
    const Tensors from_x = ops::split(x, kGruGates, -1);
    Tensor z;
    Tensor candidate;
    if (reset_after) {
      const Tensors from_h =
          ops::split(gate_product(h, recurrent, recurrent_bias, dropout.state, units, kGruGates),
                     kGruGates, -1);
      z = gate(from_x[0] + from_h[0]);
      candidate = activation(from_x[2] + gate(from_x[1] + from_h[1]) * from_h[2]);
    } else {
      const Tensors from_h =
          ops::split(gate_product(h, gates_kernel, {}, dropout.state, units, 2), 2, -1);
      z = gate(from_x[0] + from_h[0]);
      const Tensor reset = gate(from_x[1] + from_h[1]) * dropout.state(h, 2);
      candidate = activation(from_x[2] + ops::matmul(reset, state_kernel));
    }
    const Tensor next = z * h + (Tensor(1.0) - z) * candidate;
    return CellResult{next, Nest{next}};
  };
  return {.project = project, .step = step};
}

std::optional<SequenceResult> GRUCell::run_sequence(const Tensor& x, const Nest& states,
                                                    bool training, bool reverse) {
  if (!suits_fused_op(options_, training)) return {};
  Tensor input = x;
  if (training && options_.dropout > 0) {
    const GateDropout dropout(*seed_generator_, options_.dropout, {x.dim(0), 1, x.dim(2)},
                              compute_dtype(), 1);
    input = dropout(x);
  }
  const ops::GruResult result =
      ops::gru(input, states[0].tensor(), value_of(kernel_), value_of(recurrent_kernel_),
               options_.use_bias ? value_of(bias_) : Tensor(),
               {.reset_after = options_.reset_after, .reverse = reverse});
  return SequenceResult{result.sequence, result.h, Nest{result.h}};
}

LayerClasses gru_cell_layers() { return layer_classes<GRUCell>(); }

}  // namespace antler
