#include "pjrt/lowering/families.h"

namespace antler::pjrt {

Rules collective_rules() { return {}; }

}  // namespace antler::pjrt
