#pragma once

#include <optional>
#include <string>

#include "antler/core/keyword.h"
#include "antler/nn/loss.h"

namespace antler::losses {

/// Arguments of circle().
struct CircleArguments {
  Tensor ref_labels = {};       ///< [references]; both undefined: the samples themselves
  Tensor ref_embeddings = {};   ///< [references, features], of length 1
  bool remove_diagonal = true;  ///< a sample is not its own positive partner
  double gamma = 80;            ///< scale
  double margin = 0.4;          ///< relaxation
};
/// Circle loss (Sun et al. 2020), one value per sample: pulls embeddings with the same label
/// together and pushes embeddings with different labels apart. y_true [batch] or [batch, 1] has the
/// labels, y_pred [batch, features] the embeddings, of length 1. Throws ValueError for references
/// without labels or without embeddings.
Tensor circle(const Tensor& y_true, const Tensor& y_pred, const CircleArguments& o = {});
ANTLER_KEYWORD_FUNCTION(circle, CircleArguments, const Tensor&, const Tensor&)

/// Options of Circle.
struct CircleOptions {
  double gamma = 80;                              ///< scale
  double margin = 0.4;                            ///< relaxation
  bool remove_diagonal = true;                    ///< a sample is not compared with itself
  std::string reduction = "sum_over_batch_size";  ///< samples with loss 0 do not count in means
  std::string name = {};
  std::optional<std::string> dtype = {};  ///< see LossOptions
};
/// circle(), reduced over the batch.
struct Circle : Loss {
  explicit Circle(const CircleOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Circle, CircleOptions)
};

}  // namespace antler::losses
