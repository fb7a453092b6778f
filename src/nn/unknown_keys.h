#pragma once

#include "antler/base/error.h"

namespace antler {

/// Unknown keys in a configuration: a TypeError, as for keyword arguments in Python.
/// layer_from_config() turns it into ValueError, because Keras's layers check their keywords
/// themselves.
class UnknownKeysError : public TypeError {
 public:
  using TypeError::TypeError;
};

}  // namespace antler
