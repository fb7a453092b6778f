#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/core/variable.h"

namespace antler::compiler {

struct RandomProgramOptions {
  /// Uses only ops whose results change little when their operands do, for comparisons between
  /// executors that round differently.
  bool smooth = false;
  /// Sizes of dimensions of the inputs are at most this.
  int64_t largest = 6;
};

/// A random program of float32 values, which also reads and assigns some variables. Equal seeds
/// give equal programs.
class RandomProgram {
 public:
  RandomProgram(uint64_t seed, const RandomProgramOptions& options = {});

  const Tensors& inputs() const { return inputs_; }
  const Variables& variables() const { return variables_; }
  /// The function to trace.
  Tensors operator()(const Tensors& inputs);

 private:
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  const Tensor& any(const Tensors& values);
  /// One more value.
  Tensor step(const Tensors& values);
  Tensor unary(const Tensor& x);
  Tensor binary(const Tensor& x, const Tensor& y);
  Tensor movement(const Tensor& x);
  Tensor reshape(const Tensor& x);
  Tensor reduction(const Tensor& x);
  Tensor other(const Tensor& x, const Tensors& values);
  /// A value of the shape of `x` made from `y`, by whatever is needed.
  Tensor fit(const Tensor& y, const Tensor& x);

  uint64_t seed_;
  RandomProgramOptions options_;
  std::mt19937_64 engine_;
  Tensors inputs_;
  Variables variables_;
};

}  // namespace antler::compiler
