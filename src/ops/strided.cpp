#include "ops/strided.h"

#include <algorithm>

#include "antler/core/dispatch.h"

namespace antler::ops {

void read_strided(const Tensor& in, const Tensor& out, int64_t offset,
                  std::span<const int64_t> strides) {
  dispatch_size(dtype_size(in.dtype()), [&]<class U>() {
    const U* from = static_cast<const U*>(in.data());
    U* to = static_cast<U*>(out.mutable_data());
    const int64_t count = out.size();
    if (count == 0) return;
    if (std::all_of(strides.begin(), strides.end(), [](int64_t s) { return s == 0; })) {
      std::fill_n(to, count, from[offset]);
      return;
    }
    Shape rows = out.shape();
    const int64_t length = rows.dim(-1);
    const int64_t step = strides.back();
    rows[rows.rank() - 1] = 1;
    for_each_position(rows, offset, strides, [&](int64_t row, int64_t position) {
      U* const target = to + row * length;
      for (int64_t i = 0; i < length; ++i) target[i] = from[position + i * step];
    });
  });
}

void write_strided(const Tensor& in, const Tensor& out, int64_t offset,
                   std::span<const int64_t> strides) {
  dispatch_size(dtype_size(in.dtype()), [&]<class U>() {
    const U* from = static_cast<const U*>(in.data());
    U* to = static_cast<U*>(out.mutable_data());
    for_each_position(in.shape(), offset, strides,
                      [&](int64_t i, int64_t position) { to[position] = from[i]; });
  });
}

std::vector<int64_t> to_int64s(const Tensor& x) {
  std::vector<int64_t> result(static_cast<size_t>(x.size()));
  dispatch(x.dtype(), [&]<class T>() {
    const T* p = x.data<T>();
    for (size_t i = 0; i < result.size(); ++i) {
      result[i] = static_cast<int64_t>(p[i]);  // NOLINT(bugprone-signed-char-misuse): numbers
    }
  });
  return result;
}

}  // namespace antler::ops
