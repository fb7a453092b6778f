#include "ops/control_flow/body.h"
#include "ops/families.h"

namespace antler::ops {

OpSpan control_ops() {
  static constexpr const ir::OpDef* kOps[] = {&kCond,      &kWhile,     &kScan,
                                              &kAllReduce, &kAllGather, &kReduceScatter};
  return kOps;
}

}  // namespace antler::ops
