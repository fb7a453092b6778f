// Operations of keras.ops.numpy that combine several ops.
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/fft.h"
#include "antler/ops/numpy/complex.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/ops/numpy/sorting.h"
#include "nn/keras_ops/arguments.h"

namespace antler::keras_ops {
namespace {

Nest run_isclose(const OpArguments& a, const Json& config) {
  return ops::isclose(operand(a), operand(a, 1),
                      {.rtol = a.size() > 2 ? operand(a, 2).item() : 1e-5,
                       .atol = a.size() > 3 ? operand(a, 3).item() : 1e-8,
                       .equal_nan = config.value("equal_nan", false)});
}
Nest run_allclose(const OpArguments& a, const Json& config) {
  return ops::allclose(operand(a), operand(a, 1),
                       {.rtol = config.value("rtol", 1e-5),
                        .atol = config.value("atol", 1e-8),
                        .equal_nan = config.value("equal_nan", false)});
}

Nest run_nan_to_num(const OpArguments& a, const Json& config) {
  return ops::nan_to_num(operand(a), {.nan = config.value("nan", 0.0),
                                      .posinf = optional_number(config, "posinf"),
                                      .neginf = optional_number(config, "neginf")});
}

Nest run_select(const OpArguments& a, const Json&) {
  const Tensor otherwise = optional_operand(a, 2);
  return ops::select(a.at(0).flatten(), a.at(1).flatten(),
                     otherwise.defined() ? otherwise : Tensor(0));
}

Nest run_saturate_cast(const OpArguments& a, const Json& config) {
  return ops::saturate_cast(operand(a), *optional_dtype(config));
}
Nest run_view(const OpArguments& a, const Json& config) {
  return ops::view(operand(a), optional_dtype(config).value_or(operand(a).dtype()));
}
Nest run_array(const OpArguments& a, const Json& config) {
  return ops::cast(operand(a), optional_dtype(config).value_or(operand(a).dtype()));
}

Nest run_full(const OpArguments& a, const Json& config) {
  return ops::full(Shape(integer_list(config.at("shape"))), operand(a),
                   optional_dtype(config).value_or(operand(a).dtype()));
}
Nest run_full_like(const OpArguments& a, const Json& config) {
  const Tensor& x = operand(a);
  return ops::full(x.shape(), operand(a, 1), optional_dtype(config).value_or(x.dtype()));
}

template <Tensor (*op)(const Tensor&, const Tensor&, const ops::LinspaceOptions&)>
Nest between(const OpArguments& a, const Json& config) {
  return op(operand(a), operand(a, 1),
            {.num = config.value("num", int64_t{50}),
             .endpoint = config.value("endpoint", true),
             .dtype = optional_dtype(config),
             .axis = config.value("axis", int64_t{0})});
}
Nest run_linspace(const OpArguments& a, const Json& config) {
  Nest numbers = between<ops::linspace>(a, config);
  if (!config.value("retstep", false)) return numbers;
  return {numbers, ops::linspace_step(operand(a), operand(a, 1), config.value("num", int64_t{50}),
                                      {.endpoint = config.value("endpoint", true)})};
}
Nest run_logspace(const OpArguments& a, const Json& config) {
  return ops::logspace(operand(a), operand(a, 1), config.value("num", int64_t{50}),
                       {.endpoint = config.value("endpoint", true),
                        .base = config.value("base", 10.0),
                        .dtype = optional_dtype(config),
                        .axis = config.value("axis", int64_t{0})});
}
Nest run_arange(const OpArguments& a, const Json& config) {
  const bool from_zero = a.size() < 2 || a[1].is_none();
  const int64_t start = from_zero ? 0 : integer_argument(a, 0);
  const int64_t stop = integer_argument(a, from_zero ? 0 : 1);
  const int64_t step = a.size() > 2 && !a[2].is_none() ? integer_argument(a, 2) : 1;
  return ops::arange(start, stop, step, {.dtype = optional_dtype(config)});
}

Nest run_meshgrid(const OpArguments& a, const Json& config) {
  return ops::meshgrid(operands(a), config.value("indexing", std::string("xy")));
}
Nest run_unravel_index(const OpArguments& a, const Json& config) {
  return ops::unravel_index(operand(a), Shape(integer_list(config.at("shape"))));
}

template <Tensor (*op)(const Tensor&, int64_t, int64_t, int64_t)>
Nest of_planes(const OpArguments& a, const Json& config) {
  return op(operand(a), config.value("offset", int64_t{0}), config.value("axis1", int64_t{0}),
            config.value("axis2", int64_t{1}));
}
Nest run_vander(const OpArguments& a, const Json& config) {
  return ops::vander(operand(a), optional_integer(config, "N"),
                     {.increasing = config.value("increasing", false)});
}

Nest run_append(const OpArguments& a, const Json& config) {
  return ops::append(operand(a), operand(a, 1), optional_integer(config, "axis"));
}
template <Tensor (*op)(const Tensors&)>
Nest joined(const OpArguments& a, const Json&) {
  return op(a.at(0).flatten());
}

/// A split into a number of parts, or at the given indices.
template <class ByParts, class ByIndices>
Nest parted(const Json& config, const ByParts& by_parts, const ByIndices& by_indices) {
  const Json& sections = config.at("indices_or_sections");
  if (sections.is_number_integer()) return by_parts(sections.get<int64_t>());
  return by_indices(integer_list(sections));
}
Nest run_array_split(const OpArguments& a, const Json& config) {
  const int64_t axis = config.value("axis", int64_t{0});
  const auto split = [&](const auto& sections) {
    return ops::array_split(operand(a), sections, axis);
  };
  return parted(config, split, split);
}
Nest run_hsplit(const OpArguments& a, const Json& config) {
  const auto split = [&](const auto& sections) { return ops::hsplit(operand(a), sections); };
  return parted(config, split, split);
}
Nest run_vsplit(const OpArguments& a, const Json& config) {
  const auto split = [&](const auto& sections) { return ops::vsplit(operand(a), sections); };
  return parted(config, split, split);
}
Nest run_dsplit(const OpArguments& a, const Json& config) {
  const auto split = [&](const auto& sections) { return ops::dsplit(operand(a), sections); };
  return parted(config, split, split);
}

Nest run_rot90(const OpArguments& a, const Json& config) {
  const Json axes = option(config, "axes");
  const std::vector<int64_t> pair =
      axes.is_null() ? std::vector<int64_t>{0, 1} : integer_list(axes);
  return ops::rot90(operand(a), config.value("k", int64_t{1}), pair.at(0), pair.at(1));
}
Nest run_diff(const OpArguments& a, const Json& config) {
  return ops::diff(operand(a), config.value("n", int64_t{1}), config.value("axis", int64_t{-1}));
}
Nest run_extract_sequences(const OpArguments& a, const Json& config) {
  return ops::extract_sequences(operand(a), config.at("sequence_length").get<int64_t>(),
                                config.at("sequence_stride").get<int64_t>());
}
Nest run_slice_update(const OpArguments& a, const Json&) {
  return ops::slice_update(operand(a), operand(a, 1), operand(a, 2));
}
Nest run_scatter(const OpArguments& a, const Json& config) {
  const Tensor& values = operand(a, 1);
  const Tensor nothing = ops::zeros(Shape(integer_list(config.at("shape"))), values.dtype());
  return ops::scatter_nd(nothing, operand(a), values, ops::ScatterMode::add);
}
Nest run_scatter_update(const OpArguments& a, const Json& config) {
  const Json reduction = option(config, "reduction");
  const std::string name = reduction.is_null() ? "" : reduction.get<std::string>();
  const ops::ScatterMode mode = name == "add"   ? ops::ScatterMode::add
                                : name == "mul" ? ops::ScatterMode::mul
                                : name == "max" ? ops::ScatterMode::max
                                : name == "min" ? ops::ScatterMode::min
                                                : ops::ScatterMode::set;
  return ops::scatter_update(operand(a), operand(a, 1), operand(a, 2), mode);
}

Nest run_cross(const OpArguments& a, const Json& config) {
  return ops::cross(operand(a), operand(a, 1),
                    {.axisa = config.value("axisa", int64_t{-1}),
                     .axisb = config.value("axisb", int64_t{-1}),
                     .axisc = config.value("axisc", int64_t{-1}),
                     .axis = optional_integer(config, "axis")});
}
Nest run_correlate(const OpArguments& a, const Json& config) {
  return ops::correlate(operand(a), operand(a, 1), config.value("mode", std::string("valid")));
}

Nest same(const OpArguments& a, const Json&) { return operand(a); }
Nest nothing_imaginary(const OpArguments& a, const Json&) { return ops::zeros_like(operand(a)); }
Nest all_real(const OpArguments& a, const Json&) {
  return ops::ones(operand(a).shape(), DType::boolean);
}

constexpr KerasOpEntry kNumpyEntries[] = {
    {"Abs", unary<ops::abs>},
    {"Fabs", unary<ops::fabs>},
    {"Angle", unary<ops::angle>},
    {"Cbrt", unary<ops::cbrt>},
    {"Exp2", unary<ops::exp2>},
    {"Deg2rad", unary<ops::deg2rad>},
    {"Rad2deg", unary<ops::rad2deg>},
    {"Sinc", unary<ops::sinc>},
    {"I0", unary<ops::i0>},
    {"Signbit", unary<ops::signbit>},
    {"Isneginf", unary<ops::isneginf>},
    {"Isposinf", unary<ops::isposinf>},
    {"Isreal", all_real},
    {"Real", same},
    {"Imag", nothing_imaginary},
    {"Conj", same},
    {"Conjugate", same},
    {"Copy", unary<ops::copy>},
    {"NanToNum", run_nan_to_num},
    {"Hypot", binary<ops::hypot>},
    {"Logaddexp2", binary<ops::logaddexp2>},
    {"Ldexp", binary<ops::ldexp>},
    {"Fmax", binary<ops::fmax>},
    {"Fmin", binary<ops::fmin>},
    {"Fmod", binary<ops::fmod>},
    {"Heaviside", binary<ops::heaviside>},
    {"Nextafter", binary<ops::nextafter>},
    {"Gcd", binary<ops::gcd>},
    {"Lcm", binary<ops::lcm>},
    {"Isclose", run_isclose},
    {"AllClose", run_allclose},
    {"BitwiseAnd", binary<ops::bitwise_and>},
    {"BitwiseOr", binary<ops::bitwise_or>},
    {"BitwiseXor", binary<ops::bitwise_xor>},
    {"BitwiseNot", unary<ops::bitwise_not>},
    {"BitwiseInvert", unary<ops::bitwise_invert>},
    {"BitwiseLeftShift", binary<ops::bitwise_left_shift>},
    {"BitwiseRightShift", binary<ops::bitwise_right_shift>},
    {"Select", run_select},
    {"SaturateCast", run_saturate_cast, "core"},
    {"View", run_view},
    {"Array", run_array},
    {"ConvertToTensor", run_array, "core"},
    {"Full", run_full},
    {"FullLike", run_full_like},
    {"Arange", run_arange},
    {"Linspace", run_linspace},
    {"Logspace", run_logspace},
    {"Geomspace", between<ops::geomspace>},
    {"Meshgrid", run_meshgrid},
    {"UnravelIndex", run_unravel_index},
    {"Diag", on_diagonal<ops::diag>},
    {"Diagflat", on_diagonal<ops::diagflat>},
    {"Diagonal", of_planes<ops::diagonal>},
    {"Trace", of_planes<ops::trace>},
    {"Vander", run_vander},
    {"Append", run_append},
    {"Hstack", joined<ops::hstack>},
    {"Vstack", joined<ops::vstack>},
    {"Dstack", joined<ops::dstack>},
    {"ArraySplit", run_array_split},
    {"Hsplit", run_hsplit},
    {"Vsplit", run_vsplit},
    {"Dsplit", run_dsplit},
    {"Rot90", run_rot90},
    {"Fliplr", unary<ops::fliplr>},
    {"Flipud", unary<ops::flipud>},
    {"Ravel", unary<ops::ravel>},
    {"Diff", run_diff},
    {"ExtractSequences", run_extract_sequences, "math"},
    {"CDist", binary<ops::cdist>, "math"},
    {"SliceUpdate", run_slice_update, "core"},
    {"Scatter", run_scatter, "core"},
    {"ScatterUpdate", run_scatter_update, "core"},
    {"Dot", binary<ops::dot>},
    {"Inner", binary<ops::inner>},
    {"Outer", binary<ops::outer>},
    {"Vdot", binary<ops::vdot>},
    {"Kron", binary<ops::kron>},
    {"Cross", run_cross},
    {"Correlate", run_correlate},
};

}  // namespace
}  // namespace antler::keras_ops

namespace antler {

std::span<const KerasOpEntry> numpy_keras_ops() { return keras_ops::kNumpyEntries; }

}  // namespace antler
