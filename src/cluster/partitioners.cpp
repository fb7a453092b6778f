#include "antler/cluster/partitioners.h"

#include <algorithm>
#include <cstddef>

#include "antler/base/error.h"
#include "base/ceil_div.h"

namespace antler::cluster {
namespace {

int64_t checked(int64_t value, const char* name) {
  if (value < 1) throw ValueError("`{}` must be at least 1. Received: {}.", name, value);
  return value;
}

/// A variable's number of rows: its size along `axis`.
int64_t rows_of(const Shape& shape, int axis) {
  if (axis < 0 || axis >= shape.rank())
    throw ValueError("A variable of shape {} cannot be divided along axis {}.", shape, axis);
  return shape[axis];
}

std::vector<int64_t> along(const Shape& shape, int axis, int64_t parts) {
  std::vector<int64_t> counts(static_cast<size_t>(shape.rank()), 1);
  counts[static_cast<size_t>(axis)] = std::max<int64_t>(parts, 1);
  return counts;
}

}  // namespace

FixedShardsPartitioner::FixedShardsPartitioner(int64_t num_shards)
    : num_shards_(checked(num_shards, "num_shards")) {}

std::vector<int64_t> FixedShardsPartitioner::operator()(const Shape& shape, DType /*dtype*/,
                                                        int axis) const {
  return along(shape, axis, std::min(num_shards_, rows_of(shape, axis)));
}

MinSizePartitioner::MinSizePartitioner(const MinSizeOptions& options) : options_(options) {
  checked(options.min_shard_bytes, "min_shard_bytes");
  checked(options.max_shards, "max_shards");
}

std::vector<int64_t> MinSizePartitioner::operator()(const Shape& shape, DType dtype,
                                                    int axis) const {
  const int64_t parts = ceil_div(TensorSpec{dtype, shape}.num_bytes(), options_.min_shard_bytes);
  return along(shape, axis, std::min({rows_of(shape, axis), options_.max_shards, parts}));
}

MaxSizePartitioner::MaxSizePartitioner(const MaxSizeOptions& options) : options_(options) {
  checked(options.max_shard_bytes, "max_shard_bytes");
  if (options.max_shards) checked(*options.max_shards, "max_shards");
}

std::vector<int64_t> MaxSizePartitioner::operator()(const Shape& shape, DType dtype,
                                                    int axis) const {
  const int64_t rows = rows_of(shape, axis);
  const int64_t row_bytes = rows == 0 ? 0 : TensorSpec{dtype, shape}.num_bytes() / rows;
  if (row_bytes == 0) return along(shape, axis, 1);
  const int64_t parts = ceil_div(rows, std::max<int64_t>(options_.max_shard_bytes / row_bytes, 1));
  return along(shape, axis, std::min(parts, options_.max_shards.value_or(parts)));
}

}  // namespace antler::cluster
