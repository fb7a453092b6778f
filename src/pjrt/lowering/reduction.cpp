#include "pjrt/lowering/families.h"

namespace antler::pjrt {

Rules reduction_rules() { return {}; }

}  // namespace antler::pjrt
