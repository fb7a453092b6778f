#include "antler/training/fit_options.h"

#include <algorithm>

#include "antler/base/error.h"

namespace antler {

bool ValidationFrequency::includes(int64_t epoch) const {
  if (every_) return (epoch + 1) % *every_ == 0;
  return std::find(epochs_.begin(), epochs_.end(), epoch + 1) != epochs_.end();
}

void ValidationFrequency::check() const {
  if (every_ && *every_ <= 0) {
    throw ValueError("`validation_freq` must be positive. Received: {}.", *every_);
  }
}

}  // namespace antler
