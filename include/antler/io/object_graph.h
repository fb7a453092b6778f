#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace antler::io {

/// An object of a TensorFlow checkpoint (TrackableObjectGraph.TrackableObject). A checkpoint is
/// restored by following the names by which objects refer to each other, not by keys.
struct TrackableObject {
  /// Names of the references to other objects, and the indices of those objects.
  std::vector<std::pair<std::string, int64_t>> children;
  std::string key;        ///< of the object's value; empty for an object without a value
  std::string full_name;  ///< of the variable

  /// Index of the child of this name, or -1.
  int64_t child(std::string_view name) const;
};

/// Objects by index; 0 is the root.
using ObjectGraph = std::vector<TrackableObject>;

/// The key under which a checkpoint stores its object graph, as one string.
inline constexpr const char* kObjectGraphKey = "_CHECKPOINTABLE_OBJECT_GRAPH";

/// Parses the message. Throws IOError if it is corrupt or refers to an object that does not exist.
ObjectGraph parse_object_graph(std::string_view message);
std::string format_object_graph(const ObjectGraph& graph);

}  // namespace antler::io
