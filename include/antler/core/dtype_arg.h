#pragma once

#include <string>

#include "antler/core/dtype.h"

namespace antler {

/// Argument type for dtypes: `DType::int32` or Keras's name, "int32". An unknown name throws
/// ValueError.
class DTypeArg {
 public:
  constexpr DTypeArg(DType dtype) : dtype_(dtype) {}         // NOLINT(google-explicit-constructor)
  DTypeArg(const char* name) : dtype_(parse_dtype(name)) {}  // NOLINT(google-explicit-constructor)
  DTypeArg(const std::string& name)
      : dtype_(parse_dtype(name)) {}                   // NOLINT(google-explicit-constructor)
  constexpr operator DType() const { return dtype_; }  // NOLINT(google-explicit-constructor)

 private:
  DType dtype_;
};

}  // namespace antler
