// Element-wise operations of keras.ops, and reductions.
#include "antler/ops/numpy/elementwise.h"
#include "antler/nn/activation.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/ops/numpy/sorting.h"
#include "nn/keras_ops/arguments.h"

namespace antler::keras_ops {
namespace {

/// NumPy's true division: integers give floating-point numbers.
Tensor true_divide(const Tensor& x, const Tensor& y) {
  const auto floating = [](const Tensor& t) {
    return is_floating(t.dtype()) ? t : ops::cast(t, DType::float32);
  };
  return ops::divide(floating(x), floating(y));
}

/// A reduction of booleans; numbers are true unless they are zero.
template <Tensor (*op)(const Tensor&, const ops::Axes&, ops::ReduceOptions)>
Nest truth_reduction(const OpArguments& a, const Json& config) {
  const Tensor& x = operand(a);
  return op(x.dtype() == DType::boolean ? x : ops::not_equal(x, 0), axes_of(config),
            reduce_options_of(config));
}

/// An operation with one number in its configuration.
template <Tensor (*op)(const Tensor&, double)>
Nest with_number(const OpArguments& a, const Json& config, const char* key, double otherwise) {
  return op(operand(a), config.value(key, otherwise));
}

constexpr KerasOpEntry kElementwiseEntries[] = {
    {"Divide", binary<true_divide>},
    {"TrueDivide", binary<true_divide>},
    {"DivideNoNan", binary<ops::divide_no_nan>},
    {"FloorDivide", binary<ops::floor_divide>},
    {"Mod", binary<ops::mod>},
    {"Logaddexp", binary<ops::logaddexp>},
    {"Square", unary<ops::square>},
    {"Reciprocal", unary<ops::reciprocal>},
    {"Log2", unary<ops::log2>},
    {"Log10", unary<ops::log10>},
    {"Isinf", unary<ops::isinf>},
    {"Isnan", unary<ops::isnan>},
    {"Relu", unary<ops::relu>, "nn"},
    {"Relu6", unary<ops::relu6>, "nn"},
    {"Silu", unary<ops::silu>, "nn"},
    {"Selu", unary<ops::selu>, "nn"},
    {"Softsign", unary<ops::softsign>, "nn"},
    {"LogSigmoid", unary<ops::log_sigmoid>, "nn"},
    {"HardSigmoid", unary<ops::hard_sigmoid>, "nn"},
    {"HardSilu", unary<ops::hard_silu>, "nn"},
    {"Mish", unary<ops::mish>},
    {"LeakyRelu",
     [](const OpArguments& a, const Json& c) {
       return with_number<ops::leaky_relu>(a, c, "negative_slope", 0.2);
     },
     "nn"},
    {"Elu",
     [](const OpArguments& a, const Json& c) { return with_number<ops::elu>(a, c, "alpha", 1.0); },
     "nn"},
    {"Celu",
     [](const OpArguments& a, const Json& c) { return with_number<ops::celu>(a, c, "alpha", 1.0); },
     "nn"},
    {"Gelu",
     [](const OpArguments& a, const Json& c) -> Nest {
       return ops::gelu(operand(a), {.approximate = c.value("approximate", true)});
     },
     "nn"},
    {"Softmax",
     [](const OpArguments& a, const Json& c) -> Nest {
       return ops::softmax(operand(a), c.value("axis", -1));
     },
     "nn"},
    {"LogSoftmax",
     [](const OpArguments& a, const Json& c) -> Nest {
       return ops::log_softmax(operand(a), c.value("axis", -1));
     },
     "nn"},
    {"Where",
     [](const OpArguments& a, const Json&) -> Nest {
       if (a.size() == 1) return ops::nonzero(operand(a));
       return ops::where(operand(a), operand(a, 1), operand(a, 2));
     }},
    {"Clip",
     [](const OpArguments& a, const Json& c) -> Nest {
       return ops::clip(operand(a), c.at("x_min").get<double>(), c.at("x_max").get<double>());
     }},
    {"Cast",
     [](const OpArguments& a, const Json& c) -> Nest {
       return ops::cast(operand(a), parse_dtype(c.at("dtype").get<std::string>()));
     },
     "core"},
    {"Sum", reduction<ops::sum>},
    {"Prod", reduction<ops::prod>},
    {"Mean", reduction<ops::mean>},
    {"Max", reduction<ops::max>},
    {"Amax", reduction<ops::max>},
    {"Min", reduction<ops::min>},
    {"Amin", reduction<ops::min>},
    {"Var", reduction<ops::variance>},
    {"Std", reduction<ops::std>},
    {"Logsumexp", reduction<ops::logsumexp>, "math"},
    {"Any", truth_reduction<ops::any>},
    {"All", truth_reduction<ops::all>},
    {"Argmax", index_reduction<ops::argmax>},
    {"Argmin", index_reduction<ops::argmin>},
};

}  // namespace
}  // namespace antler::keras_ops

namespace antler {

std::span<const KerasOpEntry> elementwise_keras_ops() { return keras_ops::kElementwiseEntries; }

}  // namespace antler
