#include "pjrt/lowering/families.h"

namespace antler::pjrt {

Rules control_rules() { return {}; }

}  // namespace antler::pjrt
