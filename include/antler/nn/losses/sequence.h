#pragma once

#include <optional>
#include <string>

#include "antler/core/keyword.h"
#include "antler/nn/loss.h"

namespace antler::losses {

/// Connectionist temporal classification (Graves et al. 2006), one value per sample: -log of the
/// probability of all alignments of the labels to the steps. y_true [batch, labels] has integers; 0
/// is the blank and the padding. y_pred [batch, time, classes] has logits. Infinite if the labels
/// do not fit into the steps (in Keras a large number that depends on the backend).
Tensor ctc(const Tensor& y_true, const Tensor& y_pred);

/// Options of CTC.
struct CTCOptions {
  std::string reduction = "sum_over_batch_size";  ///< see LossOptions
  std::string name = {};
  std::optional<std::string> dtype = {};  ///< see LossOptions
};
/// ctc(), reduced over the batch.
struct CTC : Loss {
  explicit CTC(const CTCOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(CTC, CTCOptions)
};

}  // namespace antler::losses
