#include "pjrt/lowering/families.h"

namespace antler::pjrt {

Rules elementwise_rules() { return {}; }

}  // namespace antler::pjrt
