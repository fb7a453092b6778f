#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace antler::io {

/// An object of a TensorFlow checkpoint (TrackableObjectGraph.TrackableObject). Checkpoints are
/// restored along the names by which objects refer to each other, not by keys.
struct TrackableObject {
  /// Name by which this object refers to another one -> that one's index.
  std::vector<std::pair<std::string, int64_t>> children;
  std::string key;        ///< of its value; empty for an object without one
  std::string full_name;  ///< of the variable

  /// Index of the child of this name; -1 where there is none.
  int64_t child(std::string_view name) const;
};

/// Objects by index; 0 is the root.
using ObjectGraph = std::vector<TrackableObject>;

/// The key under which a checkpoint has its graph, as one text.
inline constexpr const char* kObjectGraphKey = "_CHECKPOINTABLE_OBJECT_GRAPH";

/// Parses the message. Throws IOError for a damaged one; all children exist then.
ObjectGraph parse_object_graph(std::string_view message);
std::string format_object_graph(const ObjectGraph& graph);

}  // namespace antler::io
