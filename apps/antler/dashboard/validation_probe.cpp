#include "dashboard/validation_probe.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/ops/numpy/manipulation.h"
#include "base/clock.h"
#include "data/gather.h"
#include "evaluation/sample_view.h"

namespace antler::cli {
namespace {

constexpr int64_t kMostRows = 10000;
constexpr int64_t kMostBytes = int64_t{128} << 20;
/// A larger confusion matrix is illegible.
constexpr int64_t kMostClasses = 32;
constexpr size_t kConfused = 12;
constexpr size_t kExamples = 24;  ///< of mistakes, and of correct predictions
constexpr int64_t kPoints = 600;
/// The most by which each round of predictions may exceed all before it: the first batch includes
/// compilation, so its speed says little.
constexpr double kGrowth = 8;

/// `kept` evenly spaced numbers below `count`.
std::vector<int64_t> evenly(int64_t count, int64_t kept) {
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < kept; ++i) numbers.push_back(i * count / kept);
  return numbers;
}

/// The numbers below `count` in an order in which any first few are spread evenly.
std::vector<int64_t> spread(int64_t count) {
  constexpr double kGoldenRatio = 0.6180339887498949;
  auto step = static_cast<int64_t>(std::lround(static_cast<double>(count) * kGoldenRatio));
  while (std::gcd(step, count) != 1) ++step;
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(i * step % count);
  return numbers;
}

int64_t kept_rows(int64_t count, const Tensor& x) {
  const auto row_bytes = static_cast<int64_t>(x.bytes()) / std::max<int64_t>(x.shape()[0], 1);
  return std::min(
      {count, kMostRows, std::max<int64_t>(1, kMostBytes / std::max<int64_t>(row_bytes, 1))});
}

/// Joins evenly spaced rows of a data set of (x, y) with `count` rows. Sets `numbers` to their
/// ascending numbers.
Samples rows_of_batches(const data::Dataset& batches, int64_t count,
                        std::vector<int64_t>& numbers) {
  std::vector<Tensor> x;
  std::vector<Tensor> y;
  int64_t first = 0;
  size_t next = 0;
  for (const Nest& batch : batches) {
    const Tensors parts = batch.flatten();
    if (parts.size() != 2) return {};
    if (first == 0) numbers = evenly(count, kept_rows(count, parts[0]));
    std::vector<int64_t> rows;
    const int64_t end = first + parts[0].shape()[0];
    for (; next < numbers.size() && numbers[next] < end; ++next) {
      rows.push_back(numbers[next] - first);
    }
    if (!rows.empty()) {
      x.push_back(data::take_rows(parts[0], rows));
      y.push_back(data::take_rows(parts[1], rows));
    }
    first = end;
  }
  numbers.resize(next);
  if (x.empty()) return {};
  return {ops::concatenate(x), ops::concatenate(y)};
}

/// The samples at these places.
Samples rows_at(const Samples& all, std::span<const int64_t> places) {
  Samples some{data::take_rows(all.x, places), data::take_rows(all.y, places)};
  for (const int64_t place : places) {
    const auto at = static_cast<size_t>(place);
    if (at < all.labels.size()) some.labels.push_back(all.labels[at]);
    if (at < all.files.size()) some.files.push_back(all.files[at]);
  }
  return some;
}

/// Targets and predictions of a regression.
Json points_of(const Tensor& outputs, const Tensor& targets) {
  if (outputs.size() != targets.size() || outputs.size() != outputs.shape()[0]) return {};
  const std::vector<double> predicted = outputs.to_doubles();
  const std::vector<double> wanted = targets.to_doubles();
  Json points = Json::array();
  const int64_t count = std::ssize(wanted);
  for (const int64_t i : evenly(count, std::min(count, kPoints))) {
    const auto at = static_cast<size_t>(i);
    if (std::isfinite(wanted[at]) && std::isfinite(predicted[at])) {
      points.push_back({wanted[at], predicted[at]});
    }
  }
  return points;
}

/// The most frequent mistakes: [true class, predicted class, count].
Json confused_pairs(const std::vector<int64_t>& matrix, int64_t classes) {
  std::vector<int64_t> cells;
  for (int64_t i = 0; i < std::ssize(matrix); ++i) {
    if (matrix[static_cast<size_t>(i)] > 0 && i / classes != i % classes) cells.push_back(i);
  }
  std::stable_sort(cells.begin(), cells.end(), [&](int64_t a, int64_t b) {
    return matrix[static_cast<size_t>(a)] > matrix[static_cast<size_t>(b)];
  });
  cells.resize(std::min(cells.size(), kConfused));
  Json pairs = Json::array();
  for (const int64_t cell : cells) {
    pairs.push_back({cell / classes, cell % classes, matrix[static_cast<size_t>(cell)]});
  }
  return pairs;
}

}  // namespace

ValidationProbe::ValidationProbe(Samples samples, DataPlan plan, int64_t batch_size)
    : samples_(std::move(samples)), plan_(std::move(plan)), batch_size_(batch_size) {}

void ValidationProbe::read(const Model& model) {
  has_read_ = true;
  count_ = samples_.given() ? samples_.count() : 0;
  if (count_ == 0) return;
  Samples all;
  if (samples_.batches) {
    all = rows_of_batches(*samples_.batches, count_, numbers_);
  } else if (samples_.x.defined() && samples_.y.defined()) {
    all = {samples_.inputs(model).arrays().tensor(), samples_.y};
    numbers_ = evenly(count_, kept_rows(count_, all.x));
    all = {data::take_rows(all.x, numbers_), data::take_rows(all.y, numbers_)};
  }
  if (!all.x.defined()) return;
  for (const int64_t number : numbers_) {
    const auto at = static_cast<size_t>(number);
    if (at < samples_.labels.size()) all.labels.push_back(samples_.labels[at]);
    if (at < samples_.files.size()) all.files.push_back(samples_.files[at]);
  }
  std::vector<int64_t> order = spread(std::ssize(numbers_));
  rows_ = rows_at(all, order);
  for (int64_t& place : order) place = numbers_[static_cast<size_t>(place)];
  numbers_ = std::move(order);
  samples_ = {};
}

Json ValidationProbe::look(Model& model, double seconds) {
  if (!has_read_) read(model);
  if (!rows_.given()) return {};
  const int64_t rows = rows_.count();
  const double start = steady_seconds();
  std::vector<int64_t> places;
  std::vector<Tensor> outputs;
  // First one batch, then as many as there is time for.
  for (int64_t until = std::min(batch_size_, rows); until > std::ssize(places);) {
    const size_t from = places.size();
    for (int64_t i = std::ssize(places); i < until; ++i) places.push_back(i);
    const Tensor x = data::take_rows(rows_.x, std::span(places).subspan(from));
    const Tensors predicted =
        model.predict(x, PredictOptions{.batch_size = batch_size_, .verbose = 0}).flatten();
    if (predicted.size() != 1) return {};
    outputs.push_back(predicted[0]);
    const double part = seconds / (steady_seconds() - start);  // in units of the time so far
    const double batches = std::min(part - 1, kGrowth) * static_cast<double>(places.size()) /
                           static_cast<double>(batch_size_);
    until = std::min(rows,
                     until + batch_size_ * std::max<int64_t>(0, std::llround(std::floor(batches))));
  }

  const Samples seen = rows_at(rows_, places);
  const Tensor output = ops::concatenate(outputs);
  const Classified classified = classify(output, seen, plan_.classes());
  Json result = classified.classes > 0 ? classes_of(classified, seen) : Json::object();
  if (classified.classes == 0) {
    Json points = points_of(output, seen.y);
    if (points.empty()) return {};
    result["points"] = std::move(points);
  }
  result["count"] = places.size();
  result["of"] = count_;
  return result;
}

Json ValidationProbe::classes_of(const Classified& classified, const Samples& seen) const {
  const std::vector<std::string> names = plan_.classes();
  const int64_t classes = classified.classes;
  const std::vector<int64_t> matrix = classified.confusion_matrix();
  int64_t right = 0;
  for (int64_t k = 0; k < classes; ++k) right += matrix[static_cast<size_t>(k * classes + k)];
  Json result = {{"accuracy", static_cast<double>(right) / static_cast<double>(seen.count())},
                 {"confused", confused_pairs(matrix, classes)},
                 {"classes", Json::array()},
                 {"samples", Json::array()}};
  for (int64_t k = 0; k < classes; ++k) result["classes"].push_back(class_name(names, k));
  for (int64_t row = 0; row < classes && classes <= kMostClasses; ++row) {
    const auto begin = matrix.begin() + row * classes;
    result["matrix"].push_back(std::vector<int64_t>(begin, begin + classes));
  }
  for (const int64_t i : classified.examples(kExamples)) {
    const auto at = static_cast<size_t>(i);
    const std::string name = at < seen.files.size()
                                 ? std::filesystem::path(seen.files[at]).filename().string()
                                 : format("sample {}", numbers_[at]);
    Json sample = {{"name", name},
                   {"truth", classified.truth[at]},
                   {"predicted", classified.predicted[at]},
                   {"confidence", classified.confidence[at]},
                   {"right", classified.right(i)}};
    if (std::string png = sample_picture(seen.x, i); !png.empty()) {
      sample["picture"] = std::move(png);
    } else if (std::string text = sample_text(seen.x, i, plan_); !text.empty()) {
      sample["text"] = std::move(text);
    }
    result["samples"].push_back(std::move(sample));
  }
  return result;
}

}  // namespace antler::cli
