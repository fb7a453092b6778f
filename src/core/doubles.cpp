#include "core/doubles.h"

#include <type_traits>

#include "antler/core/dispatch.h"

namespace antler {

void store_doubles(const Tensor& out, const std::vector<double>& values) {
  dispatch(out.dtype(), [&]<class T>() {
    T* p = out.mutable_data<T>();
    for (size_t i = 0; i < values.size(); ++i) {
      if constexpr (std::is_same_v<T, bool>) {
        p[i] = values[i] != 0;
      } else {
        p[i] = static_cast<T>(static_cast<ComputeType<T>>(values[i]));
      }
    }
  });
}

}  // namespace antler
