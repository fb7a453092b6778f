#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/core/tensor.h"
#include "input/data_files.h"

namespace antler::cli {

/// True and predicted classes of samples.
struct Classified {
  std::vector<int64_t> truth;
  std::vector<int64_t> predicted;
  std::vector<double> confidence;  ///< the output of the predicted class
  int64_t classes = 0;             ///< 0 if the model is not a classifier

  bool right(int64_t sample) const {
    return truth[static_cast<size_t>(sample)] == predicted[static_cast<size_t>(sample)];
  }
  /// [classes, classes]: number of samples by true class (row) and predicted class (column).
  std::vector<int64_t> confusion_matrix() const;
  /// Up to `each` mistakes, the most confident first, and up to `each` correct predictions.
  std::vector<int64_t> examples(size_t each) const;
};

/// Compares a model's outputs with the targets of the samples, which are classes or one-hot rows.
/// `names` are the names of the classes, if known. The result has no classes if the outputs or
/// targets do not belong to a classifier.
Classified classify(const Tensor& outputs, const Samples& samples,
                    const std::vector<std::string>& names);

/// The name of a class, or its number.
std::string class_name(const std::vector<std::string>& names, int64_t label);

}  // namespace antler::cli
