#include "saving/export/tf_attributes.h"

namespace antler::saving {

io::WireWriter shape_proto(const Dims& dims) {
  io::WireWriter shape;
  for (const Dim& d : dims) {
    io::WireWriter dim;
    dim.integer(1, d.is_dynamic() ? -1 : d.size);
    shape.message(2, dim);
  }
  return shape;
}

io::WireWriter map_entry(const std::string& key, const io::WireWriter& value) {
  io::WireWriter entry;
  entry.bytes(1, key);
  entry.message(2, value);
  return entry;
}

io::WireWriter map_entry(const std::string& key, const std::string& value) {
  io::WireWriter entry;
  entry.bytes(1, key);
  entry.bytes(2, value);
  return entry;
}

}  // namespace antler::saving
