#include "pjrt/lowering/families.h"

namespace antler::pjrt {

Rules indexing_rules() { return {}; }

}  // namespace antler::pjrt
