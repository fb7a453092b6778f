#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "antler/core/shape.h"

namespace antler::ops {

/// The scope of a trace that only finds shapes: numbers stand for sizes that are not known. Whether
/// a reshape keeps the number of elements cannot be decided then, so one that does not fit is
/// accepted and noted. What traces with different stand-ins both note is wrong whatever the sizes.
class StandInSizes {
 public:
  /// `size` stands for what is not known.
  explicit StandInSizes(int64_t size);
  ~StandInSizes();
  StandInSizes(const StandInSizes&) = delete;
  StandInSizes& operator=(const StandInSizes&) = delete;

  /// The scope of what this thread traces now; null for none.
  static StandInSizes* current();

  /// `target` for `count` elements that do not fit into it: -1 becomes the stand-in.
  Shape accept(int64_t count, Shape target);

  /// The number of elements over that of the target, -1 counting as 1: a fraction in lowest terms,
  /// so that sizes that occur in both do not count.
  using Misfits = std::set<std::pair<int64_t, int64_t>>;
  const Misfits& misfits() const { return misfits_; }

 private:
  int64_t size_;
  Misfits misfits_;
  StandInSizes* previous_;
};

}  // namespace antler::ops
