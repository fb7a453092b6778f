#include <algorithm>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "training/loop.h"
#include "training/model_state.h"
#include "training/output_collector.h"

// predict: the loop that collects outputs.

namespace antler {
namespace training {

Nest Loop::predict(const FitData& x, const PredictOptions& options) {
  const int verbose = resolve_verbose(options.verbose);
  const Nest none;
  DataHandler::Arguments arguments = data_arguments(x, none, none, options);
  arguments.steps = options.steps;
  DataHandler data(arguments);
  const std::shared_ptr<CallbackList> callbacks =
      this->callbacks(options.callbacks, /*history=*/true, verbose, 1, data.steps_or_unknown());
  StepRunner runner(model_.make_predict_function(), data.source());
  state_.predict_counter = 0;
  data.restart();
  if (!data.has_batch()) throw ValueError("Expected input data to be non-empty: no batch came.");
  callbacks->on_predict_begin();
  const bool with_outputs = callbacks->uses(BatchHook::predict_end);

  OutputCollector all(data.expected_rows());
  OutputCollector execution;
  // The outputs of every step count; a program's own are overwritten by its next step.
  const auto collect = [&](const Nest& outputs) {
    all.append(outputs);
    if (with_outputs) execution.append(outputs);
  };
  Nest last;
  int64_t current = 0;
  while (data.wants_more(current)) {
    if (!data.has_batch()) {
      data.data_ended(current);
      break;
    }
    const int64_t n = data.execution_steps(current, state_.steps_per_execution.value());
    callbacks->on_predict_batch_begin(current);
    const int64_t done = data.run(runner, n, last, collect);
    current += done;
    state_.predict_counter += done;
    if (with_outputs) {
      callbacks->on_predict_batch_end(current - 1, execution.finish());
      execution.clear();
    }
    if (done < n) {
      data.data_ended(current);
      break;
    }
  }
  callbacks->on_predict_end();
  return all.finish();
}

}  // namespace training

Nest Model::predict(const FitData& x, const PredictOptions& options) {
  return training::Loop(*this).predict(x, options);
}

Nest Model::predict_generator(const FitData& generator, const PredictOptions& options) {
  logging::warning(
      "`Model.predict_generator` is deprecated. Use `Model.predict`, which takes generators.");
  return predict(generator, options);
}

}  // namespace antler
