#pragma once

#include <cstdint>
#include <optional>

#include "antler/core/dtype_arg.h"
#include "antler/core/named_only.h"

/// The axis and the dtype of functions by name.
namespace antler::ops {

/// The axis of a function by name.
struct AxisArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  int64_t axis = -1;
};

/// The dtype of a function by name.
struct DTypeArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::optional<DTypeArg> dtype = {};  ///< default: that of the argument
};

}  // namespace antler::ops
