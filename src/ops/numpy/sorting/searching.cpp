#include <algorithm>
#include <limits>
#include <string>

#include "antler/base/error.h"
#include "antler/core/dispatch.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/ops/numpy/sorting.h"
#include "antler/ops/numpy/statistics.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

/// The default size of a result: the largest number + 1.
int64_t size_of_numbers(const char* function, const Tensor& numbers, const char* argument) {
  if (!numbers.is_value()) {
    throw ValueError(
        "ops::{}: `{}` is required inside of a traced function, where numbers have no values yet.",
        function, argument);
  }
  const std::vector<double> values = numbers.to_doubles();
  const double largest = values.empty() ? -1 : *std::max_element(values.begin(), values.end());
  return std::max<int64_t>(static_cast<int64_t>(largest) + 1, 0);
}

void require_integers(const char* function, const char* argument, const Tensor& x) {
  require_defined(function, x);
  if (is_integer(x.dtype()) || x.dtype() == DType::boolean) return;
  throw TypeError("ops::{}: `{}` must be integers. Received: {}.", function, argument,
                  dtype_name(x.dtype()));
}

/// Whether x is less than y. NaN is greater than every number, as in sort().
Tensor comes_before(const Tensor& x, const Tensor& y) {
  const Tensor is_less = less(x, y);
  if (!is_floating(x.dtype())) return is_less;
  return logical_or(is_less, logical_and(isnan(y), logical_not(isnan(x))));
}

/// Numbers in [0, count) as int32, and `count` in place of all others.
Tensor places_below(const Tensor& numbers, int64_t count) {
  // Compared before they are narrowed, which could move them into the range.
  const Tensor wide = numbers.dtype() == DType::uint64 ? numbers : cast(numbers, DType::int64);
  const Tensor inside = logical_and(greater_equal(wide, 0), less(wide, count));
  return where(inside, cast(wide, DType::int32), scalar(static_cast<double>(count), DType::int32));
}

}  // namespace

Tensor searchsorted(const Tensor& sorted, const Tensor& values, const std::string& side) {
  const Shape& shape = known_shape("searchsorted", sorted);
  if (shape.rank() != 1) {
    throw ValueError("ops::searchsorted: expected a vector. Received: sorted_sequence.shape={}.",
                     shape);
  }
  if (side != "left" && side != "right") {
    throw ValueError("ops::searchsorted: `side` must be 'left' or 'right'. Received: side={}.",
                     side);
  }
  require_defined("searchsorted", values);
  const DType dtype = result_dtype({sorted, values});
  const Tensor row = to_dtype(sorted, dtype);
  const Tensor wanted = to_dtype(values, dtype);
  const int64_t n = shape[0];
  int64_t step = 1;
  while (step * 2 <= n) step *= 2;
  // Binary search: skips as many elements as possible, by decreasing powers of two.
  Tensor place = filled(0, DType::int32, values.shape());
  for (; n > 0 && step > 0; step /= 2) {
    const Tensor next = add(place, step);
    const Tensor element = take(row, subtract(minimum(next, n), 1), 0);
    const Tensor before =
        side == "left" ? comes_before(element, wanted) : logical_not(comes_before(wanted, element));
    place = where(logical_and(less_equal(next, n), before), next, place);
  }
  return place;
}

Tensor digitize(const Tensor& x, const Tensor& bins) { return searchsorted(bins, x, "right"); }

Tensor bincount(const Tensor& x, const BincountOptions& o) {
  require_integers("bincount", "x", x);
  const Shape& shape = known_shape("bincount", x);
  if (shape.rank() != 1 && shape.rank() != 2) {
    throw ValueError("ops::bincount: expected integers [n] or [batch, n]. Received: x.shape={}.",
                     shape);
  }
  const int64_t length =
      o.size ? *o.size : std::max(size_of_numbers("bincount", x, "size"), o.minlength);
  const Tensor counts =
      o.weights.defined() ? to_dtype(o.weights, o.weights.dtype()) : filled(1, DType::int32, shape);
  const int64_t batch = shape.rank() == 2 ? shape[0] : 1;
  // Values out of range go to an extra element at the end.
  const Tensor place = places_below(x, length);
  const Shape rows{batch, shape.back()};
  const Tensor flat = add(reshape(place, rows), multiply(iota(rows, 0), length + 1));
  const Tensor sums = scatter(filled(0, counts.dtype(), {batch * (length + 1)}), ravel(flat),
                              ravel(counts), ScatterMode::add);
  const Tensor table = slice_axis(reshape(sums, {batch, length + 1}), 1, 0, length);
  return shape.rank() == 2 ? table : reshape(table, {length});
}

Histogram histogram(const Tensor& x, int64_t bins, std::optional<std::pair<double, double>> range) {
  if (bins < 1) {
    throw ValueError("ops::histogram: `bins` must be positive. Received: bins={}.", bins);
  }
  if (range && range->first > range->second) {
    throw ValueError("ops::histogram: `range` must be ascending. Received: range=({}, {}).",
                     range->first, range->second);
  }
  const Tensor row = ravel(to_float("histogram", x));
  Tensor low = range ? scalar(range->first, row.dtype()) : min(row);
  Tensor high = range ? scalar(range->second, row.dtype()) : max(row);
  // If all elements are equal, the range has width 1.
  const Tensor one = equal(low, high);
  low = where(one, subtract(low, 0.5), low);
  high = where(one, add(high, 0.5), high);
  const Tensor edges = linspace(low, high, bins + 1);
  const Tensor bin = subtract(searchsorted(edges, row, "right"), 1);
  const Tensor counted =
      where(equal(row, high), scalar(static_cast<double>(bins - 1), DType::int32),
            where(isnan(row), scalar(-1, DType::int32), bin));
  return {cast(bincount(counted, {.size = bins}), row.dtype()), edges};
}

Tensor isin(const Tensor& x, const Tensor& y, IsinOptions options) {
  require_defined("isin", x);
  const Tensor found = any(equal(expand_dims(x, -1), ravel(y)), {-1});
  return options.invert ? logical_not(found) : found;
}

namespace {

/// The order that sorts rows [n, width] lexicographically.
Tensor lexicographic_order(const Tensor& rows) {
  Tensor order;
  // The sort is stable, so it starts with the last column.
  for (int64_t column = rows.dim(1); column-- > 0;) {
    const Tensor keys = squeeze(slice_axis(rows, 1, column, column + 1), 1);
    order = order.defined() ? take(order, argsort(take(keys, order, 0)), 0) : argsort(keys);
  }
  return order;
}

/// unique() of rows [n, width]; the values are [k, width].
Unique unique_rows(const Tensor& rows, std::optional<int64_t> size,
                   std::optional<double> fill_value) {
  const int64_t n = rows.dim(0);
  const int64_t width = rows.dim(1);
  const Tensor order = lexicographic_order(rows);
  const Tensor sorted = take(rows, order, 0);
  const Tensor is_new =
      any(not_equal(slice_axis(sorted, 0, 1, n), slice_axis(sorted, 0, 0, n - 1)), {1});
  const Tensor rank = pad(cumsum(cast(is_new, DType::int32), 0), {1}, {0});
  const int64_t count = size.value_or(0) > 0 ? *size : size_of_numbers("unique", rank, "size");
  const Tensor filler =
      fill_value ? scalar(*fill_value, rows.dtype()) : slice_axis(sorted, 0, 0, 1);
  // An extra element takes everything beyond `size`.
  const Tensor place = minimum(rank, count);
  const auto first = [&](const Tensor& y) { return slice_axis(y, 0, 0, count); };
  const Tensor values =
      scatter(broadcast_to(filler, {count + 1, width}), place, sorted, ScatterMode::set);
  const Tensor indices = scatter(filled(static_cast<double>(n), DType::int32, {count + 1}), place,
                                 order, ScatterMode::min);
  const Tensor counts = scatter(filled(0, DType::int32, {count + 1}), place,
                                filled(1, DType::int32, {n}), ScatterMode::add);
  const Tensor inverse = scatter(filled(0, DType::int32, {n}), order, rank, ScatterMode::set);
  const Tensor found = first(indices);
  return {first(values), where(equal(found, n), slice_axis(order, 0, 0, 1), found), inverse,
          first(counts)};
}

}  // namespace

Unique unique(const Tensor& x, const UniqueOptions& o) {
  const Shape& shape = known_shape("unique", x);
  if (o.axis && shape.num_elements() > 0) {
    const int along = normalize_axis_of("unique", *o.axis, shape.rank());
    const Tensor front = moveaxis(x, along, 0);
    Unique found = unique_rows(reshape(front, {shape[along], -1}), o.size, o.fill_value);
    Shape values = front.shape();
    values[0] = found.values.dim(0);
    found.values = moveaxis(reshape(found.values, values), 0, along);
    return found;
  }
  if (shape.num_elements() == 0) {
    const Tensor none = filled(0, DType::int32, {0});
    return {ravel(x), none, reshape(none, shape), none};
  }
  Unique found = unique_rows(reshape(x, {-1, 1}), o.size, o.fill_value);
  found.values = ravel(found.values);
  found.inverse = reshape(found.inverse, shape);
  return found;
}

std::vector<Tensor> nonzero(const Tensor& x) {
  require_defined("nonzero", x);
  if (!x.is_value()) {
    throw ValueError(
        "ops::nonzero: the size of the result depends on values, which a traced function does not "
        "have yet.");
  }
  const std::vector<double> values = x.to_doubles();
  std::vector<std::vector<int32_t>> coordinates(static_cast<size_t>(std::max(x.rank(), 1)));
  const std::vector<int64_t> strides = x.shape().strides();
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    for (int d = 0; d < x.rank(); ++d) {
      const int64_t at = static_cast<int64_t>(i) / strides[static_cast<size_t>(d)] % x.shape()[d];
      coordinates[static_cast<size_t>(d)].push_back(static_cast<int32_t>(at));
    }
    if (x.rank() == 0) coordinates[0].push_back(0);
  }
  std::vector<Tensor> result;
  result.reserve(coordinates.size());
  for (const std::vector<int32_t>& c : coordinates) result.push_back(Tensor::of(c));
  return result;
}

Tensor in_top_k(const Tensor& targets, const Tensor& predictions, int64_t k) {
  require_integers("in_top_k", "targets", targets);
  require_defined("in_top_k", predictions);
  const Tensor own = take_along_axis(predictions, expand_dims(targets, -1), -1);
  // NaN is below every number.
  const Tensor above_nan = logical_and(isnan(own), logical_not(isnan(predictions)));
  const Tensor above = logical_or(greater(predictions, own), above_nan);
  const Tensor better = sum(cast(above, DType::int32), {-1});
  const Tensor among_k = less(better, k);
  const int64_t classes = predictions.dim(-1);
  if (classes == Shape::kUnknown) return among_k;
  // Numbers out of range are not classes; the gather above clamps them. Negative ones count from
  // the end.
  const Tensor number = cast(targets, DType::int64);
  return logical_and(among_k, logical_and(less(number, classes), greater_equal(number, -classes)));
}

namespace {

Tensor segment(const char* function, const Tensor& data, const Tensor& ids,
               std::optional<int64_t> segments, ScatterMode mode, const Tensor& identity) {
  require_integers(function, "segment_ids", ids);
  const Shape& shape = known_shape(function, data);
  if (ids.rank() != 1 || shape.rank() == 0 || ids.dim(0) != shape[0]) {
    throw ValueError(
        "ops::{}: `segment_ids` must be a vector with one number per row of `data`. Received: "
        "segment_ids.shape={}, data.shape={}.",
        function, ids.shape(), shape);
  }
  const int64_t count = segments ? *segments : size_of_numbers(function, ids, "segments");
  Shape result = shape;
  result[0] = count + 1;
  const Tensor start = expand_to(identity, result);
  return slice_axis(scatter(start, places_below(ids, count), data, mode), 0, 0, count);
}

/// The largest or smallest value of a dtype; a double cannot hold those of int64.
Tensor extreme(DType dtype, bool largest) {
  const Tensor value = Tensor::empty(dtype, {});
  dispatch(dtype, [&]<class T>() {
    using L = std::numeric_limits<T>;
    if constexpr (L::is_integer) {
      *value.mutable_data<T>() = largest ? L::max() : L::lowest();
    } else {
      const auto infinity = std::numeric_limits<ComputeType<T>>::infinity();
      *value.mutable_data<T>() = static_cast<T>(largest ? infinity : -infinity);
    }
  });
  return value;
}

}  // namespace

Tensor segment_sum(const Tensor& data, const Tensor& segment_ids, std::optional<int64_t> segments) {
  return segment("segment_sum", data, segment_ids, segments, ScatterMode::add,
                 scalar(0, data.dtype()));
}
Tensor segment_prod(const Tensor& data, const Tensor& segment_ids,
                    std::optional<int64_t> segments) {
  return segment("segment_prod", data, segment_ids, segments, ScatterMode::mul,
                 scalar(1, data.dtype()));
}
Tensor segment_max(const Tensor& data, const Tensor& segment_ids, std::optional<int64_t> segments) {
  return segment("segment_max", data, segment_ids, segments, ScatterMode::max,
                 extreme(data.dtype(), false));
}
Tensor segment_min(const Tensor& data, const Tensor& segment_ids, std::optional<int64_t> segments) {
  return segment("segment_min", data, segment_ids, segments, ScatterMode::min,
                 extreme(data.dtype(), true));
}

}  // namespace antler::ops
