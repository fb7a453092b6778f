#include "saving/export/tf_graph_writer.h"

#include <cctype>
#include <cstdint>

#include "antler/base/format.h"
#include "saving/export/tf_attributes.h"

namespace antler::saving {
namespace {

/// The version of TensorFlow 2.16's graph format.
constexpr int64_t kGraphProducer = 1766;

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
  const std::string own = unique(name.empty() ? format("{}_{}", op, names_.size()) : name);
  io::WireWriter message;
  message.bytes(1, own);
  message.bytes(2, op);
  for (const std::string& input : inputs) message.bytes(3, input);
  message.append(attributes.fields());
  nodes_.message(1, message);
  return own;
}

io::WireWriter TfGraphWriter::graph_def() const {
  io::WireWriter versions;
  versions.integer(1, kGraphProducer);
  io::WireWriter graph;
  graph.append(nodes_);
  graph.message(4, versions);
  return graph;
}

}  // namespace antler::saving
