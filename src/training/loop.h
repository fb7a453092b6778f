#pragma once

#include <memory>
#include <optional>

#include "antler/training/model.h"
#include "training/data_handler.h"
#include "training/model_state.h"

namespace antler::training {

/// The loops over epochs and executions of one model: fit, evaluate, predict.
class Loop {
 public:
  explicit Loop(Model& model);

  History fit(const FitData& x, const Nest& y, const FitOptions& options);
  HostLogs evaluate(const FitData& x, const Nest& y, const EvaluateOptions& options);
  Nest predict(const FitData& x, const PredictOptions& options);

 private:
  std::shared_ptr<CallbackList> callbacks(const Callbacks& given, bool history, int verbose,
                                          int64_t epochs, int64_t steps);
  /// Arguments of a DataHandler that all three have in common.
  template <class Options>
  DataHandler::Arguments data_arguments(const FitData& x, const Nest& y, const Nest& weights,
                                        const Options& options) const;
  /// Steps of one epoch, with their hooks. Returns how many were done.
  int64_t train_epoch(DataHandler& data, StepRunner& runner, CallbackList& callbacks,
                      int64_t first_step, Nest& outputs);
  /// The epoch's value of all metrics: what the last step gave, or, if those are the model's
  /// metrics, what the metrics hold.
  Logs final_logs(const Nest& outputs) const;
  /// `y`: targets of all samples, where there are arrays; `what` is their name.
  Logs run_evaluation(DataHandler& data, CallbackList& callbacks, const Nest& y = {},
                      const char* what = "y");
  /// CompiledLoss::check_labels() of the arrays that `runner` is going to read.
  void check_labels(StepRunner& runner, const Nest& y, const char* what);
  void warn_about_weights(const Nest& weights);

  Model& model_;
  std::shared_ptr<ModelState> held_;  // a callback may give the model another state
  ModelState& state_;
  OwnScope scope_;
};

/// What `verbose` means where it is not given.
int resolve_verbose(const std::optional<int>& verbose);
/// Entries in the order of `names`, then the others by name.
HostLogs in_order_of(std::vector<std::string> names, const Logs& logs);

}  // namespace antler::training
