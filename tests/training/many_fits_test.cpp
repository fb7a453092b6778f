#include <unistd.h>

#include <fstream>

#include <gtest/gtest.h>

#include "antler/antler.h"

namespace antler {
namespace {

/// Pages that this process holds in memory, in MiB.
double resident_mib() {
  std::ifstream file("/proc/self/statm");
  int64_t size = 0;
  int64_t resident = 0;
  file >> size >> resident;
  return static_cast<double>(resident * sysconf(_SC_PAGESIZE)) / (1 << 20);
}

TEST(ManyFits, AThousandInOneProcessDoNotGrowMemory) {
#ifdef ANTLER_SANITIZED
  GTEST_SKIP() << "a sanitizer keeps freed memory";
#endif
  const Tensor x = Tensor::full(DType::float32, {40, 3}, 1);
  const Tensor y = Tensor::zeros(DType::float32, {40, 1});
  Sequential model({Input({3}), Dense(4, {.activation = "relu"}), Dense(1)});
  model.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}, .steps_per_execution = 2});
  const auto fit = [&](int times) {
    for (int i = 0; i < times; ++i) {
      model.fit(x, y, {.batch_size = 16, .verbose = 0, .validation_data = {x, y}});
    }
  };
  fit(100);
  const double before = resident_mib();
  fit(1000);
  EXPECT_LT(resident_mib() - before, 3.0);  // a huge page has 2
}

TEST(ManyFits, ModelsThatAreGoneLeaveNothingBehind) {
#ifdef ANTLER_SANITIZED
  GTEST_SKIP() << "a sanitizer keeps freed memory";
#endif
  const Tensor x = Tensor::full(DType::float32, {8, 3}, 1);
  const Tensor y = Tensor::zeros(DType::float32, {8, 1});
  const auto make = [&](int times) {
    for (int i = 0; i < times; ++i) {
      Sequential model({Input({3}), Dense(4), Dense(1)});
      model.compile({.optimizer = "sgd", .loss = "mse"});
      model.fit(x, y, {.verbose = 0});
    }
  };
  make(30);
  const double before = resident_mib();
  make(200);
  EXPECT_LT(resident_mib() - before, 8.0);
}

}  // namespace
}  // namespace antler
