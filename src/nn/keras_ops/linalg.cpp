// Operations of keras.ops on matrices, and Fourier transforms.
#include <cmath>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/ops/fft.h"
#include "antler/ops/linalg.h"
#include "antler/ops/numpy/complex.h"
#include "nn/keras_ops/arguments.h"

namespace antler::keras_ops {
namespace {

template <Tensor (*op)(const Tensor&, ops::CholeskyOptions)>
Nest factor(const OpArguments& a, const Json& config) {
  return op(operand(a), {.upper = config.value("upper", false)});
}
Nest run_solve_triangular(const OpArguments& a, const Json& config) {
  return ops::solve_triangular(operand(a), operand(a, 1), {.lower = config.value("lower", false)});
}
Nest run_slogdet(const OpArguments& a, const Json&) {
  const ops::SlogDet parts = ops::slogdet(operand(a));
  return Nest{parts.sign, parts.log_abs};
}
Nest run_lu_factor(const OpArguments& a, const Json&) {
  const ops::LuFactors parts = ops::lu_factor(operand(a));
  return Nest{parts.lu, parts.pivots};
}
Nest run_qr(const OpArguments& a, const Json& config) {
  const ops::QrFactors parts = ops::qr(operand(a), config.value("mode", std::string("reduced")));
  return Nest{parts.q, parts.r};
}
Nest run_eigh(const OpArguments& a, const Json&) {
  const ops::Eigh parts = ops::eigh(operand(a));
  return Nest{parts.values, parts.vectors};
}
/// Complex numbers are pairs of tensors, so there are four tensors.
Nest run_eig(const OpArguments& a, const Json&) {
  const ops::Eig parts = ops::eig(operand(a));
  return Nest{parts.values.real, parts.values.imag, parts.vectors.real, parts.vectors.imag};
}
Nest run_svd(const OpArguments& a, const Json& config) {
  if (!config.value("compute_uv", true)) return ops::singular_values(operand(a));
  const ops::Svd parts =
      ops::svd(operand(a), {.full_matrices = config.value("full_matrices", true)});
  return Nest{parts.u, parts.s, parts.vt};
}
Nest run_pinv(const OpArguments& a, const Json& config) {
  return ops::pinv(operand(a), optional_number(config, "rcond"));
}
Nest run_matrix_rank(const OpArguments& a, const Json& config) {
  return ops::matrix_rank(operand(a), optional_number(config, "tol"));
}
Nest run_lstsq(const OpArguments& a, const Json& config) {
  return ops::lstsq(operand(a), operand(a, 1), optional_number(config, "rcond"));
}
Nest run_norm(const OpArguments& a, const Json& config) {
  const Json ord = option(config, "ord");
  const std::vector<int64_t> axes = axes_of(config);
  if (ord.is_string() && ord != "Infinity" && ord != "-Infinity") {
    return ops::norm(operand(a), ord.get<std::string>(), axes, reduce_options_of(config));
  }
  std::optional<double> order;
  if (ord.is_number()) order = ord.get<double>();
  if (ord.is_string()) order = ord == "Infinity" ? HUGE_VAL : -HUGE_VAL;
  return ops::norm(operand(a), order, axes, reduce_options_of(config));
}

/// A complex tensor, given as a pair of real and imaginary parts.
ops::Complex complex_operand(const OpArguments& a) {
  return {a.at(0)[0].tensor(), a.at(0)[1].tensor()};
}
Nest pair_of(const ops::Complex& x) { return Nest{x.real, x.imag}; }

template <ops::Complex (*op)(const ops::Complex&)>
Nest transformed(const OpArguments& a, const Json&) {
  return pair_of(op(complex_operand(a)));
}
Nest run_rfft(const OpArguments& a, const Json& config) {
  return pair_of(ops::rfft(operand(a), optional_integer(config, "fft_length")));
}
Nest run_irfft(const OpArguments& a, const Json& config) {
  return ops::irfft(complex_operand(a), optional_integer(config, "fft_length"));
}

std::string window_of(const Json& config) {
  if (!config.contains("window")) return "hann";
  const Json& window = config["window"];
  if (window.is_null()) return "";
  if (window.is_string()) return window.get<std::string>();
  throw NotImplementedError("keras.ops.stft with an array as window is not supported.");
}
Nest run_stft(const OpArguments& a, const Json& config) {
  return pair_of(ops::stft(operand(a), config.at("sequence_length").get<int64_t>(),
                           config.at("sequence_stride").get<int64_t>(),
                           config.at("fft_length").get<int64_t>(),
                           {.window = window_of(config), .center = config.value("center", true)}));
}
Nest run_istft(const OpArguments& a, const Json& config) {
  return ops::istft(complex_operand(a), config.at("sequence_length").get<int64_t>(),
                    config.at("sequence_stride").get<int64_t>(),
                    config.at("fft_length").get<int64_t>(),
                    {.length = optional_integer(config, "length"),
                     .window = window_of(config),
                     .center = config.value("center", true)});
}

constexpr KerasOpEntry kLinalgEntries[] = {
    {"Cholesky", factor<ops::cholesky>, "linalg"},
    {"CholeskyInverse", factor<ops::cholesky_inverse>, "linalg"},
    {"Inv", unary<ops::inv>, "linalg"},
    {"Det", unary<ops::det>, "linalg"},
    {"Logdet", unary<ops::logdet>, "math"},
    {"Slogdet", run_slogdet},
    {"Solve", binary<ops::solve>, "linalg"},
    {"SolveTriangular", run_solve_triangular, "linalg"},
    {"LuFactor", run_lu_factor, "linalg"},
    {"Qr", run_qr, "linalg"},
    {"Eigh", run_eigh, "linalg"},
    {"Eig", run_eig, "linalg"},
    {"SVD", run_svd, "linalg"},
    {"Pinv", run_pinv, "linalg"},
    {"MatrixRank", run_matrix_rank, "linalg"},
    {"Lstsq", run_lstsq, "linalg"},
    {"Norm", run_norm, "linalg"},
    {"FFT", transformed<ops::fft>, "math"},
    {"FFT2", transformed<ops::fft2>, "math"},
    {"IFFT2", transformed<ops::ifft2>, "math"},
    {"RFFT", run_rfft, "math"},
    {"IRFFT", run_irfft, "math"},
    {"STFT", run_stft, "math"},
    {"ISTFT", run_istft, "math"},
};

}  // namespace
}  // namespace antler::keras_ops

namespace antler {

std::span<const KerasOpEntry> linalg_keras_ops() { return keras_ops::kLinalgEntries; }

}  // namespace antler
