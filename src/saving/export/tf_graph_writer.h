#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "io/wire.h"

namespace antler::saving {

class TfAttributes;

/// Writes a graph of TensorFlow (GraphDef), node by node, or the body of a function (FunctionDef),
/// in which a value is named after an output of an op, "node:output name:0", or an argument.
class TfGraphWriter {
 public:
  enum class Kind : uint8_t { graph, function };
  explicit TfGraphWriter(Kind kind = Kind::graph) : kind_(kind) {}
  /// Adds a node and returns its name: `name` made unique, or one made of the op's. An input is
  /// "node", "node:output" or, for a control input, "^node".
  std::string node(const std::string& op, const std::vector<std::string>& inputs,
                   const TfAttributes& attributes, const std::string& name = "");
  /// A name that no node has, with the characters that TensorFlow allows.
  std::string unique(const std::string& name);
  /// How a node's input is spelled; in a graph, as it is.
  std::string reference(const std::string& value) const;
  /// The GraphDef message. `functions` is its FunctionDefLibrary.
  io::WireWriter graph_def(const io::WireWriter& functions = {}) const;
  /// The nodes, as fields of this number.
  io::WireWriter nodes(int field) const;

 private:
  Kind kind_;
  std::vector<io::WireWriter> nodes_;
  std::set<std::string> names_;
  std::map<std::string, const char*> outputs_;  ///< of a function's nodes: the name of the op's
};

}  // namespace antler::saving
