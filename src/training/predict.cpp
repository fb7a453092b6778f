#include <cstring>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/log.h"
#include "antler/data/array_source.h"
#include "antler/training/model.h"
#include "antler/training/step_runner.h"
#include "training/model_state.h"

// predict and the *_on_batch methods.

namespace antler {
namespace {

Nest batch_arguments(const Nest& x, const Nest& y, const Nest& sample_weight) {
  const auto to_floatx = [](const Tensor& t) {
    if (!t.defined() || t.dtype() != DType::float64) return t;
    Tensor result = Tensor::empty(DType::float32, t.shape());
    const double* from = t.data<double>();
    for (int64_t i = 0; i < t.size(); ++i)
      result.mutable_data<float>()[i] = static_cast<float>(from[i]);
    return result;
  };
  return Nest{x.map(to_floatx), y.map(to_floatx), sample_weight.map(to_floatx)};
}

/// Rows of all batches, one leaf after the other, growing by whole batches into arrays of the final
/// size.
class OutputCollector {
 public:
  explicit OutputCollector(int64_t rows) : rows_(rows) {}

  void append(const Nest& batch) {
    const Tensors leaves = batch.flatten();
    if (arrays_.empty()) {
      structure_ = batch;
      for (const Tensor& leaf : leaves) {
        Shape shape = leaf.shape();
        if (shape.empty()) shape.push_back(0);  // scalars per batch are stacked
        shape[0] = leaf.rank() == 0 ? 0 : rows_;
        specs_.push_back({leaf.dtype(), shape});
        bytes_.emplace_back();
        bytes_.back().reserve(static_cast<size_t>(shape.num_elements()) * dtype_size(leaf.dtype()));
      }
      arrays_.resize(leaves.size());
    }
    for (size_t i = 0; i < leaves.size(); ++i) {
      const char* data = static_cast<const char*>(leaves[i].data());
      bytes_[i].insert(bytes_[i].end(), data, data + leaves[i].bytes());
      counts_.resize(leaves.size());
      counts_[i] += leaves[i].rank() == 0 ? 1 : leaves[i].dim(0);
    }
  }

  Nest finish() {
    for (size_t i = 0; i < arrays_.size(); ++i) {
      specs_[i].shape[0] = counts_[i];
      arrays_[i] = Tensor::empty(specs_[i].dtype, specs_[i].shape);
      std::memcpy(arrays_[i].mutable_data(), bytes_[i].data(), bytes_[i].size());
    }
    return structure_.pack(arrays_);
  }

 private:
  int64_t rows_;
  Nest structure_;
  std::vector<TensorSpec> specs_;
  std::vector<std::vector<char>> bytes_;
  std::vector<int64_t> counts_;
  Tensors arrays_;
};

}  // namespace

Nest Model::predict(const Nest& x, const PredictOptions& options) {
  const int64_t batch_size = options.batch_size.value_or(32);
  if (batch_size <= 0)
    throw ValueError("`batch_size` must be positive. Received: " + std::to_string(batch_size) +
                     ".");
  const int verbose = options.verbose.value_or(log::is_interactive_logging_enabled() ? 1 : 2);
  const std::unique_ptr<DataSource> source =
      data::array_source(x, {}, {}, {.batch_size = batch_size});
  const int64_t steps = options.steps.value_or(source->num_batches());
  CallbackList callbacks(options.callbacks, /*add_history=*/false, /*add_progbar=*/verbose != 0,
                         this, {verbose, 1, steps});
  StepRunner runner(make_predict_function(), *source);
  source->reset();
  callbacks.on_predict_begin();
  OutputCollector all(std::min(steps * batch_size, x.flatten()[0].dim(0)));
  int64_t current = 0;
  while (current < steps && source->batch_rows() > 0) {
    const int64_t n = std::min(std::max<int64_t>(model_->steps_per_execution, 1), steps - current);
    callbacks.on_predict_batch_begin(current);
    OutputCollector execution(n * batch_size);
    for (int64_t i = 0; i < n && source->batch_rows() > 0; ++i, ++current) {
      Nest outputs;
      runner.run(1, outputs);
      all.append(outputs);
      if (callbacks.uses(BatchHook::predict_end)) execution.append(outputs);
    }
    if (callbacks.uses(BatchHook::predict_end))
      callbacks.on_predict_batch_end(current - 1, execution.finish());
  }
  callbacks.on_predict_end();
  return all.finish();
}

HostLogs Model::train_on_batch(const Nest& x, const Nest& y, const Nest& sample_weight,
                               bool reset) {
  require_compiled("train_on_batch");
  const Function step = make_train_function();
  if (reset) reset_metrics();
  return to_host(step(batch_arguments(x, y, sample_weight)));
}

HostLogs Model::test_on_batch(const Nest& x, const Nest& y, const Nest& sample_weight, bool reset) {
  require_compiled("test_on_batch");
  const Function step = make_test_function();
  if (reset) reset_metrics();
  return to_host(step(batch_arguments(x, y, sample_weight)));
}

Nest Model::predict_on_batch(const Nest& x) {
  return make_predict_function()(batch_arguments(x, {}, {}));
}

ProgramMemory Model::memory_plan(const Batch& example) {
  require_compiled("memory_plan");
  return make_train_function()
      .specialize(batch_arguments(example.x, example.y, example.sample_weight))
      .program()
      .memory_plan();
}

}  // namespace antler
