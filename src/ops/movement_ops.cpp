#include "ops/movement_ops.h"
#include "ops/families.h"

namespace antler::ops {

OpSpan movement_ops() {
  static constexpr const ir::OpDef* kOps[] = {
      &kIota,         &kBroadcast,          &kReshape, &kTranspose,   &kReverse, &kSlice,
      &kDynamicSlice, &kDynamicUpdateSlice, &kPad,     &kConcatenate,
  };
  return kOps;
}

OpSpan indexing_ops() {
  static constexpr const ir::OpDef* kOps[] = {&kGather, &kGatherNd, &kScatter, &kScatterNd};
  return kOps;
}

}  // namespace antler::ops
