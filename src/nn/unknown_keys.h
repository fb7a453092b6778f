#pragma once

#include "antler/base/error.h"

namespace antler {

/// Unknown keys in a configuration: a TypeError, as for keyword arguments in Python.
/// layer_from_config() turns it into a ValueError, because Keras's layers check their keyword
/// arguments themselves.
class UnknownKeysError : public TypeError {
 public:
  using TypeError::TypeError;
};

}  // namespace antler
