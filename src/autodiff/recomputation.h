#pragma once

#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "antler/autodiff/remat.h"
#include "antler/core/tensor.h"
#include "antler/ir/graph.h"

namespace antler {

/// The nodes that a trace got while a RematRegion lived.
struct RematRegion::Range {
  uint64_t trace = 0;  ///< id of the tracer
  ir::NodeId begin = 0;
  ir::NodeId end = -1;  ///< -1: the region still lives
  bool cancelled = false;
  std::shared_ptr<const Range> parent = nullptr;  ///< of the region around it
};
using RematRangePtr = std::shared_ptr<const RematRegion::Range>;

/// Emits the nodes of regions again for a gradient, with barriers in front that keep the compiler
/// from using the first values instead.
class Recomputation {
 public:
  /// That of the innermost region of this thread; null outside.
  static RematRangePtr current_range();

  /// A gradient will read `values`, which belong to an op in the range.
  void note(const RematRangePtr& range, const Tensors& values);
  /// `values` as computed again once `gradients` are there, in `again`; `values` themselves where
  /// nothing is computed again. Everything noted in the range is computed by the first call.
  const Tensors& values(const RematRangePtr& range, const Tensors& values, const Tensors& gradients,
                        Tensors& again);

 private:
  using Range = RematRegion::Range;
  struct Level {
    std::unordered_set<ir::ValueId> needed;
    bool emitted = false;
    std::unordered_map<ir::ValueId, Tensor> values;  // value of the range -> the same again
  };

  Level& emit_again(const Range& range, const Tensors& gradients);

  std::unordered_map<const Range*, Level> levels_;
};

}  // namespace antler
