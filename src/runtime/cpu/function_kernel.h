#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "runtime/cpu/library_kernel.h"

namespace antler::runtime {

/// A kernel made of one function (buffers, scratch).
template <class F>
class FunctionKernel final : public LibraryKernel {
 public:
  FunctionKernel(const char* name, size_t scratch_bytes, F function)
      : name_(name), scratch_bytes_(scratch_bytes), function_(std::move(function)) {}
  void run(void* const* buffers) override { function_(buffers, scratch_); }
  size_t scratch_bytes() const override { return scratch_bytes_; }
  void set_scratch(void* memory) override { scratch_ = memory; }
  const char* name() const override { return name_; }

 private:
  const char* name_;
  size_t scratch_bytes_;
  F function_;
  void* scratch_ = nullptr;
};

template <class F>
std::unique_ptr<LibraryKernel> function_kernel(const char* name, size_t scratch_bytes, F function) {
  return std::make_unique<FunctionKernel<F>>(name, scratch_bytes, std::move(function));
}

}  // namespace antler::runtime
