#include "pjrt/lowering/families.h"

namespace antler::pjrt {

Rules random_rules() { return {}; }

}  // namespace antler::pjrt
