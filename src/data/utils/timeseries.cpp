#include <algorithm>
#include <vector>

#include "antler/base/error.h"
#include "antler/data/utils/datasets.h"
#include "base/ceil_div.h"
#include "data/gather.h"
#include "data/rows.h"

namespace antler::utils {
namespace {

void require(bool ok, const char* what, const char* argument, int64_t value) {
  if (ok) return;
  throw ValueError("{} Received: {}={}.", what, argument, value);
}

void check(int64_t rows, const TimeseriesOptions& o) {
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
  require(o.sequence_length > 0, "`sequence_length` must be higher than 0.", "sequence_length",
          o.sequence_length);
  require(o.sampling_rate > 0, "`sampling_rate` must be higher than 0.", "sampling_rate",
          o.sampling_rate);
  require(o.sampling_rate < rows, "`sampling_rate` must be lower than the length of the data.",
          "sampling_rate", o.sampling_rate);
  require(o.sequence_stride > 0, "`sequence_stride` must be higher than 0.", "sequence_stride",
          o.sequence_stride);
  require(o.sequence_stride < rows, "`sequence_stride` must be lower than the length of the data.",
          "sequence_stride", o.sequence_stride);
}

}  // namespace

data::Dataset timeseries_dataset_from_array(const Tensor& data, const Tensor& targets,
                                            const TimeseriesOptions& options) {
  const int64_t sequence_length = options.sequence_length;
  if (data.rank() == 0 || (targets.defined() && targets.rank() == 0)) {
    throw ValueError("timeseries_dataset_from_array: `data` and `targets` must not be scalars.");
  }
  check(data.dim(0), options);
  const int64_t start = options.start_index.value_or(0);
  const int64_t end = options.end_index.value_or(0) == 0 ? data.dim(0) : *options.end_index;
  int64_t count = end - start - (sequence_length - 1) * options.sampling_rate;
  if (targets.defined()) count = std::min(count, targets.dim(0));
  count = std::max<int64_t>(count, 0);
  const int64_t windows = ceil_div(count, options.sequence_stride);
  const int64_t last = start + (windows - 1) * options.sequence_stride;
  if (targets.defined() && windows > 0 && last >= targets.dim(0)) {
    throw ValueError(
        "timeseries_dataset_from_array: `targets` has no row {}, where the last window starts. "
        "Received: targets.shape={}, start_index={}",
        last, targets.shape(), start);
  }
  const auto window = [=, stride = options.sequence_stride,
                       rate = options.sampling_rate](const Nest& number) -> Nest {
    const int64_t position = start + stride * static_cast<int64_t>(number.tensor().item());
    std::vector<int64_t> rows(static_cast<size_t>(sequence_length));
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = position + static_cast<int64_t>(i) * rate;
    const Tensor x = data::take_rows(data, rows);
    if (!targets.defined()) return x;
    return {x, data::row_view(targets, position)};
  };
  auto numbers = data::Dataset::range(windows);
  if (options.shuffle && windows > 0) numbers = numbers.shuffle(windows, {.seed = options.seed});
  const auto dataset = numbers.map(window);
  return options.batch_size ? dataset.batch(*options.batch_size) : dataset;
}

}  // namespace antler::utils
