#pragma once

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "antler/runtime/config.h"
#include "support/op_harness.h"

namespace antler::test {

/// A fixture of tests that need the CPU plug-in, which the environment variable ANTLER_PJRT_CPU
/// names; they are skipped without it. Functions run on the device while a test runs.
class OnDevice : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override { config::set_device("cpu"); }
};

/// The results of a case's op on the device; none, and the reason, if it has no lowering.
std::optional<Tensors> run_on_device(const OpCase& c, std::string& reason);

}  // namespace antler::test
