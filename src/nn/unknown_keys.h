#pragma once

#include "antler/base/error.h"

namespace antler {

/// A configuration has keys that its class does not know: TypeError, as a call in Python is.
/// Keras's layers look at their keywords themselves, and raise ValueError: layer_from_config().
class UnknownKeysError : public TypeError {
 public:
  using TypeError::TypeError;
};

}  // namespace antler
