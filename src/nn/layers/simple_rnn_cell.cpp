#include <utility>

#include "antler/nn/by_position.h"
#include "antler/nn/layers/rnn_cells.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/products.h"
#include "nn/layers/classes.h"
#include "nn/layers/dropout_mask.h"
#include "nn/layers/recurrent_fields.h"
#include "nn/layers/weight_fields.h"

namespace antler {

template <class V>
void fields(V& v, SimpleRNNCellOptions& o) {
  v.required("units", o.units);
  v("activation", o.activation);
  initializer_fields(v, o);
  penalty_fields(v, o);
  dropout_fields(v, o);
}

SimpleRNNCell::SimpleRNNCell(int64_t units, SimpleRNNCellOptions options)
    : SimpleRNNCell(
          by_position<&SimpleRNNCellOptions::units>("SimpleRNNCell", std::move(options), units)) {}

SimpleRNNCell::SimpleRNNCell()
    : SimpleRNNCell(SimpleRNNCellOptions{.units = 1, .name = kUnassigned}) {
  set_unassigned();
}
SimpleRNNCell::SimpleRNNCell(const SimpleRNNCellOptions& options)
    : LayerOf(checked_cell_options(options)) {
  if (options_.dropout > 0 || options_.recurrent_dropout > 0) {
    seed_generator_ = track("seed_generator", SeedGenerator(options_.seed));
  }
}

void SimpleRNNCell::build(const Shape& input_shape) {
  kernel_ = add_weight(kernel_weight(options_, {input_shape.back(), options_.units}));
  recurrent_kernel_ =
      add_weight(recurrent_kernel_weight(options_, {options_.units, options_.units}));
  if (options_.use_bias) bias_ = add_weight(bias_weight(options_, {options_.units}));
}

Nest SimpleRNNCell::initial_state(int64_t batch) const {
  return Nest{ops::zeros({batch, options_.units}, compute_dtype())};
}

CellSequence SimpleRNNCell::begin(int64_t batch, bool training) {
  const Tensor kernel = value_of(kernel_);
  const Tensor recurrent = value_of(recurrent_kernel_);
  const Tensor bias = options_.use_bias ? value_of(bias_) : Tensor();
  // Unlike in cells with gates, a rate of 1 drops everything.
  const auto draw = [&](double rate, int64_t size) {
    return training && rate > 0
               ? dropout_mask(*seed_generator_, Shape{batch, size}, rate, compute_dtype())
               : Tensor();
  };
  const Tensor dropout = draw(options_.dropout, kernel.dim(0));
  const Tensor recurrent_dropout = draw(options_.recurrent_dropout, options_.units);
  const auto project = [=](const Tensor& x) {
    const Tensor input = dropout.defined() ? x * dropout : x;
    const Tensor y = x.rank() == 2 ? ops::matmul(input, kernel) : ops::tensordot(input, kernel, 1);
    return bias.defined() ? y + bias : y;
  };
  const auto step = [=, activation = options_.activation](const Tensor& x, const Nest& states) {
    Tensor h = states[0].tensor();
    if (recurrent_dropout.defined()) h = h * recurrent_dropout;
    const Tensor output = activation(x + ops::matmul(h, recurrent));
    return CellResult{output, Nest{output}};
  };
  return {.project = project, .step = step};
}

LayerClasses simple_rnn_cell_layers() { return layer_classes<SimpleRNNCell>(); }

}  // namespace antler
