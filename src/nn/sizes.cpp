#include "antler/nn/sizes.h"

#include <string>

#include "antler/base/error.h"
#include "antler/core/shape.h"

namespace antler {

std::vector<int64_t> Sizes::expand(int rank, int64_t otherwise, const char* what,
                                   int64_t least) const {
  if (!given()) return std::vector<int64_t>(static_cast<size_t>(rank), otherwise);
  for (int64_t value : values_) {
    if (value < least) {
      throw ValueError("{} must be {} in every dimension. Received: {}", what,
                       least > 0 ? "positive" : "non-negative", Shape(values_));
    }
  }
  if (!is_list_) return std::vector<int64_t>(static_cast<size_t>(rank), values_[0]);
  if (static_cast<int>(values_.size()) != rank) {
    throw ValueError("{} must be one integer or {} integers. Received: {}", what, rank,
                     Shape(values_));
  }
  return values_;
}

}  // namespace antler
