#include "ops/families.h"
#include "ops/nn/nn_ops.h"

namespace antler::ops {

OpSpan nn_ops() {
  static constexpr const ir::OpDef* kOps[] = {&kSoftplus, &kSoftmax, &kLogSoftmax};
  return kOps;
}

}  // namespace antler::ops
