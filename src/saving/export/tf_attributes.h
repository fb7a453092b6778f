#pragma once

#include <string>
#include <vector>

#include "io/tf_data_type.h"
#include "io/wire.h"
#include "saving/export/graph_sink.h"

namespace antler::saving {

/// TensorFlow's TensorShapeProto; dynamic dimensions are -1.
io::WireWriter shape_proto(const Dims& dims);
/// An entry of a map from strings to messages.
io::WireWriter map_entry(const std::string& key, const io::WireWriter& value);

/// The attributes of a node of a TensorFlow graph.
class TfAttributes {
 public:
  TfAttributes& type(const char* name, DType dtype) {
    io::WireWriter value;
    value.integer(6, io::tf_data_type(dtype));
    return add(name, value);
  }
  TfAttributes& integer(const char* name, int64_t number) {
    io::WireWriter value;
    value.integer(3, number);
    return add(name, value);
  }
  TfAttributes& flag(const char* name, bool on) {
    io::WireWriter value;
    value.boolean(5, on);
    return add(name, value);
  }
  TfAttributes& text(const char* name, const char* bytes) {
    io::WireWriter value;
    value.bytes(2, bytes);
    return add(name, value);
  }
  TfAttributes& ints(const char* name, const std::vector<int64_t>& numbers) {
    io::WireWriter list;
    list.packed(3, numbers);
    io::WireWriter value;
    value.message(1, list);
    return add(name, value);
  }
  TfAttributes& shape(const char* name, const Dims& dims) {
    io::WireWriter value;
    value.message(7, shape_proto(dims));
    return add(name, value);
  }
  TfAttributes& tensor(const char* name, const Tensor& array) {
    Dims dims;
    for (const int64_t size : array.shape()) dims.push_back({size, 0});
    io::WireWriter proto;
    proto.integer(1, io::tf_data_type(array.dtype()));
    proto.message(2, shape_proto(dims));
    proto.bytes(4, {static_cast<const char*>(array.data()), array.bytes()});
    io::WireWriter value;
    value.message(8, proto);
    return add(name, value);
  }
  const io::WireWriter& fields() const { return fields_; }

 private:
  TfAttributes& add(const char* name, const io::WireWriter& value) {
    fields_.message(5, map_entry(name, value));
    return *this;
  }
  io::WireWriter fields_;
};

}  // namespace antler::saving
