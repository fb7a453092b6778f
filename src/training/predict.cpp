#include <algorithm>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "training/loop.h"
#include "training/model_state.h"
#include "training/output_collector.h"
#include "training/string_arrays.h"

namespace antler {
namespace training {

Nest Loop::predict(const FitData& x, const PredictOptions& options) {
  const int verbose = resolve_verbose(options.verbose);
  const Nest none;
  DataHandler::Arguments arguments = data_arguments(x, none, none, options);
  arguments.steps = options.steps;
  // Predictions keep the order of the data.
  arguments.source.auto_shard_policy = data::AutoShardPolicy::data;
  DataHandler data(arguments);
  const std::shared_ptr<CallbackList> callbacks =
      make_callbacks(options.callbacks, verbose, 1, data.steps_or_unknown());
  StepRunner runner(model_.make_predict_function(), data.source());
  state_.predict_counter = 0;
  data.restart();
  if (!data.has_batch())
    throw ValueError("Expected input data to be non-empty: it has no batches.");
  callbacks->on_predict_begin();
  const bool with_outputs = callbacks->uses(BatchHook::predict_end);

  elastic_ = ElasticTraining::make(model_, elastic_group());
  if (elastic_ != nullptr) elastic_->enter(nullptr);
  // An elastic group may repeat an execution, so outputs are collected only once it is complete.
  const bool by_execution = elastic_ != nullptr;
  OutputCollector all(data.expected_rows());
  OutputCollector execution;
  // Each step's outputs must be copied: the next step of the program overwrites them.
  const auto collect = [&](const Nest& outputs) {
    if (!by_execution) all.append(outputs);
    if (by_execution || with_outputs) execution.append(outputs);
  };
  Nest outputs;
  const auto run = [&](int64_t steps) {
    execution.clear();
    const int64_t done = data.run(runner, steps, outputs, collect);
    if (by_execution || with_outputs) outputs = execution.finish();
    return done;
  };
  run_executions(
      data, 0, 1, [&](int64_t step) { callbacks->on_predict_batch_begin(step); },
      [&](int64_t steps) {
        if (!by_execution) return run(steps);
        return elastic_->execute(
            data, [&] { return run(steps); }, outputs);
      },
      [&](int64_t last_step, int64_t done) {
        state_.predict_counter += done;
        if (by_execution && done > 0) all.append(outputs);
        if (with_outputs && done > 0) callbacks->on_predict_batch_end(last_step, outputs);
        return true;
      });
  elastic_ = nullptr;
  callbacks->on_predict_end();
  return all.finish();
}

}  // namespace training

Prediction Model::predict(const FitData& x, const PredictOptions& options) const {
  training::refuse_strings(*model_, x, {});
  return training::Loop(const_cast<Model&>(*this)).predict(x, options);  // a handle
}

Prediction Model::predict_generator(const FitData& generator, const PredictOptions& options) {
  logging::warning(
      "`Model.predict_generator` is deprecated. Use `Model.predict`, which takes generators.");
  return predict(generator, options);
}

}  // namespace antler
