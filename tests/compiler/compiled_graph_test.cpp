#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "antler/ir/emit.h"
#include "antler/runtime/program.h"
#include "compiler/plan_checks.h"
#include "compiler/random_program.h"

// Runs random graphs as native code and compares the results with the reference executor.
// random_graph_test.cpp interprets plans instead; this also covers what the code generator relies
// on, and larger arrays.
namespace antler::compiler {
namespace {

Tensors states_of(const RandomProgram& program) {
  Tensors states;
  for (const Variable& v : program.variables()) states.push_back(v.stored());
  return states;
}

void check_seed(uint64_t seed, int64_t largest, bool fuse) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomProgram program(seed, {.smooth = true, .largest = largest});
  const ir::Graph graph = trace([&](const Tensors& in) { return program(in); }, program.inputs());
  const Tensors before = states_of(program);
  Tensors want = ir::interpret(graph, program.inputs(), ir::reference_executor());
  for (const Tensor& t : states_of(program)) want.push_back(t);
  for (size_t i = 0; i < before.size(); ++i) program.variables()[i].store(before[i]);

  Program compiled(graph, {.jit_compile = fuse});
  Tensors got = compiled.run(program.inputs());
  for (const Tensor& t : states_of(program)) got.push_back(t);
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    const std::vector<double> a = got[i].to_doubles();
    const std::vector<double> b = want[i].to_doubles();
    ASSERT_EQ(a.size(), b.size());
    for (size_t k = 0; k < a.size(); ++k) {
      if (a[k] == b[k] || (std::isnan(a[k]) && std::isnan(b[k]))) continue;
      // An infinite result must be equal: every number is within infinity of it.
      ASSERT_TRUE(std::isfinite(b[k]) &&
                  std::abs(a[k] - b[k]) <= 2e-3 * std::max(1.0, std::abs(b[k])))
          << "result " << i << ", element " << k << ": " << a[k] << " instead of " << b[k] << "\n"
          << ir::print(graph) << compiled.plan_text();
    }
  }
}

TEST(CompiledGraph, SmallArrays) {
  for (uint64_t seed = 1000; seed < 1030; ++seed) {
    check_seed(seed, 6, true);
    if (HasFailure()) return;
  }
}

TEST(CompiledGraph, LargeArrays) {
  for (uint64_t seed = 2000; seed < 2020; ++seed) {
    check_seed(seed, 60, true);
    if (HasFailure()) return;
  }
}

TEST(CompiledGraph, WithoutFusion) {
  for (uint64_t seed = 3000; seed < 3010; ++seed) {
    check_seed(seed, 12, false);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace antler::compiler
