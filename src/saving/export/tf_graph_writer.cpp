#include "saving/export/tf_graph_writer.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "antler/base/format.h"
#include "saving/export/tf_attributes.h"

namespace antler::saving {
namespace {

/// The version of TensorFlow 2.16's graph format.
constexpr int64_t kGraphProducer = 1766;

/// The names of the ops' outputs, where they differ from "output" (TensorFlow's ops.pbtxt).
constexpr std::pair<std::string_view, const char*> kOutputs[] = {
    {"Abs", "y"},
    {"Acos", "y"},
    {"Acosh", "y"},
    {"AddV2", "z"},
    {"Asin", "y"},
    {"Asinh", "y"},
    {"Atan", "y"},
    {"Atan2", "z"},
    {"Atanh", "y"},
    {"Cast", "y"},
    {"Ceil", "y"},
    {"Cos", "y"},
    {"Cosh", "y"},
    {"Cumsum", "out"},
    {"Digamma", "y"},
    {"Equal", "z"},
    {"Erf", "y"},
    {"Erfc", "y"},
    {"Erfinv", "y"},
    {"Exp", "y"},
    {"Expm1", "y"},
    {"Floor", "y"},
    {"Greater", "z"},
    {"GreaterEqual", "z"},
    {"IsFinite", "y"},
    {"IsInf", "y"},
    {"LeftShift", "z"},
    {"Less", "z"},
    {"LessEqual", "z"},
    {"Lgamma", "y"},
    {"Log", "y"},
    {"Log1p", "y"},
    {"LogSoftmax", "logsoftmax"},
    {"LogicalAnd", "z"},
    {"LogicalNot", "y"},
    {"LogicalOr", "z"},
    {"MatMul", "product"},
    {"Maximum", "z"},
    {"Minimum", "z"},
    {"Mul", "z"},
    {"Neg", "y"},
    {"NotEqual", "z"},
    {"Pow", "z"},
    {"ReadVariableOp", "value"},
    {"RealDiv", "z"},
    {"Rint", "y"},
    {"RightShift", "z"},
    {"Round", "y"},
    {"Rsqrt", "y"},
    {"Sigmoid", "y"},
    {"Sign", "y"},
    {"Sin", "y"},
    {"Sinh", "y"},
    {"Softmax", "softmax"},
    {"Softplus", "activations"},
    {"Sqrt", "y"},
    {"Sub", "z"},
    {"Tan", "y"},
    {"Tanh", "y"},
    {"Transpose", "y"},
    {"TruncateDiv", "z"},
    {"TruncateMod", "z"},
};

const char* output_name(std::string_view op) {
  const auto* found =
      std::ranges::find(kOutputs, op, &std::pair<std::string_view, const char*>::first);
  return found == std::end(kOutputs) ? "output" : found->second;
}

}  // namespace

std::string TfGraphWriter::unique(const std::string& name) {
  std::string base;
  for (const char c : name) {
    const bool allowed = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' ||
                         c == '-' || c == '/';
    base += allowed ? c : '_';
  }
  if (base.empty() || std::isalnum(static_cast<unsigned char>(base[0])) == 0) base = "n" + base;
  std::string result = base;
  for (size_t i = 1; !names_.insert(result).second; ++i) result = format("{}_{}", base, i);
  return result;
}

std::string TfGraphWriter::node(const std::string& op, const std::vector<std::string>& inputs,
                                const TfAttributes& attributes, const std::string& name) {
  // The number makes it likely that the first attempt is unique.
  std::string own = unique(name.empty() ? format("{}_{}", op, names_.size()) : name);
  io::WireWriter message;
  message.bytes(1, own);
  message.bytes(2, op);
  for (const std::string& input : inputs) message.bytes(3, reference(input));
  message.append(attributes.fields());
  nodes_.push_back(message);
  if (kind_ == Kind::function) outputs_[own] = output_name(op);
  return own;
}

std::string TfGraphWriter::reference(const std::string& value) const {
  const size_t colon = value.find(':');
  const auto node = outputs_.find(value.substr(0, colon));
  if (node == outputs_.end()) return value;  // for example an argument or a control input
  return format("{}:{}:{}", node->first, node->second,
                colon == std::string::npos ? "0" : value.substr(colon + 1));
}

io::WireWriter TfGraphWriter::nodes(int field) const {
  io::WireWriter all;
  for (const io::WireWriter& node : nodes_) all.message(field, node);
  return all;
}

io::WireWriter TfGraphWriter::graph_def(const io::WireWriter& functions) const {
  io::WireWriter versions;
  versions.integer(1, kGraphProducer);
  io::WireWriter graph;
  graph.append(nodes(1));
  if (!functions.str().empty()) graph.message(2, functions);
  graph.message(4, versions);
  return graph;
}

}  // namespace antler::saving
