#include "saving/export/structured_value.h"

#include "antler/base/error.h"
#include "saving/export/tf_attributes.h"

namespace antler::saving {
namespace {

// Field numbers of StructuredValue.
constexpr int kNone = 1;
constexpr int kString = 13;
constexpr int kTensorSpec = 33;
constexpr int kList = 51;
constexpr int kTuple = 52;
constexpr int kDict = 53;
constexpr int kNamedTuple = 54;

io::WireWriter field(int number, const io::WireWriter& value) {
  io::WireWriter result;
  result.message(number, value);
  return result;
}

io::WireWriter tensor_spec(const TfPort& port) {
  io::WireWriter spec;
  spec.bytes(1, port.name);
  spec.message(2, shape_proto(port.dims));
  spec.integer(3, port.type);
  return field(kTensorSpec, spec);
}

io::WireWriter strings(const std::vector<std::string>& values) {
  io::WireWriter list;
  for (const std::string& value : values) {
    io::WireWriter string;
    string.bytes(kString, value);
    list.message(1, string);
  }
  return field(kList, list);
}

io::WireWriter specs_of(const CallTree& tree, std::span<const TfPort>& leaves) {
  if (tree.kind == CallTree::Kind::leaf) {
    if (leaves.empty()) throw InternalError("A signature has fewer arrays than places for them.");
    const TfPort& port = leaves.front();
    leaves = leaves.subspan(1);
    return tensor_spec(port);
  }
  io::WireWriter items;
  for (const auto& [key, item] : tree.items) {
    const io::WireWriter value = specs_of(item, leaves);
    items.message(1, tree.kind == CallTree::Kind::dict ? map_entry(key, value) : value);
  }
  return field(tree.kind == CallTree::Kind::list    ? kList
               : tree.kind == CallTree::Kind::tuple ? kTuple
                                                    : kDict,
               items);
}

}  // namespace

io::WireWriter structured_specs(const CallTree& tree, std::span<const TfPort> leaves) {
  return specs_of(tree, leaves);
}

io::WireWriter structured_none() { return field(kNone, {}); }

io::WireWriter function_spec(const std::vector<std::string>& parameters, bool by_name,
                             const io::WireWriter& input_signature) {
  const std::vector<std::string> none;
  // Python's inspect.FullArgSpec.
  const std::pair<const char*, io::WireWriter> parts[] = {
      {"args", strings(by_name ? none : parameters)},
      {"varargs", structured_none()},
      {"varkw", structured_none()},
      {"defaults", structured_none()},
      {"kwonlyargs", strings(by_name ? parameters : none)},
      {"kwonlydefaults", structured_none()},
      {"annotations", field(kDict, {})},
  };
  io::WireWriter tuple;
  tuple.bytes(1, "FullArgSpec");
  for (const auto& [name, value] : parts) tuple.message(2, map_entry(name, value));
  io::WireWriter spec;
  spec.message(1, field(kNamedTuple, tuple));
  spec.message(5, input_signature);
  return spec;
}

}  // namespace antler::saving
