#include "pjrt/lowering/families.h"

namespace antler::pjrt {

Rules movement_rules() { return {}; }

}  // namespace antler::pjrt
