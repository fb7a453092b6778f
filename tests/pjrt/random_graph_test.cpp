#include <gtest/gtest.h>

#include "antler/runtime/function.h"
#include "compiler/random_program.h"
#include "pjrt/plugin_device.h"
#include "support/op_harness.h"

// Graphs made by chance, on the device and on the CPU.
namespace antler::pjrt {
namespace {

using RandomGraphOnDevice = test::OnDevice;

struct Results {
  Tensors outputs;
  Tensors variables;
};

Results run(uint64_t seed, const std::string& device) {
  config::set_device(device);
  compiler::RandomProgram program(seed, {.smooth = true});
  const Function f = tf::function([&](const Tensors& inputs) { return program(inputs); });
  Results results;
  results.outputs = f(program.inputs()).flatten();
  for (const Variable& v : program.variables()) results.variables.push_back(v.value());
  return results;
}

void expect_close(const Tensors& actual, const Tensors& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    test::expect_close(actual[i], expected[i].to_doubles(), 1e-3);
}

TEST_F(RandomGraphOnDevice, GivesWhatTheCpuGives) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const Results expected = run(seed, "cpu");
    const Results actual = run(seed, "pjrt:cpu");
    expect_close(actual.outputs, expected.outputs);
    expect_close(actual.variables, expected.variables);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace antler::pjrt
