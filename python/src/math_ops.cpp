#include "antler/ops/fft.h"
#include "bindings.h"
#include "casters.h"

namespace antler::python {
namespace {

using Parts = std::pair<Tensor, Tensor>;

Parts parts_of(const ops::Complex& x) { return {x.real, x.imag}; }

template <ops::Complex (*F)(const ops::Complex&)>
Parts transformed(const Tensor& real, const Tensor& imag) {
  return parts_of(F({real, imag}));
}

}  // namespace

/// A complex tensor is two arguments, or a pair as a result.
void bind_math_ops(nb::module_& m) {
  using nb::literals::operator""_a;
  m.def("fft", &transformed<ops::fft>, "real"_a, "imag"_a);
  m.def("ifft", &transformed<ops::ifft>, "real"_a, "imag"_a);
  m.def("fft2", &transformed<ops::fft2>, "real"_a, "imag"_a);
  m.def("ifft2", &transformed<ops::ifft2>, "real"_a, "imag"_a);
  m.def(
      "rfft",
      [](const Tensor& x, std::optional<int64_t> fft_length) {
        return parts_of(ops::rfft(x, fft_length));
      },
      "x"_a, "fft_length"_a = nb::none());
  m.def(
      "irfft",
      [](const Tensor& real, const Tensor& imag, std::optional<int64_t> fft_length) {
        return ops::irfft({real, imag}, fft_length);
      },
      "real"_a, "imag"_a, "fft_length"_a = nb::none());
  m.def(
      "stft",
      [](const Tensor& x, int64_t sequence_length, int64_t sequence_stride, int64_t fft_length,
         const std::string& window, bool center) {
        return parts_of(
            ops::stft(x, sequence_length, sequence_stride, fft_length, {window, center}));
      },
      "x"_a, "sequence_length"_a, "sequence_stride"_a, "fft_length"_a, "window"_a = "hann",
      "center"_a = true);
  m.def(
      "istft",
      [](const Tensor& real, const Tensor& imag, int64_t sequence_length, int64_t sequence_stride,
         int64_t fft_length, std::optional<int64_t> length, const std::string& window,
         bool center) {
        return ops::istft({real, imag}, sequence_length, sequence_stride, fft_length,
                          {length, window, center});
      },
      "real"_a, "imag"_a, "sequence_length"_a, "sequence_stride"_a, "fft_length"_a,
      "length"_a = nb::none(), "window"_a = "hann", "center"_a = true);
  m.def("extract_sequences", &ops::extract_sequences, "x"_a, "length"_a, "stride"_a);
}

}  // namespace antler::python
