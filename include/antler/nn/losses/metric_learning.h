#pragma once

#include <string>

#include "antler/nn/loss.h"

namespace antler::losses {

/// Circle loss (Sun et al. 2020), one value per sample: pulls embeddings of one label together and
/// pushes those of others apart. y_true [batch] or [batch, 1], labels; y_pred [batch, features],
/// embeddings of length 1. `remove_diagonal`: a sample is not its own positive partner.
Tensor circle(const Tensor& y_true, const Tensor& y_pred, bool remove_diagonal = true,
              double gamma = 80, double margin = 0.4);
/// The same against other embeddings [references, features] with labels of their own.
Tensor circle(const Tensor& y_true, const Tensor& y_pred, const Tensor& ref_labels,
              const Tensor& ref_embeddings, bool remove_diagonal = true, double gamma = 80,
              double margin = 0.4);

struct CircleOptions {
  double gamma = 80;    ///< scale
  double margin = 0.4;  ///< relaxation
  bool remove_diagonal = true;
  std::string reduction = "sum_over_batch_size";  ///< samples with loss 0 do not count in means
  std::string name = {};
};
struct Circle : Loss {
  explicit Circle(const CircleOptions& options = {});
};

}  // namespace antler::losses
