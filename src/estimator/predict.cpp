// Estimator::predict.
#include <algorithm>
#include <memory>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/core/index.h"
#include "antler/estimator/estimator.h"
#include "antler/ops/numpy/manipulation.h"
#include "base/strings.h"
#include "estimator/estimator_state.h"
#include "estimator/graph_seed.h"
#include "estimator/monitored_session.h"
#include "estimator/session_hooks.h"

namespace antler::estimator {

/// Starts with the first prediction.
struct Predictions::State {
  std::shared_ptr<EstimatorState> estimator;
  InputFn input_fn;
  PredictOptions options;

  std::optional<ModelTrace> model = {};
  std::optional<GraphSession> session = {};
  std::shared_ptr<const PaddedStream> padding = {};
  std::optional<MonitoredSession> loop = {};
  std::vector<std::string> keys = {};  ///< of a dictionary; empty: one tensor
  std::vector<Fetch> fetches = {};
  Tensors batch = {};
  int64_t row = 0;
  int64_t rows = 0;
  bool begun = false;
  bool ended = false;

  void begin();
  bool next_batch();
  void remove_padding();
  Nest row_of_batch() const;
};

void Predictions::State::begin() {
  check_hooks(options.hooks);
  check_placement(*estimator, ModeKeys::predict);
  const std::string checkpoint = chosen_checkpoint(*estimator, options.checkpoint_path);
  const GraphSeed seed(estimator->config);
  Call call = make_call(*estimator, ModeKeys::predict, input_fn);
  model.emplace(call.model);
  session.emplace(*model, call.input);
  padding = call.padding;
  const EstimatorSpec& spec = model->spec();
  const Nest& predictions = *spec.predictions;
  if (predictions.is_dict()) {
    for (const auto& [key, value] : predictions.items()) {
      const bool wanted = !options.predict_keys || std::ranges::find(*options.predict_keys, key) !=
                                                       options.predict_keys->end();
      if (!wanted) continue;
      keys.push_back(key);
      fetches.emplace_back(std::string(ModelTrace::kPredictions) + "/" + key);
    }
    if (keys.empty()) {
      throw ValueError("Expected to run at least one output from {}, provided {}.",
                       join(predictions.items(), ", ", [](const auto& item) { return item.first; }),
                       join(*options.predict_keys, ", "));
    }
  } else {
    if (options.predict_keys)
      throw ValueError("predict_keys argument is not valid in case of non-dict predictions.");
    fetches.emplace_back(std::string(ModelTrace::kPredictions));
  }
  MonitoredSessionOptions monitored{.hooks = options.hooks};
  monitored.hooks.insert(monitored.hooks.end(), spec.prediction_hooks.begin(),
                         spec.prediction_hooks.end());
  monitored.initialize = checkpoint_initializer(checkpoint, model->graph(), spec.scaffold);
  // Each batch is yielded separately.
  monitored.steps_per_execution = [] { return int64_t{1}; };
  loop.emplace(*session, std::move(monitored));
  begun = true;
}

void Predictions::State::remove_padding() {
  for (size_t i = 0; i < batch.size(); ++i) {
    if (batch[i].rank() == 0 || batch[i].shape()[0] != padding->batch_size()) {
      throw ValueError(
          "Predictions on TPU must have a row for each of the {} rows of a batch. {} has the shape "
          "{}.",
          padding->batch_size(), keys[i], batch[i].shape());
    }
    batch[i] = batch[i][Slice(0, padding->real_rows())];
  }
}

bool Predictions::State::next_batch() {
  if (loop->should_stop()) return false;
  std::optional<RunResult> result = loop->run(fetches);
  if (!result) return false;
  batch = std::move(result->values);
  if (padding != nullptr) remove_padding();
  row = 0;
  if (!options.yield_single_examples) return true;
  rows = -1;
  for (size_t i = 0; i < batch.size(); ++i) {
    const int64_t length = batch[i].rank() == 0 ? 0 : batch[i].shape()[0];
    if (batch[i].rank() == 0 || (rows >= 0 && length != rows)) {
      throw ValueError(
          "Batch length of predictions should be same. {} has different batch length than others.",
          keys.empty() ? std::string("The tensor") : keys[i]);
    }
    rows = length;
  }
  return true;
}

Nest Predictions::State::row_of_batch() const {
  const auto one = [&](const Tensor& tensor) {
    return options.yield_single_examples ? tensor[row] : tensor;
  };
  if (keys.empty()) return one(batch[0]);
  Nest::Items items;
  for (size_t i = 0; i < keys.size(); ++i) items.emplace_back(keys[i], one(batch[i]));
  return Nest::dict(std::move(items));
}

bool Predictions::next(Nest& prediction) {
  State& s = *state_;
  if (s.ended) return false;
  if (!s.begun) s.begin();
  while (s.row >= s.rows) {
    if (!s.next_batch()) {
      s.ended = true;
      s.loop->close();
      return false;
    }
    if (!s.options.yield_single_examples) s.rows = 1;
  }
  prediction = s.row_of_batch();
  ++s.row;
  return true;
}

Predictions Estimator::predict(const InputFn& input_fn, const PredictOptions& options) const {
  return Predictions(std::make_shared<Predictions::State>(
      Predictions::State{.estimator = state_, .input_fn = input_fn, .options = options}));
}

}  // namespace antler::estimator
