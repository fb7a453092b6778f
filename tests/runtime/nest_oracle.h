#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/core/tensor.h"
#include "compiler/loop_nest.h"

namespace antler::test {

/// Builds a LoopNest in few lines. The current phase is the last one added.
class NestBuilder {
 public:
  explicit NestBuilder(std::vector<int64_t> parallel) { nest_.extents = std::move(parallel); }

  int input(DType dtype) { return buffer(dtype, false); }
  int output(DType dtype) { return buffer(dtype, true); }
  NestBuilder& phase(std::vector<int64_t> extents = {});
  int load(int buffer, std::vector<int64_t> parallel, std::vector<int64_t> reduction = {},
           int64_t offset = 0);
  int index(DType dtype, std::vector<int64_t> parallel, std::vector<int64_t> reduction = {},
            int64_t offset = 0);
  int number(double value, DType dtype = DType::float32);
  /// `dtype` of the result; that of the last argument unless given.
  int op(const char* name, std::vector<int> args);
  int op(const char* name, std::vector<int> args, DType dtype);
  int row(int phase, int index, DType dtype = DType::float32);
  void store(int buffer, int value, std::vector<int64_t> parallel,
             std::vector<int64_t> reduction = {}, int64_t offset = 0);
  int fold(compiler::Fold fold, int value);
  const compiler::LoopNest& nest() const { return nest_; }

 private:
  int buffer(DType dtype, bool written);
  int add(compiler::Expr expr);
  compiler::LoopNest nest_;
};

/// Runs a nest one point at a time with the reference loops of the ops, folding floats in double.
/// Buffers are flat tensors and are changed in place.
void interpret(const compiler::LoopNest& nest, const std::vector<Tensor>& buffers);

/// A flat tensor of `size` random elements: numbers in [low, high), or booleans.
Tensor random_tensor(DType dtype, int64_t size, uint64_t seed, double low = -4, double high = 4);
Tensor copy(const Tensor& t);
std::vector<void*> addresses(const std::vector<Tensor>& buffers);
/// Expects |actual - expected| <= tolerance * max(1, |expected|) for every element.
void expect_close(const Tensor& actual, const Tensor& expected, double tolerance,
                  const std::string& what);

}  // namespace antler::test
