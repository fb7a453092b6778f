#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

#include "antler/ir/attrs.h"

namespace antler::test {

/// Random integers, the same in every run.
class RandomInts {
 public:
  explicit RandomInts(uint32_t seed) : engine_(seed) {}
  int64_t operator()(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine_() % static_cast<uint64_t>(high - low + 1));
  }
  ir::Ints many(size_t count, int64_t low, int64_t high) {
    ir::Ints result(count);
    for (int64_t& v : result) v = (*this)(low, high);
    return result;
  }

 private:
  std::mt19937 engine_;
};

}  // namespace antler::test
