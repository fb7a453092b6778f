#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "antler/training/callback.h"
#include "antler/training/model.h"
#include "ops/elastic_group.h"
#include "training/data_handler.h"
#include "training/training_state.h"

namespace antler::training {

/// A fit() or evaluate() of a model whose group of workers may change. Repeats executions that the
/// loss of a worker interrupted, and sends the state to workers that join.
class ElasticTraining {
 public:
  /// Null unless the model's strategy is elastic.
  static std::unique_ptr<ElasticTraining> make(const Model& model, ops::ElasticGroup* group);
  ~ElasticTraining();
  ElasticTraining(const ElasticTraining&) = delete;
  ElasticTraining& operator=(const ElasticTraining&) = delete;

  /// Waits until this process is in the group. If the others have already started, returns their
  /// state, which the caller must load(). `callbacks` is null for an evaluation.
  std::optional<TrainingState> enter(CallbackList* callbacks);
  ops::ElasticGroup& group() { return group_; }

  /// Sets the position, which workers that join need and the model's variables do not contain.
  void at(int64_t epoch, int64_t step) { position_.epoch = epoch, position_.step = step; }
  void set_shuffle_seed(uint64_t seed) { position_.shuffle_seed = seed; }
  void set_asks(bool asks) { position_.asks = asks; }
  bool asks() const { return position_.asks; }

  /// Calls `run`, which runs the steps of an execution, until all workers have completed it, or
  /// takes the results from a worker that has. Returns what `run` returned.
  int64_t execute(DataHandler& data, const std::function<int64_t()>& run, Nest& outputs);
  /// Called before each execution of fit: admits waiting workers every few executions.
  void admit();
  /// Called after the admit() of a first execution.
  void load(const TrainingState& state);

 private:
  ElasticTraining(const Model& model, ops::ElasticGroup& group) : model_(model), group_(group) {}
  /// All variables that steps may change.
  Variables variables() const;
  /// Updates variables_, except after the first executions on this data.
  void find_variables(const DataHandler& data);
  /// Records the current values as the result of the last execution.
  void capture(int64_t steps, const Nest& outputs);
  std::string state();
  static void store(const Variables& variables, const Tensors& values);

  const Model& model_;
  ops::ElasticGroup& group_;
  CallbackList* callbacks_ = nullptr;
  bool has_entered_ = false;
  Variables variables_;                     ///< that executions change
  const DataHandler* last_data_ = nullptr;  ///< of the last execution
  int64_t in_a_row_ = 0;                    ///< executions of last_data_
  TrainingState position_;                  ///< with the results of the last execution
};

}  // namespace antler::training
