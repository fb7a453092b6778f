// Operations of keras.ops that work element by element, and reductions.
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/activation.h"
#include "antler/ops/ops.h"
#include "nn/keras_op.h"

namespace antler {
namespace {

const Tensor& at(const OpArguments& arguments, size_t index) {
  if (index >= arguments.size()) {
    throw ValueError("An operation of keras.ops has " + std::to_string(arguments.size()) +
                     " argument(s), expected more.");
  }
  return arguments[index].tensor();
}

template <Tensor (*op)(const Tensor&)>
Nest unary(const OpArguments& a, const Json&) {
  return op(at(a, 0));
}

template <Tensor (*op)(const Tensor&, const Tensor&)>
Nest binary(const OpArguments& a, const Json&) {
  return op(at(a, 0), at(a, 1));
}

/// NumPy's division: integers give floating-point numbers.
Tensor true_divide(const Tensor& x, const Tensor& y) {
  const auto floating = [](const Tensor& t) {
    return is_floating(t.dtype()) ? t : ops::cast(t, DType::float32);
  };
  return ops::divide(floating(x), floating(y));
}

std::vector<int64_t> axes_of(const Json& config) {
  const Json axis = config.value("axis", Json(nullptr));
  if (axis.is_null()) return {};
  if (axis.is_number_integer()) return {axis.get<int64_t>()};
  // A tuple is {"class_name": "__tuple__", "items": [...]}.
  return (axis.is_object() ? axis.at("items") : axis).get<std::vector<int64_t>>();
}

bool keepdims_of(const Json& config) { return config.value("keepdims", false); }

template <Tensor (*op)(const Tensor&, const ops::Axes&, bool)>
Nest reduction(const OpArguments& a, const Json& config) {
  return op(at(a, 0), axes_of(config), keepdims_of(config));
}

/// Truth values of numbers: what is not zero.
template <Tensor (*op)(const Tensor&, const ops::Axes&, bool)>
Nest truth_reduction(const OpArguments& a, const Json& config) {
  const Tensor& x = at(a, 0);
  return op(x.dtype() == DType::boolean ? x : ops::not_equal(x, 0), axes_of(config),
            keepdims_of(config));
}

template <Tensor (*op)(const Tensor&, int64_t, bool)>
Nest arg_reduction(const OpArguments& a, const Json& config) {
  const Json axis = config.value("axis", Json(nullptr));
  const Tensor& x = at(a, 0);
  if (axis.is_null()) return op(ops::reshape(x, {-1}), 0, keepdims_of(config));
  return op(x, axis.get<int64_t>(), keepdims_of(config));
}

/// An operation with one number in its configuration.
template <Tensor (*op)(const Tensor&, double)>
Nest with_number(const OpArguments& a, const Json& config, const char* key, double otherwise) {
  return op(at(a, 0), config.value(key, otherwise));
}

constexpr KerasOpEntry kElementwiseEntries[] = {
    {"Add", binary<ops::add>},
    {"Subtract", binary<ops::subtract>},
    {"Multiply", binary<ops::multiply>},
    {"Divide", binary<true_divide>},
    {"TrueDivide", binary<true_divide>},
    {"DivideNoNan", binary<ops::divide_no_nan>},
    {"FloorDivide", binary<ops::floor_divide>},
    {"Mod", binary<ops::mod>},
    {"Power", binary<ops::power>},
    {"Maximum", binary<ops::maximum>},
    {"Minimum", binary<ops::minimum>},
    {"Arctan2", binary<ops::arctan2>},
    {"Logaddexp", binary<ops::logaddexp>},
    {"Equal", binary<ops::equal>},
    {"NotEqual", binary<ops::not_equal>},
    {"Less", binary<ops::less>},
    {"LessEqual", binary<ops::less_equal>},
    {"Greater", binary<ops::greater>},
    {"GreaterEqual", binary<ops::greater_equal>},
    {"LogicalAnd", binary<ops::logical_and>},
    {"LogicalOr", binary<ops::logical_or>},
    {"LogicalXor", binary<ops::logical_xor>},
    {"LogicalNot", unary<ops::logical_not>},
    {"Negative", unary<ops::negative>},
    {"Absolute", unary<ops::absolute>},
    {"Sign", unary<ops::sign>},
    {"Square", unary<ops::square>},
    {"Reciprocal", unary<ops::reciprocal>},
    {"Exp", unary<ops::exp>},
    {"Expm1", unary<ops::expm1>},
    {"Log", unary<ops::log>},
    {"Log1p", unary<ops::log1p>},
    {"Log2", unary<ops::log2>},
    {"Log10", unary<ops::log10>},
    {"Sqrt", unary<ops::sqrt>},
    {"Rsqrt", unary<ops::rsqrt>},
    {"Sin", unary<ops::sin>},
    {"Cos", unary<ops::cos>},
    {"Tan", unary<ops::tan>},
    {"Arcsin", unary<ops::arcsin>},
    {"Arccos", unary<ops::arccos>},
    {"Arctan", unary<ops::arctan>},
    {"Sinh", unary<ops::sinh>},
    {"Cosh", unary<ops::cosh>},
    {"Tanh", unary<ops::tanh>},
    {"Arcsinh", unary<ops::arcsinh>},
    {"Arccosh", unary<ops::arccosh>},
    {"Arctanh", unary<ops::arctanh>},
    {"Erf", unary<ops::erf>},
    {"Floor", unary<ops::floor>},
    {"Ceil", unary<ops::ceil>},
    {"Trunc", unary<ops::trunc>},
    {"Isfinite", unary<ops::isfinite>},
    {"Isinf", unary<ops::isinf>},
    {"Isnan", unary<ops::isnan>},
    {"StopGradient", unary<ops::stop_gradient>},
    {"Relu", unary<ops::relu>},
    {"Relu6", unary<ops::relu6>},
    {"Sigmoid", unary<ops::sigmoid>},
    {"Silu", unary<ops::silu>},
    {"Selu", unary<ops::selu>},
    {"Softplus", unary<ops::softplus>},
    {"Softsign", unary<ops::softsign>},
    {"LogSigmoid", unary<ops::log_sigmoid>},
    {"HardSigmoid", unary<ops::hard_sigmoid>},
    {"HardSilu", unary<ops::hard_silu>},
    {"Mish", unary<ops::mish>},
    {"LeakyRelu",
     [](const OpArguments& a, const Json& c) {
       return with_number<ops::leaky_relu>(a, c, "negative_slope", 0.2);
     }},
    {"Elu",
     [](const OpArguments& a, const Json& c) { return with_number<ops::elu>(a, c, "alpha", 1.0); }},
    {"Celu", [](const OpArguments& a,
                const Json& c) { return with_number<ops::celu>(a, c, "alpha", 1.0); }},
    {"Gelu",
     [](const OpArguments& a, const Json& c) -> Nest {
       return ops::gelu(at(a, 0), c.value("approximate", true));
     }},
    {"Softmax",
     [](const OpArguments& a, const Json& c) -> Nest {
       return ops::softmax(at(a, 0), c.value("axis", -1));
     }},
    {"LogSoftmax",
     [](const OpArguments& a, const Json& c) -> Nest {
       return ops::log_softmax(at(a, 0), c.value("axis", -1));
     }},
    {"Where",
     [](const OpArguments& a, const Json&) -> Nest {
       return ops::where(at(a, 0), at(a, 1), at(a, 2));
     }},
    {"Clip",
     [](const OpArguments& a, const Json& c) -> Nest {
       return ops::clip(at(a, 0), c.at("x_min").get<double>(), c.at("x_max").get<double>());
     }},
    {"Cast",
     [](const OpArguments& a, const Json& c) -> Nest {
       return ops::cast(at(a, 0), parse_dtype(c.at("dtype").get<std::string>()));
     }},
    {"Sum", reduction<ops::sum>},
    {"Prod", reduction<ops::prod>},
    {"Mean", reduction<ops::mean>},
    {"Max", reduction<ops::max>},
    {"Amax", reduction<ops::max>},
    {"Min", reduction<ops::min>},
    {"Amin", reduction<ops::min>},
    {"Var", reduction<ops::variance>},
    {"Std", reduction<ops::std>},
    {"Logsumexp", reduction<ops::logsumexp>},
    {"Any", truth_reduction<ops::any>},
    {"All", truth_reduction<ops::all>},
    {"Argmax", arg_reduction<ops::argmax>},
    {"Argmin", arg_reduction<ops::argmin>},
};

}  // namespace

std::span<const KerasOpEntry> elementwise_keras_ops() { return kElementwiseEntries; }

}  // namespace antler
