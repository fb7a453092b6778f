#pragma once

#include <string>
#include <vector>

#include "antler/base/json.h"
#include "antler/core/tensor.h"

namespace antler::cli {

/// The outputs of a model, a row per sample, for writing as CSV or JSON.
struct Predictions {
  Tensor outputs;                   ///< [samples, ...]
  std::vector<std::string> labels;  ///< names of the columns; empty: their indices
  std::vector<std::string> files;   ///< of the samples, if each is a file
  int64_t top_k = 0;                ///< only the k largest, with their labels; 0 = all

  int64_t rows() const { return outputs.shape()[0]; }
  int64_t columns() const { return rows() == 0 ? 0 : outputs.size() / rows(); }
  std::string to_csv() const;
  /// A list of {"file", "classes": [{"label", "value"}]} or {"file", "values"} per sample.
  Json to_json() const;

 private:
  /// The columns of a row in output order.
  std::vector<int64_t> order(const double* row) const;
  std::string label(int64_t column) const;
};

/// Reads the names of class 0, 1, ... from the lines of a file.
std::vector<std::string> read_labels(const std::string& path);

}  // namespace antler::cli
