#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/core/tensor.h"

/// Reference loops that move elements. They depend on the size of an element, not on its dtype.
namespace antler::ops {

/// Calls `f.template operator()<U>()` with the unsigned integer type of `bytes` bytes.
template <class F>
decltype(auto) dispatch_size(size_t bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f.template operator()<uint8_t>();
    case 2:
      return f.template operator()<uint16_t>();
    case 4:
      return f.template operator()<uint32_t>();
    case 8:
      return f.template operator()<uint64_t>();
    default:
      throw InternalError("unexpected element size of {} bytes", bytes);
  }
}

/// Calls f(i, position) for every index (j0, j1, ...) of `shape` in row-major order: i counts up
/// from 0, position = offset + j0 * strides[0] + j1 * strides[1] + ...
template <class F>
void for_each_position(const Shape& shape, int64_t offset, std::span<const int64_t> strides,
                       F&& f) {
  const int64_t count = shape.num_elements();
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()), 0);
  int64_t position = offset;
  for (int64_t i = 0; i < count; ++i) {
    f(i, position);
    for (size_t d = index.size(); d-- > 0;) {
      position += strides[d];
      if (++index[d] < shape.dims()[d]) break;
      position -= strides[d] * index[d];
      index[d] = 0;
    }
  }
}

/// Calls f(i, index) for every index of `shape` in row-major order.
template <class F>
void for_each_index(const Shape& shape, F&& f) {
  const int64_t count = shape.num_elements();
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()), 0);
  for (int64_t i = 0; i < count; ++i) {
    f(i, std::as_const(index));
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < shape.dims()[d]) break;
      index[d] = 0;
    }
  }
}

/// out[j] = in[offset + sum of j[d] * strides[d]] for every index j of `out`.
void read_strided(const Tensor& in, const Tensor& out, int64_t offset,
                  std::span<const int64_t> strides);
/// out[offset + sum of j[d] * strides[d]] = in[j] for every index j of `in`.
void write_strided(const Tensor& in, const Tensor& out, int64_t offset,
                   std::span<const int64_t> strides);

/// The elements of an integer tensor, converted to int64.
std::vector<int64_t> to_int64s(const Tensor& x);

}  // namespace antler::ops
