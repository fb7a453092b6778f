#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "antler/base/error.h"
#include "antler/data/utils/datasets.h"
#include "data/permutation.h"

namespace antler::utils {
namespace {

using Elements = std::shared_ptr<const std::vector<Nest>>;

bool given(const PartSize& size) { return !std::holds_alternative<std::monostate>(size); }

/// Number of elements of a part. Halves are rounded to even numbers as in Python.
int64_t count_of(const char* name, const PartSize& size, int64_t total) {
  if (const auto* fraction = std::get_if<double>(&size)) {
    if (!(*fraction > 0 && *fraction < 1)) {
      throw ValueError("split_dataset: `{}` as a fraction must be between 0 and 1. Received: {}",
                       name, *fraction);
    }
    return static_cast<int64_t>(std::nearbyint(*fraction * static_cast<double>(total)));
  }
  const int64_t count = std::get<int64_t>(size);
  if (count <= 0 || count >= total) {
    throw ValueError(
        "split_dataset: `{}` must be positive and less than the number of elements, {}. Received: "
        "{}",
        name, total, count);
  }
  return count;
}

data::Dataset part_of(const Elements& elements, const std::shared_ptr<std::vector<int64_t>>& order,
                      int64_t begin, int64_t end) {
  return data::Dataset::range(begin, end).map([elements, order](const Nest& number) {
    const auto at = static_cast<size_t>(number.tensor().item());
    return (*elements)[static_cast<size_t>((*order)[at])];
  });
}

}  // namespace

std::pair<data::Dataset, data::Dataset> split_dataset(const data::Dataset& dataset,
                                                      const SplitDatasetOptions& options) {
  if (!given(options.left_size) && !given(options.right_size)) {
    throw ValueError(
        "At least one of the `left_size` or `right_size` must be specified. Received: "
        "left_size=None and right_size=None");
  }
  if (dataset.cardinality() == data::Dataset::kInfinite) {
    throw ValueError("split_dataset: the data set must be finite.");
  }
  auto all = std::make_shared<std::vector<Nest>>();
  for (const Nest& element : dataset) all->push_back(element);
  const int64_t total = std::ssize(*all);
  int64_t left = 0;
  int64_t right = 0;
  if (given(options.left_size)) {
    left = count_of("left_size", options.left_size, total);
  }
  right =
      given(options.right_size) ? count_of("right_size", options.right_size, total) : total - left;
  if (!given(options.left_size)) left = total - right;
  if (left + right > total) {
    throw ValueError(
        "The sum of `left_size` and `right_size` should be smaller than the length of the dataset, "
        "{}. Received: {} and {}.",
        total, left, right);
  }
  if (left <= 0 || right <= 0) {
    throw ValueError("split_dataset: one of the parts would be empty. Received: {} elements.",
                     total);
  }
  auto order = std::make_shared<std::vector<int64_t>>(static_cast<size_t>(total));
  std::iota(order->begin(), order->end(), 0);
  if (options.shuffle) data::random_permutation(*order, options.seed.value_or(0), 0);
  return {part_of(all, order, 0, left), part_of(all, order, total - right, total)};
}

std::pair<data::Dataset, data::Dataset> split_dataset(const Nest& arrays,
                                                      const SplitDatasetOptions& options) {
  return split_dataset(data::Dataset::from_tensor_slices(arrays), options);
}

}  // namespace antler::utils
