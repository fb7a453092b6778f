#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/core/required.h"
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

/// The arguments of extract_sequences() by name.
struct ExtractSequencesArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Required<int64_t> sequence_length;  ///< of a frame
  Required<int64_t> sequence_stride;  ///< from one start to the next
};
inline Tensor extract_sequences(const Tensor& x, const ExtractSequencesArguments& by_name) {
  return extract_sequences(x, by_name.sequence_length, by_name.sequence_stride);
}
ANTLER_KEYWORD_FUNCTION(extract_sequences, ExtractSequencesArguments, const Tensor&)
/// The arguments of stft() by name.
struct StftArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Required<int64_t> sequence_length;  ///< of a frame
  Required<int64_t> sequence_stride;  ///< between the starts of frames
  Required<int64_t> fft_length;       ///< of the transforms
  std::string window = "hann";        ///< see StftOptions
  bool center = true;                 ///< see StftOptions
};
inline Complex stft(const Tensor& x, const StftArguments& by_name) {
  return stft(x, by_name.sequence_length, by_name.sequence_stride, by_name.fft_length,
              {.window = by_name.window, .center = by_name.center});
}
ANTLER_KEYWORD_FUNCTION(stft, StftArguments, const Tensor&)
/// The arguments of istft() by name.
struct IstftArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Required<int64_t> sequence_length;   ///< of a frame
  Required<int64_t> sequence_stride;   ///< between the starts of frames
  Required<int64_t> fft_length;        ///< of the transforms
  std::optional<int64_t> length = {};  ///< samples of the result; default: all
  std::string window = "hann";         ///< see StftOptions
  bool center = true;                  ///< see StftOptions
};
inline Tensor istft(const Complex& x, const IstftArguments& by_name) {
  return istft(x, by_name.sequence_length, by_name.sequence_stride, by_name.fft_length,
               {.length = by_name.length, .window = by_name.window, .center = by_name.center});
}
ANTLER_KEYWORD_FUNCTION(istft, IstftArguments, const Complex&)

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
