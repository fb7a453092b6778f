#include <algorithm>
#include <optional>
#include <vector>

#include "antler/base/error.h"
#include "antler/core/nest.h"
#include "antler/core/variable.h"
#include "antler/core/variable_origin.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "base/ceil_div.h"
#include "ops/support.h"

namespace antler {
namespace ops {
namespace {

/// The elements start, start + step, ... before stop (or above it, for a negative step). All are
/// within the axis.
struct Range {
  int64_t start = 0;
  int64_t stop = 0;
  int64_t step = 1;
  int64_t count() const {
    const int64_t distance = step > 0 ? stop - start : start - stop;
    const int64_t stride = step > 0 ? step : -step;
    return distance <= 0 ? 0 : ceil_div(distance, stride);
  }
};

/// Python's slice.indices(size).
Range range_of(const Slice& slice, int64_t size) {
  if (slice.step == 0) throw ValueError("ops::get_item: the step of a slice must not be 0.");
  const int64_t low = slice.step > 0 ? 0 : -1;
  const int64_t high = slice.step > 0 ? size : size - 1;
  const auto limit = [&](std::optional<int64_t> at, int64_t otherwise) {
    if (!at) return otherwise;
    return std::clamp(*at < 0 ? *at + size : *at, low, high);
  };
  const bool up = slice.step > 0;
  // A step longer than the axis selects the same element, but sums with it could overflow.
  const int64_t longest = std::max<int64_t>(size, 1);
  return {limit(slice.start, up ? low : high), limit(slice.stop, up ? high : low),
          std::clamp(slice.step, -longest, longest)};
}

bool is_whole(const Slice& slice) {
  return slice.step == 1 && slice.start.value_or(0) == 0 && !slice.stop;
}

Tensor sliced(const Tensor& x, const Slice& slice, int axis) {
  if (is_whole(slice)) return x;
  if (x.shape()[axis] < 0) {
    throw ValueError(
        "ops::get_item: cannot slice an axis of unknown size. Received: x.shape={}, axis={}",
        x.shape(), axis);
  }
  const Range range = range_of(slice, x.shape()[axis]);
  const int64_t count = range.count();
  // The op `slice` needs the sizes of all axes, which may be unknown in a placeholder.
  if (!x.shape().is_known())
    return take(x, arange(range.start, range.start + count * range.step, range.step), axis);
  if (count == 0) return slice_axis(x, axis, 0, 0);
  const int64_t last = range.start + (count - 1) * range.step;
  if (range.step > 0) return slice_axis(x, axis, range.start, last + 1, range.step);
  return slice_axis(reverse(slice_axis(x, axis, last, range.start + 1), {axis}), axis, 0,
                    range.start + 1 - last, -range.step);
}

Tensor element(const Tensor& x, int64_t index, int axis) {
  const int64_t size = x.shape()[axis];
  if (size >= 0 && (index < -size || index >= size)) {
    throw IndexError("ops::get_item: index {} is out of range for axis {}. Received: x.shape={}",
                     index, axis, x.shape());
  }
  if (!x.shape().is_known()) return take(x, Tensor(index), axis);
  const int64_t at = index < 0 ? index + size : index;
  return squeeze(slice_axis(x, axis, at, at + 1), axis);
}

}  // namespace

Tensor get_item(const Tensor& x, const std::vector<Index>& indices) {
  require_defined("get_item", x);
  const auto count = [&](Index::Kind kind) {
    return static_cast<int>(std::count_if(indices.begin(), indices.end(),
                                          [&](const Index& i) { return i.kind() == kind; }));
  };
  const int named = count(Index::Kind::number) + count(Index::Kind::slice);
  if (named > x.rank()) {
    throw ValueError("ops::get_item: too many indices: {}. Received: x.shape={}", named, x.shape());
  }
  if (count(Index::Kind::ellipsis) > 1)
    throw ValueError("ops::get_item: an index can only have one ellipsis.");
  Tensor result = x;
  int axis = 0;
  for (const Index& index : indices) {
    switch (index.kind()) {
      case Index::Kind::number:
        result = element(result, index.number(), axis);
        break;
      case Index::Kind::slice:
        result = sliced(result, index.slice(), axis++);
        break;
      case Index::Kind::new_axis:
        result = expand_dims(result, axis++);
        break;
      case Index::Kind::ellipsis:
        axis += x.rank() - named;
        break;
    }
  }
  return result;
}

}  // namespace ops

// Members that are declared in core/ but need ops.
Tensor Tensor::operator[](const Index& index) const { return ops::get_item(*this, {index}); }
Tensor Tensor::operator[](std::initializer_list<Index> indices) const {
  return ops::get_item(*this, indices);
}
Nest Nest::part(int64_t index) const {
  if (is_tensor() && !is_none()) return tensor()[index];
  const auto count = std::ssize(items());
  const int64_t place = index < 0 ? index + count : index;
  if (place < 0 || place >= count)
    throw IndexError("Index {} is out of range for the structure {}.", index, structure());
  return at(static_cast<size_t>(place));
}
Tensor Tensor::select(const Tensor& rows) const {
  if (rows.dtype() != DType::boolean) return ops::take(*this, rows, 0);
  const int axes = rows.rank();
  bool fits = axes >= 1 && axes <= rank();
  for (int d = 0; fits && d < axes; ++d) fits = rows.shape()[d] == shape()[d];
  if (!fits) {
    throw IndexError("A mask must have the shape of the array's first axes. Received: {} for {}",
                     rows.shape(), shape());
  }
  if (!rows.is_value()) {
    throw ValueError(
        "A boolean index must have values, because they determine the shape of the result. In a "
        "traced function, use ops::where() or weights of 0 and 1.");
  }
  std::vector<int64_t> numbers;
  const std::vector<double> mask = rows.to_doubles();
  for (size_t i = 0; i < mask.size(); ++i)
    if (mask[i] != 0) numbers.push_back(static_cast<int64_t>(i));
  // The axes of the mask become one.
  Shape joined{rows.size()};
  for (int d = axes; d < rank(); ++d) joined.push_back(shape()[d]);
  return ops::take(reshape(joined), Tensor::of(numbers), 0);
}
Tensor Tensor::reshape(const Shape& shape) const { return ops::reshape(*this, shape); }
Tensor Tensor::astype(DTypeArg dtype) const { return ops::cast(*this, dtype); }
namespace {

void add_to(const Variable& variable, const Tensor& change) {
  const VariableOrigin origin = variable_origin(variable);
  const Tensor joint = origin == nullptr ? Tensor() : origin->joint_change(variable, change);
  const Tensor& given = joint.defined() ? joint : change;
  std::optional<JointUpdate> together;
  if (joint.defined()) together.emplace();
  variable.assign(ops::cast(ops::add(variable.value(), given), variable.dtype()));
}

}  // namespace

void Variable::assign_add(const Tensor& value) const { add_to(*this, value); }
void Variable::assign_sub(const Tensor& value) const { add_to(*this, ops::negative(value)); }

}  // namespace antler
