#include "io/tf_data_type.h"

#include <array>

namespace antler::io {
namespace {

/// In the order of DType.
constexpr std::array<int64_t, kNumDTypes> kNumbers = {
    1,   // float32
    2,   // float64
    14,  // bfloat16
    19,  // float16
    6,   // int8
    5,   // int16
    3,   // int32
    9,   // int64
    4,   // uint8
    17,  // uint16
    22,  // uint32
    23,  // uint64
    10,  // bool
};

}  // namespace

int64_t tf_data_type(DType dtype) { return kNumbers[static_cast<size_t>(dtype)]; }

std::optional<DType> dtype_of_tf(int64_t number) {
  for (size_t i = 0; i < kNumbers.size(); ++i) {
    if (kNumbers[i] == number) return static_cast<DType>(i);
  }
  return std::nullopt;
}

}  // namespace antler::io
