#include "training/op_to_keras.h"

#include <optional>
#include <string_view>

#include "antler/base/error.h"
#include "nn/op_names.h"

namespace antler::training {
namespace {

/// Bitwise ops, which are Keras's logical operations on boolean operands.
bool is_logic(std::string_view op) {
  return op == "and" || op == "or" || op == "xor" || op == "not";
}

/// The key of x[a:b:c, ...].
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

/// The einsum subscripts of a dot_general: "abc,cd->abd".
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

/// Whether this is NumPy's broadcasting, which aligns the last axes.
bool is_numpy_broadcast(const ir::Attrs& attrs) {
  const ir::Ints& dims = attrs.ints("dims");
  const auto lead = static_cast<int64_t>(attrs.ints("shape").size() - dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != lead + static_cast<int64_t>(i)) return false;
  }
  return true;
}

std::optional<KerasCall> call_of(const ir::OpDef& def, const ir::Attrs& attrs,
                                 const Tensors& operands) {
  const std::string_view op = def.name;
  const std::string name = keras_class_of_op(op);
  const DType dtype = operands.at(0).dtype();
  if (is_logic(op) && dtype != DType::boolean) return std::nullopt;
  if (op == "div" && !is_floating(dtype)) return std::nullopt;
  if (op == "round") return KerasCall{name, {{"decimals", 0}}};
  if (op == "convert") return KerasCall{name, {{"dtype", dtype_name(attrs.dtype("dtype"))}}};
  if (def.op_class == ir::OpClass::elementwise || op == "softplus") {
    const OpNames* names = find_op_names(op);
    if (names == nullptr || names->keras == nullptr) return std::nullopt;
    return KerasCall{name};
  }
  if (def.op_class == ir::OpClass::reduce) {
    return KerasCall{name, {{"axis", attrs.ints("axes")}, {"keepdims", false}}};
  }
  if (op == "softmax" || op == "log_softmax") {
    return KerasCall{name, {{"axis", attrs.integer("axis")}}};
  }
  if (op == "concatenate") {
    return KerasCall{name, {{"axis", attrs.integer("axis")}}, true};
  }
  if (op == "reshape") {
    return KerasCall{name, {{"newshape", attrs.ints("shape")}}};
  }
  if (op == "transpose") {
    return KerasCall{name, {{"axes", attrs.ints("perm")}}};
  }
  if (op == "reverse") return KerasCall{name, {{"axis", attrs.ints("axes")}}};
  if (op == "broadcast" && is_numpy_broadcast(attrs)) {
    return KerasCall{name, {{"shape", attrs.ints("shape")}}};
  }
  if (op == "slice") return KerasCall{name, Json::object(), false, slices(attrs)};
  if (op == "dot_general") {
    return KerasCall{
        name, {{"subscripts", subscripts(attrs, operands.at(0).rank(), operands.at(1).rank())}}};
  }
  return std::nullopt;
}

}  // namespace

KerasCall keras_call_of(const OpLayer& layer, const GraphNode& node) {
  if (auto call = call_of(layer.op(), layer.attrs(), node.inputs.flatten())) return *call;
  throw NotImplementedError(
      "The model cannot be saved: its operation '{}' (ops::{}) has no equivalent in keras.ops. "
      "Move it into the `call` of a custom layer.",
      layer.name(), layer.op().name);
}

}  // namespace antler::training
