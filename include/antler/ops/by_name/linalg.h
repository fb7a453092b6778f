#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "antler/core/named_only.h"
#include "antler/ops/fft.h"
#include "antler/ops/linalg.h"

/// Fourier transforms and linear algebra with arguments by name.
namespace antler::ops {

/// The length of a Fourier transform by name.
struct FftArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::optional<int64_t> fft_length = {};  ///< default: that of the last axis
};
inline Complex rfft(const Tensor& x, const FftArgument& by_name) {
  return rfft(x, by_name.fft_length);
}
inline Tensor irfft(const Complex& x, const FftArgument& by_name) {
  return irfft(x, by_name.fft_length);
}

/// The bound for small singular values by name.
struct RcondArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::optional<double> rcond = {};  ///< relative to the largest; default: by dtype and size
};
inline Tensor pinv(const Tensor& x, const RcondArgument& by_name) { return pinv(x, by_name.rcond); }
inline Tensor lstsq(const Tensor& a, const Tensor& b, const RcondArgument& by_name) {
  return lstsq(a, b, by_name.rcond);
}
/// The bound of matrix_rank() by name.
struct TolArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::optional<double> tol = {};  ///< smaller singular values count as 0; default: by dtype, size
};
template <class Arguments = TolArgument>
Tensor matrix_rank(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return matrix_rank(x, by_name.tol);
}

}  // namespace antler::ops
