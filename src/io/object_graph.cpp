#include "antler/io/object_graph.h"

#include "antler/base/error.h"
#include "io/object_reference.h"
#include "io/wire.h"
#include "io/wire_reader.h"

namespace antler::io {
namespace {

constexpr const char* kGraphName = "The object graph of a checkpoint";
constexpr const char* kVariableValue = "VARIABLE_VALUE";
// Field numbers of TrackableObjectGraph and its parts.
constexpr int kGraphNodes = 1;
constexpr int kNodeChildren = 1;
constexpr int kNodeAttributes = 2;

void parse_attribute(WireReader reader, TrackableObject& object) {
  std::string name;
  std::string full_name;
  std::string key;
  while (reader.next()) {
    if (reader.field() == 1) name = reader.string();
    if (reader.field() == 2) full_name = reader.string();
    if (reader.field() == 3) key = reader.string();
  }
  if (name != kVariableValue) return;
  object.key = key;
  object.full_name = full_name;
}

}  // namespace

int64_t TrackableObject::child(std::string_view name) const { return find_object(children, name); }

ObjectGraph parse_object_graph(std::string_view message) {
  ObjectGraph graph;
  for (WireReader reader(message, kGraphName); reader.next();) {
    if (reader.field() != kGraphNodes) continue;
    TrackableObject object;
    for (WireReader node = reader.message(); node.next();) {
      if (node.field() == kNodeChildren) {
        object.children.push_back(parse_object_reference(node.message()));
      }
      if (node.field() == kNodeAttributes) parse_attribute(node.message(), object);
    }
    graph.push_back(std::move(object));
  }
  if (graph.empty()) throw IOError("{} is corrupt: it is empty.", kGraphName);
  for (const TrackableObject& object : graph) {
    for (const auto& [name, index] : object.children) {
      if (index < 0 || static_cast<size_t>(index) >= graph.size()) {
        throw IOError("{} is corrupt: the object '{}' does not exist.", kGraphName, name);
      }
    }
  }
  return graph;
}

std::string format_object_graph(const ObjectGraph& graph) {
  WireWriter message;
  for (const TrackableObject& object : graph) {
    WireWriter node;
    for (const auto& [name, index] : object.children) {
      WireWriter child;
      child.integer(1, index);
      child.bytes(2, name);
      node.message(kNodeChildren, child);
    }
    if (!object.key.empty()) {
      WireWriter attribute;
      attribute.bytes(1, kVariableValue);
      attribute.bytes(2, object.full_name);
      attribute.bytes(3, object.key);
      node.message(kNodeAttributes, attribute);
    }
    message.message(kGraphNodes, node);
  }
  return message.str();
}

}  // namespace antler::io
