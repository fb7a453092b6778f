#include <algorithm>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "ops/support.h"

namespace antler::ops {

Tensor identity(int64_t n, DTypeArg dtype) { return eye(n, {}, 0, dtype); }

Tensor tri(int64_t rows, std::optional<int64_t> columns, int64_t k, DTypeArg dtype) {
  return tril(ones({rows, columns.value_or(rows)}, dtype), k);
}

Tensor diag(const Tensor& x, int64_t k) {
  const Shape& shape = known_shape("diag", x);
  if (shape.rank() == 2) return diagonal(x, k);
  if (shape.rank() != 1) {
    throw ValueError("ops::diag: expected a vector or a matrix. Received: x.shape={}.", shape);
  }
  const int64_t n = shape[0];
  const int64_t size = n + std::abs(k);
  if (n == 0) return zeros({size, size}, x.dtype());
  // In the flattened matrix, elements of the diagonal are size + 1 apart.
  const int64_t first = k >= 0 ? k : -k * size;
  const int64_t used = first + (n - 1) * (size + 1) + 1;
  const Tensor row = pad(x, {first}, {size * size - used}, {size});
  return reshape(row, {size, size});
}

Tensor diagflat(const Tensor& x, int64_t k) { return diag(ravel(x), k); }

Tensor diagonal(const Tensor& x, int64_t offset, int64_t axis1, int64_t axis2) {
  const Shape& shape = known_shape("diagonal", x);
  const int rank = shape.rank();
  if (rank < 2) {
    throw ValueError("ops::diagonal: expected at least two dimensions. Received: x.shape={}.",
                     shape);
  }
  const int rows_axis = normalize_axis_of("diagonal", axis1, rank);
  const int columns_axis = normalize_axis_of("diagonal", axis2, rank);
  if (rows_axis == columns_axis) {
    throw ValueError(
        "ops::diagonal: `axis1` and `axis2` must differ. Received: axis1={}, axis2={}.", axis1,
        axis2);
  }
  std::vector<int64_t> order;
  Shape flat;
  for (int d = 0; d < rank; ++d) {
    if (d == rows_axis || d == columns_axis) continue;
    order.push_back(d);
    flat.push_back(shape[d]);
  }
  order.push_back(rows_axis);
  order.push_back(columns_axis);
  const int64_t rows = shape[rows_axis];
  const int64_t columns = shape[columns_axis];
  flat.push_back(rows * columns);
  const int64_t count = std::max<int64_t>(
      0, offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns));
  const int64_t first = count == 0 ? 0 : (offset >= 0 ? offset : -offset * columns);
  const int64_t limit = count == 0 ? 0 : first + (count - 1) * (columns + 1) + 1;
  return slice_axis(reshape(transpose(x, order), flat), -1, first, limit, columns + 1);
}

Tensor trace(const Tensor& x, int64_t offset, int64_t axis1, int64_t axis2) {
  return sum(diagonal(x, offset, axis1, axis2), {-1});
}

Tensor vander(const Tensor& x, std::optional<int64_t> n, VanderOptions options) {
  const Shape& shape = known_shape("vander", x);
  if (shape.rank() != 1) {
    throw ValueError("ops::vander: expected a vector. Received: x.shape={}.", shape);
  }
  const int64_t count = n.value_or(shape[0]);
  if (count <= 0) return zeros({shape[0], 0}, x.dtype());
  std::vector<Tensor> powers = {ones_like(x)};
  while (static_cast<int64_t>(powers.size()) < count) powers.push_back(multiply(powers.back(), x));
  if (!options.increasing) std::reverse(powers.begin(), powers.end());
  return stack(powers, 1);
}

}  // namespace antler::ops
