#include "support/op_cases.h"

namespace antler::test {

OpCases all_op_cases() {
  OpCases all;
  for (const auto family :
       {elementwise_cases, reduce_cases, random_cases, dot_cases, movement_cases, indexing_cases,
        conv_cases, window_cases, control_cases, nn_cases, hash_cases, worker_cases}) {
    const OpCases cases = family();
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

}  // namespace antler::test
