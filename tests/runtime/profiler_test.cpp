#include "antler/runtime/profiler.h"

#include <cstdio>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/ops/ops.h"
#include "antler/runtime/function.h"

namespace antler {
namespace {

Tensor product(const Tensor& x, const Tensor& y) { return ops::matmul(x, y); }

/// Three runs of a product of 40 x 50 x 60, large enough to be a library kernel, and a softmax.
Profile profile_of_three_runs() {
  const Tensor x = Tensor::full(DType::float32, {40, 50}, 1);
  const Tensor y = Tensor::full(DType::float32, {50, 60}, 2);
  Function f([](const Nest& in) { return Nest(ops::exp(product(in[0].tensor(), in[1].tensor()))); },
             {.name = "three"});
  Profiler profiler;
  for (int i = 0; i < 3; ++i) f(Nest{x, y});
  return profiler.stop();
}

TEST(Profiler, CountsRunsBytesAndOperationsOfEachKernel) {
  const Profile profile = profile_of_three_runs();
  ASSERT_FALSE(profile.kernels.empty());
  int64_t flops = 0;
  double seconds = 0;
  for (const KernelProfile& kernel : profile.kernels) {
    EXPECT_EQ(kernel.program, "three");
    EXPECT_EQ(kernel.runs, 3);
    EXPECT_GT(kernel.bytes, 0);
    flops += kernel.flops;
    seconds += kernel.seconds;
  }
  EXPECT_EQ(flops, 2 * 40 * 50 * 60);
  EXPECT_DOUBLE_EQ(seconds, profile.kernel_seconds());
  EXPECT_LE(seconds, profile.wall);
  EXPECT_EQ(profile.events.size(), 3 * profile.kernels.size());
  for (size_t i = 1; i < profile.kernels.size(); ++i) {
    EXPECT_GE(profile.kernels[i - 1].seconds, profile.kernels[i].seconds);
  }
}

TEST(Profiler, TableNamesTheKernelsAndWhatIsOutside) {
  const Profile profile = profile_of_three_runs();
  const std::string table = profile.table({.flops = 1e12, .bytes = 1e11});
  EXPECT_NE(table.find("dot_general 40x50 50x60"), std::string::npos) << table;
  EXPECT_NE(table.find("outside of kernels"), std::string::npos) << table;
}

TEST(Profiler, TraceIsJsonWithAnEventPerRun) {
  const Profile profile = profile_of_three_runs();
  const std::string path = (std::filesystem::temp_directory_path() / "antler_trace.json").string();
  profile.write_trace(path);
  const auto trace = nlohmann::json::parse(read_file(path));
  std::filesystem::remove(path);
  ASSERT_EQ(trace["traceEvents"].size(), profile.events.size());
  for (const auto& event : trace["traceEvents"]) {
    EXPECT_EQ(event["ph"], "X");
    EXPECT_GE(event["dur"].get<double>(), 0);
  }
}

TEST(Profiler, OneAtATime) {
  Profiler first;
  EXPECT_THROW(Profiler(), RuntimeError);
  first.stop();
  EXPECT_THROW(first.stop(), RuntimeError);
  Profiler second;
  EXPECT_TRUE(second.stop().kernels.empty());
}

}  // namespace
}  // namespace antler
