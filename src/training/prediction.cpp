#include "antler/training/prediction.h"

namespace antler {

Prediction Prediction::operator[](int64_t index) const {
  if (is_tensor()) return Nest(tensor()[index]);
  const auto count = static_cast<int64_t>(size());
  // A negative number beyond the first output becomes too large a size_t: Nest's IndexError.
  return Nest::operator[](static_cast<size_t>(index < 0 ? index + count : index));
}

}  // namespace antler
