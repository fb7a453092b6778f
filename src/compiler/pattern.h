#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/shape.h"
#include "antler/ir/attrs.h"

namespace antler::compiler {

/// Relates the elements of a space, in row-major order, to those of a smaller array. The space is
/// split into blocks of dimensions, outermost first. The array either has a block too (kept) or is
/// repeated along it (dropped).
///
///     space [64, 10], array [64] along rows:      {64 kept, 10 dropped}
///     space [64, 10], array [10]:                 {64 dropped, 10 kept}
///     the array is the space itself:              {640 kept}
///
/// Adjacent blocks of one kind are merged and blocks of size 1 are left out, so that equal
/// relations have equal patterns, whatever the shapes.
struct Pattern {
  struct Block {
    int64_t size = 1;
    bool kept = false;
    friend bool operator==(const Block&, const Block&) = default;
  };
  std::vector<Block> blocks;

  /// The array is the space.
  static Pattern whole(int64_t size);
  /// Dimensions of `shape` for which `kept` is true are those of the array.
  static Pattern of(const Shape& shape, const std::vector<bool>& kept);
  /// The result of a reduction, in the space of its operand.
  static Pattern of_reduction(const Shape& operand, const ir::Ints& axes);
  /// The operand of a broadcast, in the space of its result.
  static Pattern of_broadcast(const Shape& result, const Shape& operand, const ir::Ints& dims);

  int64_t total() const;  ///< elements of the space
  int64_t kept() const;   ///< elements of the array
  bool is_whole() const;  ///< nothing is dropped
  /// The elements of the space that share an element of the array are not adjacent, as in a sum of
  /// a matrix over its rows.
  bool is_column() const { return !blocks.empty() && blocks.back().kept && !is_whole(); }
  std::vector<int64_t> kept_sizes() const;

  void append(int64_t size, bool is_kept);
  friend bool operator==(const Pattern&, const Pattern&) = default;
};

/// Composes two patterns: `outer` relates a space to an intermediate array, and `inner` relates
/// that array to a target array. Returns the pattern of the space and the target, or nullopt if the
/// blocks do not align.
std::optional<Pattern> compose(const Pattern& outer, const Pattern& inner);

/// The coarsest list of sizes from which multiplying neighbours gives either list; nullopt if there
/// is no such list.
std::optional<std::vector<int64_t>> refine(const std::vector<int64_t>& a,
                                           const std::vector<int64_t>& b);

}  // namespace antler::compiler
