#include <string>

#include <gtest/gtest.h>

#include "compiler/plan_checks.h"
#include "compiler/random_program.h"

// Whole plans against the reference executor, on graphs made by chance.
namespace antler::compiler {
namespace {

void check_seed(uint64_t seed, const CompileOptions& options) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomProgram program(seed);
  check_plan([&](const Tensors& in) { return program(in); }, program.inputs(), options, 1e-3);
}

constexpr uint64_t kPrograms = 150;

TEST(RandomGraph, FusedPlansGiveWhatTheReferenceGives) {
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    check_seed(seed, {});
    if (HasFailure()) return;
  }
}

TEST(RandomGraph, UnfusedPlansGiveWhatTheReferenceGives) {
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    check_seed(seed, {.fuse = false});
    if (HasFailure()) return;
  }
}

TEST(RandomGraph, PlansWithoutOptimisationsGiveWhatTheReferenceGives) {
  const CompileOptions options = {.disabled_passes = {"simplify", "cse", "canonical_dots",
                                                      "expand_to_loops", "split_reductions"}};
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    check_seed(seed, options);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace antler::compiler
