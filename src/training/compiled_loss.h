#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/training/compile_arguments.h"

namespace antler::training {

/// The losses given to compile(), one per output, and the metrics `loss` and `<output>_loss` that
/// track them (Keras's LossesContainer). Names are resolved at the first call.
class CompiledLoss {
 public:
  CompiledLoss(LossSpec spec, LossWeights weights)
      : spec_(std::move(spec)), weights_(std::move(weights)) {}

  bool given() const { return spec_.given(); }
  /// The targets in the order of the outputs, undefined where there is none. A single array is the
  /// target of the only output that has a loss, as in `loss = {loss, None}`. Throws ValueError if
  /// `y` does not match the outputs.
  Tensors targets(const Nest& y, const std::vector<std::string>& output_names, const Nest& y_pred);
  /// Returns the value to minimise and updates the trackers. `extra`: losses of layers. Undefined
  /// if there is no loss. Throws ValueError for losses or weights that do not match the outputs.
  Tensor operator()(const std::vector<std::string>& output_names, const Tensors& y_true,
                    const Tensors& y_pred, const Tensors& sample_weight, const Tensors& extra);
  /// After Model::compute_loss(): tracks its result as `loss`, unless operator() was called, which
  /// does so itself, or one of the model's metrics has that name. `x`: the inputs of the step.
  void track_other(const Tensor& loss, const Nest& x, const std::vector<MetricPtr>& metrics);
  /// `loss`, then one per loss if there are several. Empty before the first step.
  const std::vector<MetricPtr>& trackers() const { return trackers_; }
  /// Whether a loss takes class labels as targets (SparseCategoricalCrossentropy).
  bool takes_labels() const;
  /// Checks whole arrays of labels, which compiled steps do not. Does nothing before the first
  /// call, which determines the number of classes. `what`: the argument's name in the message.
  /// Throws ValueError for a label that is neither a class nor `ignore_class`.
  void check_labels(const Nest& y, const char* what) const;

 private:
  void build(const std::vector<std::string>& output_names);

  LossSpec spec_;
  LossWeights weights_;
  bool built_ = false;
  bool tracked_ = false;  // since the last track_other()
  std::vector<std::string> output_names_;
  struct Output {
    Loss loss;  // may be undefined
    double weight = 1;
    int tracker = -1;  // index into trackers_; -1: none
    bool takes_labels = false;
    int64_t axis = -1;    // of the classes
    int64_t classes = 0;  // 0: not known yet
    std::optional<int64_t> ignored = {};
  };
  std::vector<Output> outputs_;
  std::vector<MetricPtr> trackers_;
};

}  // namespace antler::training
