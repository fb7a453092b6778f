#pragma once

#include <span>

namespace antler::runtime::jit {

/// A function that generated code calls by name, for lack of one in the C library.
struct ScalarFunction {
  const char* name;
  void* address;
};

std::span<const ScalarFunction> scalar_functions();

}  // namespace antler::runtime::jit
