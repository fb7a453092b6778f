#include "saving/export/tf_function_def.h"

#include "antler/base/format.h"
#include "saving/export/tf_attributes.h"

namespace antler::saving {
namespace {

// Field numbers of OpDef, which describes the function, and of FunctionDef.
constexpr int kName = 1;
constexpr int kArgument = 2;
constexpr int kResult = 3;
constexpr int kIsStateful = 17;
constexpr int kEffect = 20;
constexpr int kSignature = 1;
constexpr int kNode = 3;
constexpr int kResultValue = 4;
constexpr int kEffectNode = 6;

/// An OpDef.ArgDef.
io::WireWriter port_def(const std::string& name, int64_t type) {
  io::WireWriter def;
  def.bytes(1, name);
  def.integer(3, type);
  return def;
}

}  // namespace

std::string TfFunctionDef::argument(int64_t type, const Dims& dims) {
  std::string name = body_.unique(format("argument_{}", shapes_.size()));
  arguments_.message(kArgument, port_def(name, type));
  shapes_.push_back(dims);
  return name;
}

std::string TfFunctionDef::handle(const Variable& variable) {
  io::WireWriter value;
  value.integer(1, io::tf_data_type(variable.dtype()));
  value.message(2, io::shape_message(variable.shape()));
  std::string name = body_.unique(format("handle_{}", shapes_.size()));
  io::WireWriter def = port_def(name, io::kTfResource);
  def.message(7, value);
  arguments_.message(kArgument, def);
  shapes_.emplace_back();
  return name;
}

void TfFunctionDef::result(const std::string& value, int64_t type) {
  results_.emplace_back(body_.reference(value), type);
}

io::WireWriter TfFunctionDef::message(const std::string& name) const {
  io::WireWriter signature;
  io::WireWriter places;
  signature.bytes(kName, name);
  signature.append(arguments_);
  for (size_t i = 0; i < results_.size(); ++i) {
    const auto& [value, type] = results_[i];
    const std::string result = format("result_{}", i);
    signature.message(kResult, port_def(result, type));
    places.message(kResultValue, map_entry(result, value));
  }
  signature.boolean(kIsStateful, true);
  for (const std::string& node : effects_) {
    signature.bytes(kEffect, node);
    places.message(kEffectNode, map_entry(node, node));
  }
  io::WireWriter function;
  function.message(kSignature, signature);
  function.append(body_.nodes(kNode));
  function.append(places);
  function.append(TfAttributes().shapes("_input_shapes", shapes_).fields());
  return function;
}

}  // namespace antler::saving
