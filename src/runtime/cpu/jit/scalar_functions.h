#pragma once

#include <span>

namespace antler::runtime::jit {

/// A function that generated code calls by name because the C library has none.
struct ScalarFunction {
  const char* name;
  void* address;
};

std::span<const ScalarFunction> scalar_functions();

}  // namespace antler::runtime::jit
