#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "io/wire.h"

namespace antler::saving {

class TfAttributes;

/// Writes a TensorFlow graph (GraphDef), node by node, or the body of a function (FunctionDef). In
/// a function, a value is named after an op's output, "node:output name:0", or after an argument.
class TfGraphWriter {
 public:
  enum class Kind : uint8_t { graph, function };
  explicit TfGraphWriter(Kind kind = Kind::graph) : kind_(kind) {}
  /// Adds a node and returns its name: `name` made unique or, if it is empty, a name derived from
  /// the op's. An input is "node", "node:output" or, for a control input, "^node".
  std::string node(const std::string& op, const std::vector<std::string>& inputs,
                   const TfAttributes& attributes, const std::string& name = "");
  /// A name that no node has, with the characters that TensorFlow allows.
  std::string unique(const std::string& name);
  /// How a node refers to `value` as its input; in a graph, `value` itself.
  std::string reference(const std::string& value) const;
  /// The GraphDef message. `functions` is its FunctionDefLibrary.
  io::WireWriter graph_def(const io::WireWriter& functions = {}) const;
  /// The nodes, as fields of this number.
  io::WireWriter nodes(int field) const;

 private:
  Kind kind_;
  std::vector<io::WireWriter> nodes_;
  std::set<std::string> names_;
  std::map<std::string, const char*> outputs_;  ///< in a function: the output's name, by node
};

}  // namespace antler::saving
