#include "antler/runtime/info.h"

#include <gtest/gtest.h>

namespace antler {
namespace {

TEST(SystemInfo, TellsWhatEveryMachineHas) {
  const SystemInfo info = system_info();
  EXPECT_FALSE(info.architecture.empty());
  EXPECT_GE(info.cores, 1);
  EXPECT_GT(info.memory_bytes, 0);
  EXPECT_EQ(info.product_kernel.rfind("gemm", 0), 0U) << info.product_kernel;
  ASSERT_FALSE(info.versions.empty());
  for (const auto& [name, version] : info.versions) EXPECT_FALSE(version.empty()) << name;
}

TEST(SystemInfo, TextHasALineForEachFact) {
  SystemInfo info;
  info.cpu = "a model";
  info.features = {"one", "two"};
  info.l2_bytes = 512 << 10;
  const std::string text = to_string(info);
  EXPECT_NE(text.find("cpu: a model\n"), std::string::npos);
  EXPECT_NE(text.find("features: one two\n"), std::string::npos);
  EXPECT_NE(text.find("L2 cache: 512 KiB\n"), std::string::npos);
  EXPECT_NE(text.find("architecture: unknown\n"), std::string::npos);
}

}  // namespace
}  // namespace antler
