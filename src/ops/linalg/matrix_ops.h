#pragma once

#include "ops/families.h"

namespace antler::ops {

OpSpan matrix_ops();
OpSpan fourier_ops();

}  // namespace antler::ops
