#include "training/op_to_keras.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "antler/base/error.h"

namespace antler::training {
namespace {

using Name = std::pair<std::string_view, const char*>;

/// Operations without arguments of their own.
constexpr Name kPlain[] = {{"add", "Add"},
                           {"sub", "Subtract"},
                           {"mul", "Multiply"},
                           {"pow", "Power"},
                           {"max", "Maximum"},
                           {"min", "Minimum"},
                           {"atan2", "Arctan2"},
                           {"eq", "Equal"},
                           {"ne", "NotEqual"},
                           {"lt", "Less"},
                           {"le", "LessEqual"},
                           {"gt", "Greater"},
                           {"ge", "GreaterEqual"},
                           {"neg", "Negative"},
                           {"abs", "Absolute"},
                           {"sign", "Sign"},
                           {"exp", "Exp"},
                           {"expm1", "Expm1"},
                           {"log", "Log"},
                           {"log1p", "Log1p"},
                           {"sqrt", "Sqrt"},
                           {"rsqrt", "Rsqrt"},
                           {"sin", "Sin"},
                           {"cos", "Cos"},
                           {"tan", "Tan"},
                           {"tanh", "Tanh"},
                           {"sinh", "Sinh"},
                           {"cosh", "Cosh"},
                           {"asin", "Arcsin"},
                           {"acos", "Arccos"},
                           {"atan", "Arctan"},
                           {"asinh", "Arcsinh"},
                           {"acosh", "Arccosh"},
                           {"atanh", "Arctanh"},
                           {"sigmoid", "Sigmoid"},
                           {"erf", "Erf"},
                           {"erf_inv", "Erfinv"},
                           {"floor", "Floor"},
                           {"ceil", "Ceil"},
                           {"trunc", "Trunc"},
                           {"is_finite", "Isfinite"},
                           {"stop_gradient", "StopGradient"},
                           {"softplus", "Softplus"},
                           {"select", "Where"}};

/// Operations on bits, which are Keras's logic where the operands are truth values.
constexpr Name kLogic[] = {
    {"and", "LogicalAnd"}, {"or", "LogicalOr"}, {"xor", "LogicalXor"}, {"not", "LogicalNot"}};

constexpr Name kReductions[] = {{"reduce_sum", "Sum"}, {"reduce_prod", "Prod"},
                                {"reduce_max", "Max"}, {"reduce_min", "Min"},
                                {"reduce_any", "Any"}, {"reduce_all", "All"}};

template <size_t n>
const char* find_name(const Name (&names)[n], std::string_view op) {
  const auto* found = std::find_if(std::begin(names), std::end(names),
                                   [&](const Name& e) { return e.first == op; });
  return found == std::end(names) ? nullptr : found->second;
}

Json dims_of_list(const ir::Ints& sizes) {
  Json list = Json::array();
  for (const int64_t size : sizes) list.push_back(size);
  return list;
}

/// x[a:b:c, ...]
Json slices(const ir::Attrs& attrs) {
  const ir::Ints& starts = attrs.ints("starts");
  Json key = Json::array();
  for (size_t i = 0; i < starts.size(); ++i) {
    key.push_back({{"class_name", "__slice__"},
                   {"config",
                    {{"start", starts[i]},
                     {"stop", attrs.ints("limits")[i]},
                     {"step", attrs.ints("strides")[i]}}}});
  }
  return key;
}

/// The contraction in einsum's letters.
std::string subscripts(const ir::Attrs& attrs, int left_rank, int right_rank) {
  std::string left;
  for (int i = 0; i < left_rank; ++i) left += static_cast<char>('a' + i);
  std::string right(static_cast<size_t>(right_rank), '?');
  std::string result;
  const auto tie = [&](const char* left_axes, const char* right_axes, bool kept) {
    const ir::Ints& from = attrs.ints(left_axes);
    for (size_t i = 0; i < from.size(); ++i) {
      const char letter = left[static_cast<size_t>(from[i])];
      right[static_cast<size_t>(attrs.ints(right_axes)[i])] = letter;
      if (kept) result += letter;
    }
  };
  tie("lhs_contract", "rhs_contract", false);
  tie("lhs_batch", "rhs_batch", true);
  for (const char letter : left) {
    if (right.find(letter) == std::string::npos) result += letter;
  }
  char next = static_cast<char>('a' + left_rank);
  for (char& letter : right) {
    if (letter != '?') continue;
    letter = next++;
    result += letter;
  }
  return left + "," + right + "->" + result;
}

/// NumPy's broadcasting puts the axes of the operand last.
bool keeps_order(const ir::Attrs& attrs) {
  const ir::Ints& dims = attrs.ints("dims");
  const auto lead = static_cast<int64_t>(attrs.ints("shape").size() - dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != lead + static_cast<int64_t>(i)) return false;
  }
  return true;
}

std::optional<KerasCall> call_of(std::string_view op, const ir::Attrs& attrs,
                                 const Tensors& operands) {
  if (const char* name = find_name(kPlain, op)) return KerasCall{name};
  const DType dtype = operands.at(0).dtype();
  if (const char* name = find_name(kLogic, op); name != nullptr && dtype == DType::boolean) {
    return KerasCall{name};
  }
  if (const char* name = find_name(kReductions, op)) {
    return KerasCall{name, {{"axis", dims_of_list(attrs.ints("axes"))}, {"keepdims", false}}};
  }
  if (op == "div" && is_floating(dtype)) return KerasCall{"TrueDivide"};
  if (op == "round") return KerasCall{"Round", {{"decimals", 0}}};
  if (op == "convert") return KerasCall{"Cast", {{"dtype", dtype_name(attrs.dtype("dtype"))}}};
  if (op == "softmax") return KerasCall{"Softmax", {{"axis", attrs.integer("axis")}}};
  if (op == "log_softmax") return KerasCall{"LogSoftmax", {{"axis", attrs.integer("axis")}}};
  if (op == "concatenate") {
    return KerasCall{"Concatenate", {{"axis", attrs.integer("axis")}}, true};
  }
  if (op == "reshape") {
    return KerasCall{"Reshape", {{"newshape", dims_of_list(attrs.ints("shape"))}}};
  }
  if (op == "transpose") {
    return KerasCall{"Transpose", {{"axes", dims_of_list(attrs.ints("perm"))}}};
  }
  if (op == "reverse") return KerasCall{"Flip", {{"axis", dims_of_list(attrs.ints("axes"))}}};
  if (op == "broadcast" && keeps_order(attrs)) {
    return KerasCall{"BroadcastTo", {{"shape", dims_of_list(attrs.ints("shape"))}}};
  }
  if (op == "slice") return KerasCall{"GetItem", Json::object(), false, slices(attrs)};
  if (op == "dot_general") {
    const std::string text = subscripts(attrs, operands.at(0).rank(), operands.at(1).rank());
    return KerasCall{"Einsum", {{"subscripts", text}}};
  }
  return std::nullopt;
}

}  // namespace

KerasCall keras_call_of(const OpLayer& layer, const GraphNode& node) {
  if (auto call = call_of(layer.op().name, layer.attrs(), node.inputs.flatten())) return *call;
  throw NotImplementedError("The model cannot be written: its graph has the operation '" +
                            layer.name() + "' (ops::" + layer.op().name +
                            "), which keras.ops does not have in this form. Put it into the `call` "
                            "of a layer of your own.");
}

}  // namespace antler::training
