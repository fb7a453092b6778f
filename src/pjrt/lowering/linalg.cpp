#include "pjrt/lowering/families.h"

namespace antler::pjrt {

Rules linalg_rules() { return {}; }

}  // namespace antler::pjrt
