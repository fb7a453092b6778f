#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "estimator/graph_session.h"
#include "estimator/input_stream.h"
#include "estimator/model_trace.h"

namespace antler::estimator {

/// The batches of a test, [features, labels] each.
class BatchList final : public InputStream {
 public:
  explicit BatchList(std::vector<Nest> batches) : batches_(std::move(batches)) {}
  std::optional<Nest> promised_spec() const override { return std::nullopt; }
  const Nest* peek() override { return at_ == batches_.size() ? nullptr : &batches_[at_]; }
  void consume() override { ++at_; }
  void restart() override { at_ = 0; }

 private:
  std::vector<Nest> batches_;
  size_t at_ = 0;
};

/// A model_fn, traced and run on batches without hooks and files.
class GraphRun {
 public:
  GraphRun(ModelFn model_fn, ModeKeys mode, std::vector<Nest> batches)
      : model_({.model_fn = std::move(model_fn), .mode = mode}),
        session_(model_, std::make_shared<BatchList>(std::move(batches))) {}
  /// Makes steps until `steps`, or the end of the batches.
  void run(int64_t steps) {
    while (steps > 0 && session_.has_batch()) steps -= session_.run_steps(steps, {}, {}).steps;
  }
  const EstimatorSpec& spec() const { return model_.spec(); }
  const Graph& graph() const { return model_.graph(); }

 private:
  ModelTrace model_;
  GraphSession session_;
};

}  // namespace antler::estimator
