#include "applications/convolutions.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace antler::applications {

EdgeSizes correct_pad(const Tensor& x, int64_t kernel_size) {
  const int64_t half = kernel_size / 2;
  const bool known = x.shape()[1] != Shape::kUnknown;
  const int64_t less_rows = known ? 1 - x.shape()[1] % 2 : 1;
  const int64_t less_columns = known ? 1 - x.shape()[2] % 2 : 1;
  return {{half - less_rows, half}, {half - less_columns, half}};
}

int64_t multiple_of_8(double filters) {
  constexpr int64_t kDivisor = 8;
  const int64_t rounded = static_cast<int64_t>(filters + 4) / kDivisor * kDivisor;
  const int64_t result = std::max(kDivisor, rounded);
  return static_cast<double>(result) < 0.9 * filters ? result + kDivisor : result;
}

std::string python_float(double value) { return nlohmann::json(value).dump(); }

}  // namespace antler::applications
