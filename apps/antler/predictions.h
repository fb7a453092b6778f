#pragma once

#include <string>
#include <vector>

#include "antler/base/json.h"
#include "antler/core/tensor.h"

namespace antler::cli {

/// The outputs of a model, a row per sample, as they are written for people and programs.
struct Predictions {
  Tensor outputs;                   ///< [samples, ...]
  std::vector<std::string> labels;  ///< names of the columns; empty: their numbers
  std::vector<std::string> files;   ///< of the samples, where each is one
  int64_t top_k = 0;                ///< only the largest, with their labels; 0 = all

  int64_t rows() const { return outputs.shape()[0]; }
  int64_t columns() const { return rows() == 0 ? 0 : outputs.size() / rows(); }
  std::string to_csv() const;
  /// A list with an object per sample: {"file", "classes": [{"label", "value"}]} or {"file",
  /// "values"}.
  Json to_json() const;

 private:
  /// Columns of a row in the order in which they are written.
  std::vector<int64_t> order(const double* row) const;
  std::string label(int64_t column) const;
};

/// A line of a file per class: 0, 1, ...
std::vector<std::string> read_labels(const std::string& path);

}  // namespace antler::cli
