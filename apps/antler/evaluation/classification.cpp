#include "evaluation/classification.h"

#include <algorithm>
#include <cmath>

namespace antler::cli {
namespace {

/// The true classes; targets are integers or one-hot rows.
std::vector<int64_t> true_classes(const Samples& samples, int64_t columns) {
  if (!samples.labels.empty()) return samples.labels;
  const int64_t rows = samples.y.shape()[0];
  const std::vector<double> y = samples.y.to_doubles();
  const int64_t width = samples.y.size() / std::max<int64_t>(rows, 1);
  std::vector<int64_t> labels;
  for (int64_t r = 0; r < rows; ++r) {
    const double* row = y.data() + r * width;
    labels.push_back(width == columns && width > 1 ? std::max_element(row, row + width) - row
                                                   : std::lround(row[0]));
  }
  return labels;
}

}  // namespace

Classified classify(const Tensor& outputs, const Samples& samples,
                    const std::vector<std::string>& names) {
  Classified result;
  if (outputs.rank() != 2) return result;
  const int64_t columns = outputs.shape()[1];
  const bool integers = !samples.labels.empty() || (samples.y.dtype() != DType::float32 &&
                                                    samples.y.dtype() != DType::float64);
  if (columns == 1 && !integers && names.size() != 2) return result;
  if (columns > 1 && !integers && samples.y.size() != outputs.size()) return result;
  if (columns > 1 && !integers && names.empty()) {
    // Several numbers per sample are a class only if they are one-hot.
    for (const double v : samples.y.to_doubles()) {
      if (v != 0 && v != 1) return result;
    }
  }
  const std::vector<double> values = outputs.to_doubles();
  result.classes = std::max<int64_t>(columns, 2);
  result.truth = true_classes(samples, columns);
  for (int64_t r = 0; r < outputs.shape()[0]; ++r) {
    const double* row = values.data() + r * columns;
    const int64_t best =
        columns == 1 ? (row[0] > 0.5 ? 1 : 0) : std::max_element(row, row + columns) - row;
    result.predicted.push_back(best);
    result.confidence.push_back(columns == 1 ? std::max(row[0], 1 - row[0]) : row[best]);
  }
  for (const int64_t label : result.truth) {
    if (label < 0 || label >= result.classes) return {};
  }
  return result;
}

std::vector<int64_t> Classified::confusion_matrix() const {
  std::vector<int64_t> counts(static_cast<size_t>(classes * classes), 0);
  for (size_t i = 0; i < truth.size(); ++i) {
    ++counts[static_cast<size_t>(truth[i] * classes + predicted[i])];
  }
  return counts;
}

std::vector<int64_t> Classified::examples(size_t each) const {
  std::vector<int64_t> chosen;
  std::vector<int64_t> correct;
  for (int64_t i = 0; i < std::ssize(truth); ++i) (right(i) ? correct : chosen).push_back(i);
  const auto key = [&](int64_t i) {
    const auto value = static_cast<double>(confidence[static_cast<size_t>(i)]);
    return std::isnan(value) ? -INFINITY : value;
  };
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](int64_t a, int64_t b) { return key(a) > key(b); });
  chosen.resize(std::min(chosen.size(), each));
  const size_t step = std::max<size_t>(1, correct.size() / each);
  for (size_t i = 0, taken = 0; i < correct.size() && taken < each; i += step, ++taken) {
    chosen.push_back(correct[i]);
  }
  return chosen;
}

std::string class_name(const std::vector<std::string>& names, int64_t label) {
  const auto i = static_cast<size_t>(label);
  return i < names.size() ? names[i] : std::to_string(label);
}

}  // namespace antler::cli
