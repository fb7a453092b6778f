#include "antler/core/variable_shards.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <utility>

#include "antler/base/error.h"

namespace antler {
namespace {

size_t count_parts(const Sharding& sharding) {
  return std::accumulate(
      sharding.begin(), sharding.end(), size_t{1},
      [](size_t n, const ShardedDimension& d) { return n * static_cast<size_t>(d.parts); });
}

/// A part of an array.
struct Block {
  Shape shape;
  std::vector<int64_t> origin;  ///< index of its first element in the whole array
};

Block block_of_part(size_t index, const Shape& whole, const Sharding& sharding) {
  Block block{whole, std::vector<int64_t>(static_cast<size_t>(whole.rank()), 0)};
  auto rest = static_cast<int64_t>(index);
  for (size_t i = sharding.size(); i-- > 0;) {
    const auto& [dimension, parts, mesh_axis] = sharding[i];
    const PartRange range = part_range(whole[dimension], parts, rest % parts);
    block.origin[static_cast<size_t>(dimension)] = range.begin;
    block.shape[dimension] = range.end - range.begin;
    rest /= parts;
  }
  return block;
}

/// Calls f(offset in the whole array, offset in the part, count) for each run of elements of a part
/// that is contiguous in both.
template <class F>
void for_each_run(const Shape& whole, const Block& block, const F& f) {
  const auto& [part, origin] = block;
  const std::vector<int64_t> strides = whole.strides();
  // Inside the innermost divided dimension, both arrays have the same shape.
  size_t innermost = 0;
  for (size_t d = 0; d < strides.size(); ++d) {
    if (whole.dims()[d] != part.dims()[d]) innermost = d;
  }
  const int64_t run = part.dims()[innermost] * strides[innermost];
  const int64_t runs = run == 0 ? 0 : part.num_elements() / run;
  for (int64_t r = 0; r < runs; ++r) {
    int64_t at = origin[innermost] * strides[innermost];
    int64_t rest = r;
    for (size_t d = innermost; d-- > 0;) {
      at += (origin[d] + rest % part.dims()[d]) * strides[d];
      rest /= part.dims()[d];
    }
    f(at, r * run, run);
  }
}

/// The shape of the array that has these parts.
Shape whole_shape(const Tensors& parts, const Sharding& sharding) {
  Shape whole = parts[0].shape();
  size_t stride = 1;  // distance between parts that are neighbors in a dimension
  for (size_t k = sharding.size(); k-- > 0;) {
    const auto count = static_cast<size_t>(sharding[k].parts);
    whole[sharding[k].dimension] = 0;
    for (size_t i = 0; i < count; ++i)
      whole[sharding[k].dimension] += parts[i * stride].dim(sharding[k].dimension);
    stride *= count;
  }
  return whole;
}

}  // namespace

PartRange part_range(int64_t size, int64_t parts, int64_t part) {
  const int64_t base = size / parts;
  const int64_t longer = size % parts;
  const int64_t begin = part * base + std::min(part, longer);
  return {begin, begin + base + (part < longer ? 1 : 0)};
}

void check_sharding(const std::string& what, const Shape& shape, const Sharding& sharding) {
  for (const auto& [dimension, parts, mesh_axis] : sharding) {
    if (dimension < 0 || dimension >= shape.rank()) {
      throw ValueError("{} of shape {} has no dimension {} to divide along mesh axis \"{}\".", what,
                       shape, dimension, mesh_axis);
    }
    if (parts < 1 || shape[dimension] < parts) {
      throw ValueError("{} of shape {}: dimension {} cannot be divided into {} parts.", what, shape,
                       dimension, parts);
    }
    if (!mesh_axis.empty() && shape[dimension] % parts != 0) {
      throw ValueError(
          "{} of shape {}: dimension {} must be a multiple of {}, the size of mesh axis \"{}\", to "
          "be divided along it.",
          what, shape, dimension, parts, mesh_axis);
    }
  }
}

Tensors parts_of_value(const Tensor& value, const Sharding& sharding) {
  check_sharding("A value", value.shape(), sharding);
  const size_t size = dtype_size(value.dtype());
  const auto* from = static_cast<const std::byte*>(value.data());
  Tensors parts;
  for (size_t i = 0; i < count_parts(sharding); ++i) {
    const Block block = block_of_part(i, value.shape(), sharding);
    Tensor part = Tensor::empty(value.dtype(), block.shape);
    auto* to = static_cast<std::byte*>(part.mutable_data());
    for_each_run(value.shape(), block, [&](int64_t whole, int64_t own, int64_t count) {
      std::memcpy(to + static_cast<size_t>(own) * size, from + static_cast<size_t>(whole) * size,
                  static_cast<size_t>(count) * size);
    });
    parts.push_back(std::move(part));
  }
  return parts;
}

Tensor value_of_parts(const Tensors& parts, const Sharding& sharding) {
  const Shape whole = whole_shape(parts, sharding);
  Tensor value = Tensor::empty(parts[0].dtype(), whole);
  const size_t size = dtype_size(value.dtype());
  auto* to = static_cast<std::byte*>(value.mutable_data());
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto* from = static_cast<const std::byte*>(parts[i].data());
    for_each_run(
        whole, block_of_part(i, whole, sharding), [&](int64_t at, int64_t own, int64_t count) {
          std::memcpy(to + static_cast<size_t>(at) * size, from + static_cast<size_t>(own) * size,
                      static_cast<size_t>(count) * size);
        });
  }
  return value;
}

Sharding sharding_of(const Variable& variable) {
  return variable.shards() == nullptr ? Sharding() : variable.shards()->sharding;
}

}  // namespace antler
