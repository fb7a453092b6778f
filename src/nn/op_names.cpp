#include "nn/op_names.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace antler {
namespace {

/// Those that are not Keras's name in other letters.
constexpr std::pair<std::string_view, std::string_view> kOthers[] = {
    {"sub", "Subtract"},          {"mul", "Multiply"},
    {"div", "TrueDivide"},        {"pow", "Power"},
    {"max", "Maximum"},           {"min", "Minimum"},
    {"atan2", "Arctan2"},         {"eq", "Equal"},
    {"ne", "NotEqual"},           {"lt", "Less"},
    {"le", "LessEqual"},          {"gt", "Greater"},
    {"ge", "GreaterEqual"},       {"neg", "Negative"},
    {"abs", "Absolute"},          {"asin", "Arcsin"},
    {"acos", "Arccos"},           {"atan", "Arctan"},
    {"asinh", "Arcsinh"},         {"acosh", "Arccosh"},
    {"atanh", "Arctanh"},         {"erf_inv", "Erfinv"},
    {"is_finite", "Isfinite"},    {"select", "Where"},
    {"and", "LogicalAnd"},        {"or", "LogicalOr"},
    {"xor", "LogicalXor"},        {"not", "LogicalNot"},
    {"reduce_sum", "Sum"},        {"reduce_prod", "Prod"},
    {"reduce_max", "Max"},        {"reduce_min", "Min"},
    {"reduce_any", "Any"},        {"reduce_all", "All"},
    {"convert", "Cast"},          {"reverse", "Flip"},
    {"broadcast", "BroadcastTo"}, {"slice", "GetItem"},
    {"dot_general", "Einsum"}};

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

std::string keras_class_of_op(std::string_view op) {
  const auto* found = std::find_if(std::begin(kOthers), std::end(kOthers),
                                   [&](const auto& entry) { return entry.first == op; });
  return found == std::end(kOthers) ? camel_case(op) : std::string(found->second);
}

}  // namespace antler
