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

/// Collects the modules that the device gets during this object's lifetime.
class Modules {
 public:
  Modules() {
    config::set_dump_sink(
        [this](const std::string&, const std::string&, const std::string& text) { text_ += text; });
  }
  ~Modules() { config::set_dump_sink({}); }
  Modules(const Modules&) = delete;
  Modules& operator=(const Modules&) = delete;
  bool contain(const std::string& text) const { return text_.find(text) != std::string::npos; }

 private:
  std::string text_;
};

/// The results of a case's op on the device; none, and the reason, if it has no lowering.
std::optional<Tensors> run_on_device(const OpCase& c, std::string& reason);

}  // namespace antler::test
