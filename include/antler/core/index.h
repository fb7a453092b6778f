#pragma once

#include <concepts>
#include <cstdint>
#include <optional>

#include "antler/core/none.h"

namespace antler {

/// Part of an axis, Python's slice: elements start, start + step, ... before `stop`. Negative
/// numbers count from the end, and an omitted bound is the end of the axis. Bounds beyond the axis
/// are clipped, as in Python.
struct Slice {
  /// All of the axis, Python's `:`.
  Slice() = default;
  /// `:stop`.
  explicit Slice(int64_t last) : stop(last) {}
  /// `start:stop:step`; None omits a bound: `Slice(1, None)` is `1:`.
  Slice(std::optional<int64_t> first, std::optional<int64_t> last, int64_t by = 1)
      : start(first), stop(last), step(by) {}

  std::optional<int64_t> start = {};
  std::optional<int64_t> stop = {};
  int64_t step = 1;
};

/// In an index: a new axis of size 1, NumPy's newaxis. None is the same.
struct NewAxisType {};
inline constexpr NewAxisType NewAxis;  // NOLINT(readability-identifier-naming): as None
/// In an index: all remaining axes, Python's `...`.
struct EllipsisType {};
inline constexpr EllipsisType Ellipsis;  // NOLINT(readability-identifier-naming): Python's name

/// One entry of a Tensor's index: a number, which removes its axis (negative ones count from the
/// end), a Slice, NewAxis or Ellipsis.
class Index {
 public:
  enum class Kind : uint8_t { number, slice, new_axis, ellipsis };

  template <std::integral I>
  requires(!std::same_as<I, bool>) Index(I number)  // NOLINT(google-explicit-constructor)
      : kind_(Kind::number), number_(static_cast<int64_t>(number)) {}
  Index(Slice slice) : kind_(Kind::slice), slice_(slice) {}  // NOLINT(google-explicit-constructor)
  Index(NewAxisType) : kind_(Kind::new_axis) {}              // NOLINT(google-explicit-constructor)
  Index(NoneType) : kind_(Kind::new_axis) {}                 // NOLINT(google-explicit-constructor)
  Index(EllipsisType) : kind_(Kind::ellipsis) {}             // NOLINT(google-explicit-constructor)

  Kind kind() const { return kind_; }
  int64_t number() const { return number_; }
  const Slice& slice() const { return slice_; }

 private:
  Kind kind_;
  int64_t number_ = 0;
  Slice slice_ = {};
};

}  // namespace antler
