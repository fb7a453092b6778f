#include <algorithm>
#include <cstring>
#include <string>

#include "antler/base/error.h"
#include "antler/data/utils/datasets.h"

namespace antler::utils {
namespace {

void require(bool fine, const std::string& what, const std::string& argument, int64_t value) {
  if (fine) return;
  throw ValueError(what + " Received: " + argument + "=" + std::to_string(value) + ".");
}

void check(int64_t rows, int64_t sequence_length, const TimeseriesOptions& o) {
  if (o.start_index.value_or(0) != 0) {
    require(*o.start_index > 0, "`start_index` must be 0 or greater.", "start_index",
            *o.start_index);
    require(*o.start_index < rows, "`start_index` must be lower than the length of the data.",
            "start_index", *o.start_index);
  }
  if (o.end_index.value_or(0) != 0) {
    require(*o.end_index > o.start_index.value_or(0),
            "`end_index` must be higher than `start_index`.", "end_index", *o.end_index);
    require(*o.end_index < rows, "`end_index` must be lower than the length of the data.",
            "end_index", *o.end_index);
  }
  require(sequence_length > 0, "`sequence_length` must be higher than 0.", "sequence_length",
          sequence_length);
  require(o.sampling_rate > 0, "`sampling_rate` must be higher than 0.", "sampling_rate",
          o.sampling_rate);
  require(o.sampling_rate < rows, "`sampling_rate` must be lower than the length of the data.",
          "sampling_rate", o.sampling_rate);
  require(o.sequence_stride > 0, "`sequence_stride` must be higher than 0.", "sequence_stride",
          o.sequence_stride);
  require(o.sequence_stride < rows, "`sequence_stride` must be lower than the length of the data.",
          "sequence_stride", o.sequence_stride);
}

/// Rows first, first + rate, ... of `data`, [count, ...].
Tensor rows_of(const Tensor& data, int64_t first, int64_t rate, int64_t count) {
  Shape shape = data.shape();
  shape[0] = count;
  const Tensor result = Tensor::empty(data.dtype(), shape);
  const size_t row = static_cast<size_t>(data.size() / data.dim(0)) * dtype_size(data.dtype());
  const auto* from = static_cast<const char*>(data.data());
  auto* to = static_cast<char*>(result.mutable_data());
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + static_cast<size_t>(i) * row,
                from + static_cast<size_t>(first + i * rate) * row, row);
  }
  return result;
}

Tensor row_of(const Tensor& data, int64_t index) {
  const Tensor one = rows_of(data, index, 1, 1);
  Shape shape(data.shape().begin() + 1, data.shape().end());
  const Tensor result = Tensor::empty(data.dtype(), shape);
  std::memcpy(result.mutable_data(), one.data(),
              static_cast<size_t>(one.size()) * dtype_size(one.dtype()));
  return result;
}

}  // namespace

data::Dataset timeseries_dataset_from_array(const Tensor& data, const Tensor& targets,
                                            int64_t sequence_length,
                                            const TimeseriesOptions& options) {
  if (data.rank() == 0 || (targets.defined() && targets.rank() == 0)) {
    throw ValueError("timeseries_dataset_from_array: `data` and `targets` must have rows.");
  }
  check(data.dim(0), sequence_length, options);
  const int64_t start = options.start_index.value_or(0);
  const int64_t end = options.end_index.value_or(0) == 0 ? data.dim(0) : *options.end_index;
  int64_t count = end - start - (sequence_length - 1) * options.sampling_rate;
  if (targets.defined()) count = std::min(count, targets.dim(0));
  count = std::max<int64_t>(count, 0);
  const int64_t windows = (count + options.sequence_stride - 1) / options.sequence_stride;
  const auto window = [=, stride = options.sequence_stride,
                       rate = options.sampling_rate](const Nest& number) -> Nest {
    const int64_t position = start + stride * static_cast<int64_t>(number.tensor().item());
    const Tensor x = rows_of(data, position, rate, sequence_length);
    if (!targets.defined()) return x;
    return {x, row_of(targets, position)};
  };
  auto numbers = data::Dataset::range(windows);
  if (options.shuffle && windows > 0) numbers = numbers.shuffle(windows, {.seed = options.seed});
  const auto dataset = numbers.map(window);
  return options.batch_size ? dataset.batch(*options.batch_size) : dataset;
}

}  // namespace antler::utils
