#include "pjrt/lowering/families.h"

namespace antler::pjrt {

Rules product_rules() { return {}; }

}  // namespace antler::pjrt
