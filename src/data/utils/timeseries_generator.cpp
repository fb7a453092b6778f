#include <algorithm>
#include <cstring>

#include "antler/base/error.h"
#include "antler/data/utils/datasets.h"
#include "base/ceil_div.h"
#include "data/random_words.h"

namespace antler::utils {
namespace {

size_t row_bytes(const Tensor& t) {
  return t.dim(0) == 0 ? 0 : t.bytes() / static_cast<size_t>(t.dim(0));
}

const std::byte* row_start(const Tensor& t, int64_t row) {
  return static_cast<const std::byte*>(t.data()) + static_cast<size_t>(row) * row_bytes(t);
}

/// An uninitialized tensor [counts..., shape of a row of `like`].
Tensor empty_rows(const Tensor& like, std::vector<int64_t> counts) {
  counts.insert(counts.end(), like.shape().begin() + 1, like.shape().end());
  return Tensor::empty(like.dtype(), Shape(counts));
}

}  // namespace

TimeseriesGenerator::TimeseriesGenerator(Tensor data, Tensor targets, int64_t length,
                                         TimeseriesGeneratorOptions options)
    : data_(std::move(data)), targets_(std::move(targets)), length_(length), options_(options) {
  if (data_.rank() < 1 || targets_.rank() < 1 || data_.dim(0) != targets_.dim(0)) {
    throw ValueError(
        "Data and targets have to be of same length. Data has shape {} while targets have {}",
        data_.shape(), targets_.shape());
  }
  for (const int64_t number : {length, options.sampling_rate, options.stride, options.batch_size}) {
    if (number < 1) {
      throw ValueError(
          "TimeseriesGenerator: `length`, `sampling_rate`, `stride` and `batch_size` must be "
          "positive. Received: {}",
          number);
    }
  }
  first_ = options.start_index + length;
  last_ = options.end_index.value_or(data_.dim(0) - 1);
  if (options.start_index < 0 || last_ >= data_.dim(0)) {
    throw ValueError(
        "TimeseriesGenerator: `start_index` and `end_index` must be rows of the data.");
  }
  if (first_ > last_) {
    throw ValueError(
        "`start_index+length={} > end_index={}` is disallowed, as no part of the sequence would be "
        "left to be used as current step.",
        first_, last_);
  }
}

int64_t TimeseriesGenerator::size() const {
  const int64_t batch = options_.batch_size * options_.stride;
  return (last_ - first_ + batch) / batch;
}

Nest TimeseriesGenerator::item(int64_t index) {
  std::vector<int64_t> rows;
  if (options_.shuffle) {
    data::RandomWords words(options_.seed.value_or(0),
                            *pass_ * static_cast<uint64_t>(size()) + static_cast<uint64_t>(index));
    for (int64_t i = 0; i < options_.batch_size; ++i) {
      const uint64_t drawn = words.below(static_cast<uint64_t>(last_ - first_ + 1));
      rows.push_back(first_ + static_cast<int64_t>(drawn));
    }
  } else {
    const int64_t batch = options_.batch_size * options_.stride;
    const int64_t begin = first_ + batch * index;
    for (int64_t row = begin; row < std::min(begin + batch, last_ + 1); row += options_.stride) {
      rows.push_back(row);
    }
  }
  const int64_t steps = ceil_div(length_, options_.sampling_rate);
  const Tensor samples = empty_rows(data_, {std::ssize(rows), steps});
  const Tensor targets = empty_rows(targets_, {std::ssize(rows)});
  auto* to = static_cast<std::byte*>(samples.mutable_data());
  auto* target = static_cast<std::byte*>(targets.mutable_data());
  for (const int64_t row : rows) {
    for (int64_t i = 0; i < steps; ++i) {
      const int64_t step = options_.reverse ? steps - 1 - i : i;
      std::memcpy(to, row_start(data_, row - length_ + step * options_.sampling_rate),
                  row_bytes(data_));
      to += row_bytes(data_);
    }
    std::memcpy(target, row_start(targets_, row), row_bytes(targets_));
    target += row_bytes(targets_);
  }
  return std::vector<Nest>{samples, targets};
}

}  // namespace antler::utils
