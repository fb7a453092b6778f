#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "antler/core/shape.h"

namespace antler::ops {

/// The scope of a trace that only infers shapes: known numbers stand in for unknown sizes. Such a
/// trace cannot tell whether a reshape keeps the number of elements, so a misfit is accepted and
/// noted. A misfit that occurs in traces with different stand-ins is an error for all sizes.
class StandInSizes {
 public:
  /// `size` stands in for the unknown sizes.
  explicit StandInSizes(int64_t size);
  ~StandInSizes();
  StandInSizes(const StandInSizes&) = delete;
  StandInSizes& operator=(const StandInSizes&) = delete;

  /// The scope of the current trace of this thread; null if there is none.
  static StandInSizes* current();

  /// Accepts `count` elements that do not fit into `target`: each -1 becomes the stand-in.
  Shape accept(int64_t count, Shape target);

  /// The ratio of the number of elements to that of the target, where -1 counts as 1. A fraction in
  /// lowest terms, so that sizes that occur in both cancel.
  using Misfits = std::set<std::pair<int64_t, int64_t>>;
  const Misfits& misfits() const { return misfits_; }

 private:
  int64_t size_;
  Misfits misfits_;
  StandInSizes* previous_;
};

}  // namespace antler::ops
