#include "pjrt/lowering/families.h"

namespace antler::pjrt {

Rules convolution_rules() { return {}; }

}  // namespace antler::pjrt
