#include "antler/nn/optimizers/adafactor.h"

#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/optimizers/families.h"

namespace antler::optimizers {

template <class V>
void fields(V& v, AdafactorOptions& o) {
  common_fields(v, o);
  v("beta_2_decay", o.beta_2_decay);
  v("epsilon_1", o.epsilon_1);
  v("epsilon_2", o.epsilon_2);
  v("clip_threshold", o.clip_threshold);
  v("relative_step", o.relative_step);
}

Adafactor::Adafactor(const AdafactorOptions& options) : OptimizerOf(options) {}

namespace {

// Keras's names of these slots contain only the weight's name; "@" marks them (slot_name() in
// optimizer.cpp).
constexpr const char* kRows = "@rows";
constexpr const char* kColumns = "@columns";

Tensor rms(const Tensor& x) { return ops::sqrt(ops::mean(ops::square(x))); }

}  // namespace

void Adafactor::build_slots(const Variables& variables) {
  for (const Variable& variable : variables) {
    const std::vector<int64_t>& dims = variable.shape().dims();
    if (dims.size() >= 2) {
      const Shape rows(dims.begin(), dims.end() - 1);
      Shape columns(dims.begin(), dims.end() - 2);
      columns.push_back(dims.back());
      add_slot_like(variable, kRows, Tensor::zeros(variable.dtype(), rows));
      add_slot_like(variable, kColumns, Tensor::zeros(variable.dtype(), columns));
    } else {
      // There is nothing to factor. Keras has scalar placeholders here, and its files contain them.
      add_slot_like(variable, kRows, Tensor::zeros(DType::int64, {}));
      add_slot_like(variable, kColumns, Tensor::zeros(DType::int64, {}));
    }
    add_slot(variable, "velocity");
  }
}

void Adafactor::update_step(const Tensor& gradient, const Variable& variable,
                            const Tensor& learning_rate) {
  const DType dtype = variable.dtype();
  const Tensor t = local_step(dtype);
  const Tensor relative = shared_value(
      "relative", dtype, [&] { return ops::minimum(learning_rate, 1.0 / ops::sqrt(t)); });
  const Tensor beta_2 =
      shared_value("beta_2", dtype, [&] { return 1.0 - ops::power(t, options_.beta_2_decay); });
  const Tensor value = variable.value();
  const Tensor rate = ops::maximum(rms(value), options_.epsilon_2) * relative;
  const Tensor squares = ops::square(gradient) + options_.epsilon_1;
  const Variable v = slot(variable, "velocity");
  Tensor velocity;
  if (variable.shape().rank() >= 2) {
    const Variable r = slot(variable, kRows);
    const Variable c = slot(variable, kColumns);
    const Tensor rows = r.value() * beta_2 + ops::mean(squares, {-1}) * (1.0 - beta_2);
    const Tensor columns = c.value() * beta_2 + ops::mean(squares, {-2}) * (1.0 - beta_2);
    assign(r, rows);
    assign(c, columns);
    velocity = ops::expand_dims(rows / ops::mean(rows, {-1}, {.keepdims = true}), -1) *
               ops::expand_dims(columns, -2);
  } else {
    velocity = v.value() * beta_2 + squares * (1.0 - beta_2);
  }
  assign(v, velocity);
  const Tensor step = gradient / ops::sqrt(velocity);
  const Tensor limited = step / ops::maximum(rms(step) / options_.clip_threshold, 1.0);
  assign(variable, value - limited * rate);
}

OptimizerClass adafactor_optimizer() { return optimizer_class<Adafactor>(); }

}  // namespace antler::optimizers
