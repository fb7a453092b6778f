#include "nn/op_names.h"

#include <algorithm>
#include <iterator>

#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/numpy/elementwise.h"

namespace antler {
namespace {

/// {op, Keras, ONNX, TensorFlow, function, module of Keras}. ONNX cannot reduce booleans, so any
/// and all become the maximum and minimum of 0 and 1.
constexpr OpNames kOpNames[] = {
    {"add", "Add", "Add", "AddV2", ops::add},
    {"sub", "Subtract", "Sub", "Sub", ops::subtract},
    {"mul", "Multiply", "Mul", "Mul", ops::multiply},
    {"div", "TrueDivide", "Div", "RealDiv", ops::divide},
    {"rem", nullptr, nullptr, "TruncateMod"},
    {"pow", "Power", "Pow", "Pow", ops::power},
    {"max", "Maximum", "Max", "Maximum", ops::maximum},
    {"min", "Minimum", "Min", "Minimum", ops::minimum},
    {"atan2", "Arctan2", nullptr, "Atan2", ops::arctan2},
    {"eq", "Equal", "Equal", "Equal", ops::equal},
    {"ne", "NotEqual", nullptr, "NotEqual", ops::not_equal},
    {"lt", "Less", "Less", "Less", ops::less},
    {"le", "LessEqual", "LessOrEqual", "LessEqual", ops::less_equal},
    {"gt", "Greater", "Greater", "Greater", ops::greater},
    {"ge", "GreaterEqual", "GreaterOrEqual", "GreaterEqual", ops::greater_equal},
    {"and", "LogicalAnd", "And", "LogicalAnd", ops::logical_and},
    {"or", "LogicalOr", "Or", "LogicalOr", ops::logical_or},
    {"xor", "LogicalXor", "Xor", nullptr, ops::logical_xor},
    {"not", "LogicalNot", "Not", "LogicalNot", ops::logical_not},
    {"shift_left", "LeftShift", nullptr, "LeftShift", ops::left_shift},
    {"shift_right", "RightShift", nullptr, "RightShift", ops::right_shift},
    {"neg", "Negative", "Neg", "Neg", ops::negative},
    {"abs", "Absolute", "Abs", "Abs", ops::absolute},
    {"sign", "Sign", "Sign", "Sign", ops::sign},
    {"exp", "Exp", "Exp", "Exp", ops::exp},
    {"expm1", "Expm1", nullptr, "Expm1", ops::expm1},
    {"log", "Log", "Log", "Log", ops::log},
    {"log1p", "Log1p", nullptr, "Log1p", ops::log1p},
    {"sqrt", "Sqrt", "Sqrt", "Sqrt", ops::sqrt},
    {"rsqrt", "Rsqrt", nullptr, "Rsqrt", ops::rsqrt, "math"},
    {"sin", "Sin", "Sin", "Sin", ops::sin},
    {"cos", "Cos", "Cos", "Cos", ops::cos},
    {"tan", "Tan", "Tan", "Tan", ops::tan},
    {"asin", "Arcsin", "Asin", "Asin", ops::arcsin},
    {"acos", "Arccos", "Acos", "Acos", ops::arccos},
    {"atan", "Arctan", "Atan", "Atan", ops::arctan},
    {"sinh", "Sinh", "Sinh", "Sinh", ops::sinh},
    {"cosh", "Cosh", "Cosh", "Cosh", ops::cosh},
    {"tanh", "Tanh", "Tanh", "Tanh", ops::tanh},
    {"asinh", "Arcsinh", "Asinh", "Asinh", ops::arcsinh},
    {"acosh", "Arccosh", "Acosh", "Acosh", ops::arccosh},
    {"atanh", "Arctanh", "Atanh", "Atanh", ops::arctanh},
    {"sigmoid", "Sigmoid", "Sigmoid", "Sigmoid", ops::sigmoid, "nn"},
    {"softplus", "Softplus", "Softplus", "Softplus", ops::softplus, "nn"},
    {"erf", "Erf", "Erf", "Erf", ops::erf, "math"},
    {"erfc", "Erfc", nullptr, "Erfc", ops::erfc, "math"},
    {"erf_inv", "Erfinv", nullptr, "Erfinv", ops::erfinv, "math"},
    {"lgamma", nullptr, nullptr, "Lgamma", ops::lgamma},
    {"digamma", nullptr, nullptr, "Digamma", ops::digamma},
    {"floor", "Floor", "Floor", "Floor", ops::floor},
    {"ceil", "Ceil", "Ceil", "Ceil", ops::ceil},
    {"trunc", "Trunc", nullptr, nullptr, ops::trunc},
    {"round", "Round", "Round", "Round", ops::round},
    {"is_finite", "Isfinite", nullptr, "IsFinite", ops::isfinite},
    {"stop_gradient", "StopGradient", "Identity", "StopGradient", ops::stop_gradient, "core"},
    {"select", "Where"},
    {"convert", "Cast"},
    {"reduce_sum", "Sum", "ReduceSum", "Sum"},
    {"reduce_prod", "Prod", "ReduceProd", "Prod"},
    {"reduce_max", "Max", "ReduceMax", "Max"},
    {"reduce_min", "Min", "ReduceMin", "Min"},
    {"reduce_any", "Any", "ReduceMax", "Any"},
    {"reduce_all", "All", "ReduceMin", "All"},
    {"reverse", "Flip"},
    {"broadcast", "BroadcastTo"},
    {"slice", "GetItem"},
    {"dot_general", "Einsum"},
};

/// "log_softmax" -> "LogSoftmax"
std::string camel_case(std::string_view name) {
  std::string text;
  bool upper = true;
  for (char c : name) {
    if (c == '_') {
      upper = true;
      continue;
    }
    text += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = false;
  }
  return text;
}

}  // namespace

std::span<const OpNames> op_names() { return kOpNames; }

const OpNames* find_op_names(std::string_view op) {
  const auto* found = std::find_if(std::begin(kOpNames), std::end(kOpNames),
                                   [&](const OpNames& names) { return names.op == op; });
  return found == std::end(kOpNames) ? nullptr : found;
}

std::string keras_class_of_op(std::string_view op) {
  const OpNames* names = find_op_names(op);
  return names != nullptr && names->keras != nullptr ? names->keras : camel_case(op);
}

}  // namespace antler
