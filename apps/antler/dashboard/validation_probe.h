#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/base/json.h"
#include "antler/training/model.h"
#include "evaluation/classification.h"
#include "input/data_files.h"

namespace antler::cli {

/// Predicts validation samples during training, to show what the model gets right and wrong. Uses
/// at most 10,000 samples and 128 MiB, evenly spaced over all.
class ValidationProbe {
 public:
  /// Only samples with one input and one target are predicted. They are read when first needed.
  ValidationProbe(Samples samples, DataPlan plan, int64_t batch_size);

  /// Predicts for about `seconds`, at least a batch. A classifier gives {"count", "of", "accuracy",
  /// "classes", "matrix" (unless there are many classes), "confused": the most frequent mistakes
  /// [true, predicted, count], "samples": [{"name", "picture" or "text", "truth", "predicted",
  /// "confidence", "right"}]}. For one number per sample: {"count", "of", "points": [target,
  /// prediction]}. Null for anything else.
  Json look(Model& model, double seconds);

 private:
  void read(const Model& model);
  Json classes_of(const Classified& classified, const Samples& seen) const;

  Samples samples_;
  DataPlan plan_;
  int64_t batch_size_;
  int64_t count_ = 0;  ///< of all samples
  bool has_read_ = false;
  Samples rows_;  ///< in the order of prediction; not given() if there is nothing to show
  std::vector<int64_t> numbers_;  ///< their places in samples_
};

}  // namespace antler::cli
