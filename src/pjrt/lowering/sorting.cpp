#include "pjrt/lowering/families.h"

namespace antler::pjrt {

Rules sorting_rules() { return {}; }

}  // namespace antler::pjrt
