#pragma once

#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "antler/autodiff/remat.h"
#include "antler/core/tensor.h"
#include "antler/ir/graph.h"

namespace antler {

/// The nodes that a trace recorded during the lifetime of a RematRegion.
struct RematRegion::Range {
  uint64_t trace = 0;  ///< id of the tracer
  ir::NodeId begin = 0;
  ir::NodeId end = -1;  ///< -1 while the region is alive
  bool cancelled = false;
  std::shared_ptr<const Range> parent = nullptr;  ///< the range of the enclosing region
};
using RematRangePtr = std::shared_ptr<const RematRegion::Range>;

/// Emits the nodes of regions a second time for a gradient. Barriers in front of them keep the
/// compiler from reusing the first values.
class Recomputation {
 public:
  /// The range of the innermost region of this thread; null outside of regions.
  static RematRangePtr current_range();

  /// Announces that a gradient will read `values`, the values of an op in the range.
  void note(const RematRangePtr& range, const Tensors& values);
  /// Recomputes `values` into `again`, after `gradients` are available, and returns `again`;
  /// returns `values` if nothing is recomputed. The first call recomputes everything that was noted
  /// in the range.
  const Tensors& values(const RematRangePtr& range, const Tensors& values, const Tensors& gradients,
                        Tensors& again);

 private:
  using Range = RematRegion::Range;
  struct Level {
    std::unordered_set<ir::ValueId> needed;
    bool emitted = false;
    std::unordered_map<ir::ValueId, Tensor> values;  // value of the range -> the recomputed value
  };

  Level& emit_again(const Range& range, const Tensors& gradients);

  std::unordered_map<const Range*, Level> levels_;
};

}  // namespace antler
