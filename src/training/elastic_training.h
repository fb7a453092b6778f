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

/// One fit() or evaluate() of a model whose group of workers may change: repeats executions that a
/// lost worker interrupted, and passes the state on to workers that come.
class ElasticTraining {
 public:
  /// Null unless the model's strategy is elastic.
  static std::unique_ptr<ElasticTraining> make(const Model& model, ops::ElasticGroup* group);
  ~ElasticTraining();
  ElasticTraining(const ElasticTraining&) = delete;
  ElasticTraining& operator=(const ElasticTraining&) = delete;

  /// Waits until this process is in the group. Returns the state of the others if they have begun
  /// before; it has to be load()ed. `callbacks` is null for an evaluation.
  std::optional<TrainingState> enter(CallbackList* callbacks);
  ops::ElasticGroup& group() { return group_; }

  /// What is not in the model's variables; tells workers that join where they are.
  void at(int64_t epoch, int64_t step) { position_.epoch = epoch, position_.step = step; }
  void set_shuffle_seed(uint64_t seed) { position_.shuffle_seed = seed; }
  void set_asks(bool asks) { position_.asks = asks; }
  bool asks() const { return position_.asks; }

  /// Calls `run`, which does the steps of an execution, until all workers have done it, or takes
  /// over its results from one that has. Returns what `run` returned.
  int64_t execute(DataHandler& data, const std::function<int64_t()>& run, Nest& outputs);
  /// Before an execution of fit: lets waiting workers in from time to time.
  void admit();
  /// After admit() of a first execution.
  void load(const TrainingState& state);

 private:
  ElasticTraining(const Model& model, ops::ElasticGroup& group) : model_(model), group_(group) {}
  /// All variables that steps change.
  Variables variables() const;
  /// Finds them anew unless executions of this data are well under way.
  void find_variables(const DataHandler& data);
  /// Makes the present values those of the last execution.
  void capture(int64_t steps, const Nest& outputs);
  std::string state();
  static void store(const Variables& variables, const Tensors& values);

  const Model& model_;
  ops::ElasticGroup& group_;
  CallbackList* callbacks_ = nullptr;
  bool has_entered_ = false;
  Variables variables_;                     ///< those of the executions
  const DataHandler* last_data_ = nullptr;  ///< of the last execution
  int64_t in_a_row_ = 0;                    ///< executions of last_data_
  TrainingState position_;                  ///< with the results of the last execution
};

}  // namespace antler::training
