#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/training/compile_arguments.h"

namespace antler::training {

/// The losses given to compile(), one per output, with the trackers behind the log names `loss` and
/// `<output>_loss` (Keras's LossesContainer). Names are resolved at the first call.
class CompiledLoss {
 public:
  CompiledLoss(LossSpec spec, LossWeights weights)
      : spec_(std::move(spec)), weights_(std::move(weights)) {}

  bool given() const { return spec_.given(); }
  /// Value to minimise; updates the trackers. `extra`: losses of layers. Undefined when there is no
  /// loss at all. Throws ValueError for losses or weights that do not fit the outputs.
  Tensor operator()(const std::vector<std::string>& output_names, const Tensors& y_true,
                    const Tensors& y_pred, const Tensors& sample_weight, const Tensors& extra);
  /// `loss`, then one per loss when there are several. Empty before the first call.
  const std::vector<MetricPtr>& trackers() const { return trackers_; }
  /// Whether a loss takes the numbers of classes as targets (SparseCategoricalCrossentropy).
  bool takes_labels() const;
  /// Looks at whole arrays of targets, which a compiled step does not: it is told the number of
  /// classes by the first call. `what`: the argument's name in the message. Throws ValueError for a
  /// label that is none of the classes, nor the one to be ignored.
  void check_labels(const Nest& y, const char* what) const;

 private:
  void build(const std::vector<std::string>& output_names);

  LossSpec spec_;
  LossWeights weights_;
  bool built_ = false;
  std::vector<std::string> output_names_;
  struct Output {
    Loss loss;  // undefined: none
    double weight = 1;
    int tracker = -1;  // index into trackers_, -1 = none
    bool takes_labels = false;
    int64_t axis = -1;    // of the classes
    int64_t classes = 0;  // 0: not known yet
    std::optional<int64_t> ignored = {};
  };
  std::vector<Output> outputs_;
  std::vector<MetricPtr> trackers_;
};

}  // namespace antler::training
