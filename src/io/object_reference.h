#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/wire_reader.h"

namespace antler::io {

/// A named reference to the object of this index.
using ObjectReference = std::pair<std::string, int64_t>;

/// Parses a TrackableObject.ObjectReference message.
inline ObjectReference parse_object_reference(WireReader reader) {
  ObjectReference reference;
  while (reader.next()) {
    if (reader.field() == 1) reference.second = reader.integer();
    if (reader.field() == 2) reference.first = reader.string();
  }
  return reference;
}

/// Index of the object that a list of references has under this name, or -1.
inline int64_t find_object(const std::vector<ObjectReference>& references, std::string_view name) {
  for (const auto& [own, index] : references) {
    if (own == name) return index;
  }
  return -1;
}

}  // namespace antler::io
