#include "pjrt/lowering/families.h"

namespace antler::pjrt {

Rules window_rules() { return {}; }

}  // namespace antler::pjrt
