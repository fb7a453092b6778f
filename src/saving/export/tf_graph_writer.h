#pragma once

#include <set>
#include <string>
#include <vector>

#include "io/wire.h"

namespace antler::saving {

class TfAttributes;

/// Writes a graph of TensorFlow (GraphDef), node by node.
class TfGraphWriter {
 public:
  /// Adds a node and returns its name: `name` made unique, or one made of the op's. An input is
  /// "node", "node:output" or, for a control input, "^node".
  std::string node(const std::string& op, const std::vector<std::string>& inputs,
                   const TfAttributes& attributes, const std::string& name = "");
  /// A name that no node has, with the characters that TensorFlow allows.
  std::string unique(const std::string& name);
  /// The GraphDef message.
  io::WireWriter graph_def() const;
  /// Bytes of the nodes.
  size_t size() const { return nodes_.str().size(); }

 private:
  io::WireWriter nodes_;
  std::set<std::string> names_;
};

}  // namespace antler::saving
