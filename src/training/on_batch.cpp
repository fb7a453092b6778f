#include <string>

#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/ops/core.h"
#include "data/class_weight.h"
#include "data/rows.h"
#include "training/loop.h"
#include "training/model_state.h"
#include "training/trainable_state.h"

namespace antler {
namespace {

void check_not_tracing(const char* method) {
  if (ir::Tracer::current() == nullptr) return;
  throw RuntimeError("`{}` must not be called inside of a function that is being traced.", method);
}

Nest batch_arguments(const Nest& x, const Nest& y, const Nest& sample_weight) {
  const auto to_floatx = [](const Tensor& t) {
    return t.defined() && t.dtype() == DType::float64 ? ops::cast(t, default_float()) : t;
  };
  if (x.is_none()) throw ValueError("Expected input data: `x` was not given.");
  return Nest{x.map(to_floatx), y.map(to_floatx), sample_weight.map(to_floatx)};
}

Nest checked_batch(const Nest& x, const Nest& y, const Nest& sample_weight) {
  data::check_same_rows({{"x", x}, {"y", y}, {"sample_weight", sample_weight}});
  return batch_arguments(x, y, sample_weight);
}

}  // namespace

HostLogs Model::train_on_batch(const Nest& x, const Nest& y, const TrainOnBatchOptions& options) {
  check_not_tracing("train_on_batch");
  require_compiled("train_on_batch");
  const training::OwnScope scope(*model_);
  const training::CompiledTrainable trainable(*this, model_->trainable);
  Nest weights = options.sample_weight;
  if (!options.class_weight.empty())
    weights = data::apply_class_weight(options.class_weight, y, weights);
  const Nest arguments = checked_batch(x, y, weights);
  const Function step = make_train_function();
  if (options.reset_metrics) reset_metrics();
  const Logs logs(step(arguments));
  ++model_->train_counter;
  return training::in_order_of(metrics_names(), logs);
}

HostLogs Model::test_on_batch(const Nest& x, const Nest& y, const TestOnBatchOptions& options) {
  check_not_tracing("test_on_batch");
  require_compiled("test_on_batch");
  const training::OwnScope scope(*model_);
  const Nest arguments = checked_batch(x, y, options.sample_weight);
  const Function step = make_test_function();
  if (options.reset_metrics) reset_metrics();
  const Logs logs(step(arguments));
  ++model_->test_counter;
  return training::in_order_of(metrics_names(), logs);
}

Prediction Model::predict_on_batch(const Nest& x) const {
  check_not_tracing("predict_on_batch");
  const training::OwnScope scope(*model_);
  return const_cast<Model&>(*this).make_predict_function()(batch_arguments(x, {}, {}));
}

ProgramMemory Model::memory_plan(const Batch& example) {
  require_compiled("memory_plan");
  return make_train_function()
      .specialize(batch_arguments(example.x, example.y, example.sample_weight))
      .program()
      .memory_plan();
}

}  // namespace antler
