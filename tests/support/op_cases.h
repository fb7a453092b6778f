#pragma once

#include "support/op_harness.h"

/// The cases of every op, by family; edge shapes (no elements, one, odd tails) included. Tests of
/// the op set check them on the reference loops, tests of the runtime on compiled code.
namespace antler::test {

OpCases elementwise_cases();
OpCases reduce_cases();
OpCases random_cases();
OpCases dot_cases();
OpCases movement_cases();
OpCases indexing_cases();
OpCases conv_cases();
OpCases window_cases();
OpCases control_cases();
OpCases nn_cases();
OpCases hash_cases();
/// Makes the process part of a group of two.
OpCases worker_cases();

/// All of the above.
OpCases all_op_cases();

}  // namespace antler::test
