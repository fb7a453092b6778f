#pragma once

#include "support/op_harness.h"

namespace antler::test {

/// Decompositions and Fourier transforms; among dot_cases().
OpCases matrix_cases();

}  // namespace antler::test
