#include "estimator/format_value.h"

#include <charconv>
#include <cmath>

#include "antler/core/dispatch.h"
#include "core/print_tensor.h"

namespace antler::estimator {
namespace {

/// The fewest digits that identify `x`, without an exponent from 1e-4 to below 1e16, as NumPy
/// prints scalars.
template <class T>
std::string scalar_string(T x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  const double size = std::abs(static_cast<double>(x));
  const bool positional = x == 0 || (size >= 1e-4 && size < 1e16);
  char text[64];
  const std::to_chars_result end =
      std::to_chars(text, text + sizeof text, x,
                    positional ? std::chars_format::fixed : std::chars_format::scientific);
  std::string word(text, end.ptr);
  if (positional && word.find('.') == std::string::npos) word += ".0";
  return word;
}

}  // namespace

std::string value_string(const Tensor& value) {
  if (value.rank() == 0 && is_floating(value.dtype())) {
    return value.dtype() == DType::float64 ? scalar_string(value.item())
                                           : scalar_string(static_cast<float>(value.item()));
  }
  return array_string(value);
}

}  // namespace antler::estimator
