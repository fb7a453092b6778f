#pragma once

#include <string>
#include <vector>

#include "antler/nn/compile_types.h"

namespace antler::training {

/// The losses given to compile(), one per output, with the trackers behind the log names `loss` and
/// `<output>_loss` (Keras 2's LossesContainer). Names are resolved at the first call.
class CompiledLoss {
 public:
  CompiledLoss(LossSpec spec, std::vector<double> weights)
      : spec_(std::move(spec)), weights_(std::move(weights)) {}

  bool given() const { return spec_.given(); }
  /// Value to minimise; updates the trackers. `extra`: losses of layers. Undefined when there is no
  /// loss at all.
  Tensor operator()(const std::vector<std::string>& output_names, const Tensors& y_true,
                    const Tensors& y_pred, const Tensors& sample_weight, const Tensors& extra);
  /// `loss`, then one per output when there are several. Empty before the first call.
  const std::vector<MetricPtr>& trackers() const { return trackers_; }

 private:
  void build(const std::vector<std::string>& output_names);

  LossSpec spec_;
  std::vector<double> weights_;
  bool built_ = false;
  std::vector<Loss> losses_;  // undefined: no loss for that output
  std::vector<MetricPtr> trackers_;
  std::vector<int> tracker_of_;  // index into trackers_, -1 = none
};

}  // namespace antler::training
